package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"dw/slackdev"
)

// slackdevAddress is where the local workspace listens; dw init --local expects
// it there.
const slackdevAddress = "127.0.0.1:8471"

// localWorkspace is a small workspace for trying a configuration or a client
// without an account: members, a guest, a person of a connected company, a closed
// account, public and private channels with and without the bot. Its tokens are no
// secrets: they open this process only.
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
	people = append(people,
		slackdev.User{ID: "U0GONE", Name: "gone", RealName: "Gil Gone", Email: "gone@example.com", Deleted: true},
		slackdev.User{ID: "U0PARTNER", Name: "partner", RealName: "Pia Partner", TeamID: "T0PARTNER", Stranger: true})
	return slackdev.Workspace{ //nolint:gosec // tokens of this process only
		TeamID: "T0LOCAL", Domain: "local", BotToken: "xoxb-local", AppToken: "xapp-local",
		BotUserID: "U0DW", BotID: "B0DW", AppID: "A0DW", Users: people,
		Channels: []slackdev.Channel{
			{ID: "C0DATA", Name: "data-incidents", Members: append(everybody, "U0DW")},
			{ID: "C0PARTNER", Name: "with-partner", ExtShared: true, Members: []string{"U0OWNER", "U0PARTNER", "U0DW"}},
			{ID: "G0INSIDE", Name: "invited", Private: true, Members: []string{"U0OWNER", "U0DEPUTY", "U0DW"}},
			{ID: "G0SECRET", Name: "not-invited", Private: true, Members: []string{"U0OWNER", "U0DEPUTY"}},
		},
		Groups: []slackdev.Group{{ID: "S0DATA", Handle: "data-eng", Name: "Data engineering", Users: []string{"U0OWNER", "U0DEPUTY"}}},
	}
}

func slackdevCommand() *cobra.Command {
	var o slackdev.Options
	var journal string
	var scopes, events []string
	cmd := &cobra.Command{
		Use:   "slackdev",
		Short: "Run a local Slack workspace with a page on which you act as any user",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			o.Workspace = localWorkspace()
			o.Workspace.Scopes, o.Workspace.Events = scopes, events
			if journal != "" {
				file, err := os.OpenFile(journal, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
				if err != nil {
					return fmt.Errorf("open the journal: %w", err)
				}
				defer file.Close() //nolint:errcheck // each line was written with its own error
				o.Journal = file
			}
			return serveWorkspace(cmd, o)
		},
	}
	cmd.Flags().StringVar(&o.Listen, "listen", slackdevAddress, "address of the page and the API")
	cmd.Flags().StringVar(&journal, "journal", "", "file for one JSON line of each call, envelope, ack and act")
	cmd.Flags().DurationVar(&o.AckTimeout, "ack-timeout", 0, "how long a person waits for the app (default 3s, as in Slack)")
	cmd.Flags().DurationSliceVar(&o.EventRetries, "event-retries", nil, "waits before each redelivery of an event (default 0s,1m,5m, as in Slack)")
	cmd.Flags().DurationVar(&o.SocketLife, "socket-life", 0, "age at which a connection is told to go (default about 5h, as in Slack)")
	cmd.Flags().StringSliceVar(&scopes, "scopes", nil, "scopes of the bot token (default: all)")
	cmd.Flags().StringSliceVar(&events, "events", nil, "events that the app subscribes to, such as app_mention,message.channels")
	return cmd
}

// serveWorkspace runs a workspace until the command's context ends.
func serveWorkspace(cmd *cobra.Command, o slackdev.Options) error {
	server, err := slackdev.New(o)
	if err != nil {
		return fmt.Errorf("make the workspace: %w", err)
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("start the workspace: %w", err)
	}
	printWorkspace(cmd.OutOrStdout(), server, o.Workspace)
	<-cmd.Context().Done()
	return server.Close()
}

func printWorkspace(out io.Writer, server *slackdev.Server, w slackdev.Workspace) {
	fmt.Fprintf(out, "page       %s\napi_url    %s\nbot_token  %s\napp_token  %s\nchannel    %s\nteam       %s\n",
		server.URL(), server.APIURL(), w.BotToken, w.AppToken, w.Channels[0].ID, w.TeamID)
}
