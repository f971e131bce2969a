package bot_test

import (
	"errors"
	"slices"
	"testing"

	"dw/bot"
	"dw/slackdev"
)

// TestGroupMembers: who is in a user group now; one that is not there, and one
// that may not be read, are told apart from one that is empty.
func TestGroupMembers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		group  string
		scopes []string
		fault  string
		want   []string
		none   bool   // ErrNoGroup
		code   string // of a RefusedError
	}{
		"there":         {group: group, want: []string{ann}},
		"not there":     {group: "S0GONE", none: true},
		"no scope":      {group: group, scopes: []string{"chat:write"}, code: "missing_scope"},
		"a plan of old": {group: group, fault: "plan_upgrade_required", code: "plan_upgrade_required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := strict(t, tc.scopes, nil)
			if tc.fault != "" {
				server.Fail("usergroups.users.list", 1, slackdev.FaultError(tc.fault))
			}
			client, err := bot.NewClient("xoxb-dev", bot.ClientOptions{APIURL: server.APIURL()})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			got, err := client.GroupMembers(t.Context(), tc.group)
			refused, _ := errors.AsType[*bot.RefusedError](err)
			switch {
			case errors.Is(err, bot.ErrNoGroup) != tc.none || (refused != nil) != (tc.code != "") || !slices.Equal(got, tc.want):
				t.Errorf("got %v, %v", got, err)
			case refused != nil && (refused.Code != tc.code || refused.Do == ""):
				t.Errorf("refused with %+v, want %s", refused, tc.code)
			}
		})
	}
}
