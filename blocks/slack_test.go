package blocks_test

import (
	"context"
	"testing"

	"dw/blocks"
	"dw/slackdev"

	"github.com/slack-go/slack"
)

// TestSlackTakesEveryMessage posts every message, also with hostile names, to a
// local workspace that refuses what Slack refuses: wrong blocks, texts that are
// too long, messages that are too large.
func TestSlackTakesEveryMessage(t *testing.T) {
	t.Parallel()
	server, err := slackdev.New(slackdev.Options{Unlimited: true, Workspace: slackdev.Workspace{
		TeamID: "T1", Domain: "test", BotToken: "xoxb-test", AppToken: "xapp-test", BotUserID: "U9", BotID: "B9", AppID: "A9",
		Users:    []slackdev.User{{ID: "U1", Name: "ann"}},
		Channels: []slackdev.Channel{{ID: "C1", Name: "data", Members: []string{"U1"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	api := slack.New("xoxb-test", slack.OptionAPIURL(server.APIURL()))
	for _, name := range append(hostile, "orders") {
		for title, m := range messages(name) {
			_, _, err := api.PostMessageContext(context.Background(), "C1", slack.MsgOptionText(m.Text, false), slack.MsgOptionBlocks(m.Blocks...))
			if err != nil {
				t.Errorf("%s with the name %.40q: %v", title, name, err)
			}
		}
	}
	modal := blocks.RejectModal("PROP-BBBBBB", `{"value":"x"}`)
	if n := len([]rune(modal.Title.Text)); n > 24 || len([]rune(modal.Submit.Text)) > 24 {
		t.Errorf("the modal's title or button is too long (%d)", n)
	}
}
