package slackdev_test

import (
	"context"
	"fmt"

	"dw/slackdev"
)

// A person types a command while no app is connected, and sees Slack's error.
func Example() {
	s, err := slackdev.New(slackdev.Options{Workspace: slackdev.Workspace{
		TeamID: "T0ACME", Domain: "acme", BotToken: "xoxb-local", AppToken: "xapp-local",
		BotUserID: "U0BOT", BotID: "B0BOT", AppID: "A0APP",
		Users:    []slackdev.User{{ID: "U0ANN", Name: "ann"}},
		Channels: []slackdev.Channel{{ID: "C0DATA", Name: "data", Members: []string{"U0BOT", "U0ANN"}}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.Start(); err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close() //nolint:errcheck // the end of the example
	out, err := s.Command(context.Background(), "U0ANN", "C0DATA", "/dw status")
	fmt.Println(out.Acked, out.Error, err)
	// Output: false dispatch_failed <nil>
}
