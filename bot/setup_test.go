package bot_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"dw/bot"
	"dw/slackdev"
)

// strict is a workspace whose bot token holds the given scopes only.
func strict(t *testing.T, scopes []string, wall func() time.Time) *slackdev.Server {
	t.Helper()
	server, err := slackdev.New(slackdev.Options{Unlimited: true, Wall: wall, Workspace: slackdev.Workspace{
		TeamID: home, Domain: "acme", BotToken: "xoxb-dev", AppToken: "xapp-dev", BotUserID: botUser, BotID: "B0BOT00001", AppID: "A0APP00001",
		Users: []slackdev.User{{ID: ann, Name: "ann", Email: "ann@acme.example"}},
		Channels: []slackdev.Channel{
			{ID: public, Name: "public", Members: []string{botUser}},
			{ID: private, Name: "private", Private: true, Members: []string{botUser}},
		},
		Groups: []slackdev.Group{{ID: group, Handle: "leads", Name: "Leads", Users: []string{ann}}},
		Scopes: scopes,
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

// TestScopesAreThoseOfTheCalls: with exactly the listed scopes every call of the
// client is carried out, and without any one of them some call is refused, so
// that the list asks for nothing in vain.
func TestScopesAreThoseOfTheCalls(t *testing.T) {
	t.Parallel()
	all := make([]string, 0, len(bot.Scopes()))
	for _, scope := range bot.Scopes() {
		all = append(all, scope.Name)
	}
	if refused := callAll(t, all); len(refused) > 0 {
		t.Errorf("with all scopes refused: %v", refused)
	}
	for i, scope := range all {
		if scope == "commands" {
			continue // Slack asks it of the command itself, not of a call
		}
		t.Run(scope, func(t *testing.T) {
			t.Parallel()
			without := append(append([]string{}, all[:i]...), all[i+1:]...)
			if refused := callAll(t, without); len(refused) == 0 {
				t.Errorf("no call needs %s", scope)
			}
		})
	}
}

// callAll makes each call of the client once and returns what was refused for a
// scope.
func callAll(t *testing.T, scopes []string) (refused []string) {
	t.Helper()
	server := strict(t, scopes, nil)
	client, err := bot.NewClient("xoxb-dev", bot.ClientOptions{APIURL: server.APIURL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	note := func(what string, err error) {
		if err != nil && strings.Contains(err.Error(), "scope") {
			refused = append(refused, what)
		} else if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err = client.AuthTest(ctx)
	note("auth.test", err)
	_, err = client.UserInfo(ctx, ann)
	note("users.info", err)
	_, err = client.LookupByEmail(ctx, "ann@acme.example")
	note("users.lookupByEmail", err)
	_, err = client.GroupMembers(ctx, group)
	note("usergroups.users.list", err)
	places := []string{public, private}
	direct, err := client.OpenDM(ctx, ann)
	note("conversations.open", err)
	if direct != "" {
		places = append(places, direct)
	}
	for _, place := range places {
		if place != direct {
			_, err = client.ChannelInfo(ctx, place)
			note("conversations.info", err)
		}
		_, err = client.Post(ctx, place, bot.Message{Text: "hello"}, bot.PostOptions{Key: "key-" + place})
		note("chat.postMessage", err)
		_, _, err = client.FindByKey(ctx, place, "key-"+place, "", time.Now())
		note("conversations.history", err)
	}
	return refused
}

// TestCheckAppToken: the app-level token is tried without opening a connection,
// and each wrong one says what to do.
func TestCheckAppToken(t *testing.T) {
	t.Parallel()
	server := strict(t, nil, nil)
	for name, tc := range map[string]struct{ token, code string }{
		"good":      {"xapp-dev", ""},
		"wrong":     {"xapp-other", "invalid_auth"},
		"bot token": {"xoxb-dev", "not_allowed_token_type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := bot.CheckAppToken(t.Context(), tc.token, bot.ClientOptions{APIURL: server.APIURL()})
			fatal, isFatal := errors.AsType[*bot.FatalError](err)
			if tc.code == "" && err != nil || tc.code != "" && (!isFatal || fatal.Code != tc.code || fatal.Do == "") {
				t.Errorf("got %v, want %q", err, tc.code)
			}
		})
	}
	if n := server.Snapshot().Sockets; n != 0 {
		t.Errorf("%d connections were opened", n)
	}
	if err := bot.CheckAppToken(t.Context(), "", bot.ClientOptions{}); err == nil {
		t.Error("an empty token passed")
	}
}

// TestSlacksClock: the time of Slack's answer is told, so that a skew can be.
func TestSlacksClock(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	server := strict(t, nil, func() time.Time { return at })
	client, err := bot.NewClient("xoxb-dev", bot.ClientOptions{APIURL: server.APIURL()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	self, err := client.AuthTest(t.Context())
	if err != nil || !self.Clock.Equal(at) {
		t.Errorf("the clock says %v, %v; want %v", self.Clock, err, at)
	}
}
