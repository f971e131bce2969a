package slackdev_test

import (
	"net/http"
	"testing"
	"time"

	"dw/slackdev"

	"github.com/slack-go/slack"
)

// TestScopesAreEnforced: a call whose scope the token lacks is refused with
// Slack's words, and one whose scope it holds is not.
func TestScopesAreEnforced(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) {
		o.Unlimited = true
		o.Workspace.Scopes = []string{"chat:write", "channels:read", "users:read"}
	})
	for name, tc := range map[string]struct {
		call   func() error
		needed string
	}{
		"public channel":  {func() error { return infoOf(b, open) }, ""},
		"private channel": {func() error { return infoOf(b, inside) }, "groups:read"},
		"history":         {func() error { return historyOf(b, open) }, "channels:history"},
		"post":            {func() error { return postTo(b, open) }, ""},
		"by e-mail": {func() error {
			_, err := b.api.GetUserByEmailContext(b.ctx, "ann@acme.example")
			return err
		}, "users:read.email"},
		"by id": {func() error {
			_, err := b.api.GetUserInfoContext(b.ctx, ann)
			return err
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tc.call()
			refused, isRefusal := err.(slack.SlackErrorResponse) //nolint:errorlint // slack-go returns the value itself
			switch {
			case tc.needed == "" && err != nil:
				t.Error(err)
			case tc.needed != "" && (!isRefusal || refused.Err != "missing_scope" || refused.Needed != tc.needed):
				t.Errorf("refused with %#v, want missing_scope that needs %s", err, tc.needed)
			}
		})
	}
}

func infoOf(b *bundle, channel string) error {
	_, err := b.api.GetConversationInfoContext(b.ctx, &slack.GetConversationInfoInput{ChannelID: channel})
	return err
}

func historyOf(b *bundle, channel string) error {
	_, err := b.api.GetConversationHistoryContext(b.ctx, &slack.GetConversationHistoryParameters{ChannelID: channel})
	return err
}

func postTo(b *bundle, channel string) error {
	_, _, err := b.api.PostMessageContext(b.ctx, channel, slack.MsgOptionText("hello", false))
	return err
}

// TestAnswersCarryTimeAndScopes: what tells of clock and token travels in the
// headers of each answer, as at Slack.
func TestAnswersCarryTimeAndScopes(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) { o.Workspace.Scopes = []string{"commands", "chat:write"} })
	r, err := b.api.AuthTestContext(b.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Header.Get("X-OAuth-Scopes"); got != "commands,chat:write" {
		t.Errorf("scopes %q", got)
	}
	if at, err := http.ParseTime(r.Header.Get("Date")); err != nil || !at.Equal(b.clock.Now().Truncate(time.Second)) {
		t.Errorf("date %v, %v; the workspace's clock says %v", at, err, b.clock.Now())
	}
}
