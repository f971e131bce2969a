package handlers

import (
	"testing"

	"dw/bot"
	"dw/slackdev"
)

// workspace starts a local workspace of one person and one channel, and a client of
// its app; both end with t.
func workspace(t *testing.T, o slackdev.Options) (*slackdev.Server, *bot.Client) {
	t.Helper()
	o.Workspace = slackdev.Workspace{
		TeamID: "T1", Domain: "acme", BotToken: "xoxb-x", AppToken: "xapp-x", BotUserID: "U0BOT", BotID: "B0BOT", AppID: "A0APP",
		Users:    []slackdev.User{{ID: "U0ANN", Name: "ann"}},
		Channels: []slackdev.Channel{{ID: "C0DATA", Name: "data", Members: []string{"U0BOT", "U0ANN"}}},
	}
	server, err := slackdev.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	client, err := bot.NewClient("xoxb-x", bot.ClientOptions{APIURL: server.APIURL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return server, client
}
