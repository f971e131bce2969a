package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"dw/slackdev"
)

// localWorkspace is a small workspace for trying a configuration without an
// account. Its tokens are no secrets: they open this process only.
func localWorkspace() slackdev.Workspace {
	people := []slackdev.User{
		{ID: "U0OWNER", Name: "owner", RealName: "Olga Owner", Email: "owner@example.com"},
		{ID: "U0DEPUTY", Name: "deputy", RealName: "Dan Deputy", Email: "deputy@example.com"},
		{ID: "U0CC", Name: "cc", RealName: "Cleo Copied", Email: "cc@example.com"},
		{ID: "U0OTHER", Name: "outsider", RealName: "Otto Outsider", Email: "outsider@example.com"},
		{ID: "U0GUEST", Name: "guest", RealName: "Gus Guest", Email: "guest@example.com", UltraRestricted: true},
	}
	everybody := make([]string, len(people))
	for i, p := range people {
		everybody[i] = p.ID
	}
	return slackdev.Workspace{ //nolint:gosec // tokens of this process only
		TeamID: "T0LOCAL", Domain: "local", BotToken: "xoxb-local", AppToken: "xapp-local",
		BotUserID: "U0DW", BotID: "B0DW", AppID: "A0DW", Users: people,
		Channels: []slackdev.Channel{{ID: "C0DATA", Name: "data-incidents", Members: everybody}},
	}
}

func slackdevCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "slackdev",
		Short: "Run a local Slack workspace with a page on which you act as any user",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			workspace := localWorkspace()
			server, err := slackdev.New(slackdev.Options{Listen: listen, Workspace: workspace})
			if err != nil {
				return fmt.Errorf("make the workspace: %w", err)
			}
			if err := server.Start(); err != nil {
				return fmt.Errorf("start the workspace: %w", err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "page       %s\napi_url    %s\nbot_token  %s\napp_token  %s\nchannel    %s\nteam       %s\n",
				server.URL(), server.APIURL(), workspace.BotToken, workspace.AppToken, workspace.Channels[0].ID, workspace.TeamID)
			<-cmd.Context().Done()
			return server.Close()
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8471", "address of the page and the API")
	return cmd
}
