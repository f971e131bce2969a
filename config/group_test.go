package config_test

import (
	"strings"
	"testing"

	"dw/config"
)

// TestGroups: a user group approves and is nobody else's name; how many are in it
// is not guessed.
func TestGroups(t *testing.T) {
	t.Parallel()
	const with = "people:\n  ann: {slack: U1}\n  leads: {slack_group: S0LEADS}\ndomains:\n  shop: {owner: leads, deputy: ann, channel: C1, quorum: 3}\n"
	const base = "instance: test-one\nslack: {bot_token: x, app_token: x}\n"
	for name, tc := range map[string]struct {
		from, to string
		want     string // empty: good
	}{
		"approves":          {"", "", ""},
		"a wrong id":        {"S0LEADS", "leads", `people.leads.slack_group: "leads" is no id of a user group`},
		"a person as well":  {"slack_group: S0LEADS", "slack_group: S0LEADS, slack: U2", "people.leads: is a person and a group"},
		"a rota as well":    {"slack_group: S0LEADS", "slack_group: S0LEADS, pagerduty_schedule: PX13", "people.leads: is a group and a rota"},
		"told only":         {"deputy: ann", "cc: [leads]", `"leads" is a user group, which can only approve`},
		"told and no owner": {"owner: leads, deputy: ann", "owner: ann, cc: [leads]", `domains.shop.cc[0]: "leads" is a user group, which can only approve`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Parse("c.yaml", []byte(base+strings.Replace(with, tc.from, tc.to, 1)), sources(nil))
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
