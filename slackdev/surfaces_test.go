package slackdev_test

import (
	"strings"
	"testing"
)

// TestBlocksBelongToTheirSurface: what a message takes a view may not, and the
// other way round.
func TestBlocksBelongToTheirSurface(t *testing.T) {
	t.Parallel()
	view := func(kind, title, block string) string {
		return `{"type":"` + kind + `"` + title + `,"blocks":[` + block + `]}`
	}
	const (
		title    = `,"title":{"type":"plain_text","text":"T"}`
		alert    = `{"type":"alert","level":"warning","text":{"type":"plain_text","text":"careful"}}`
		markdown = `{"type":"markdown","text":"# x"}`
		table    = `{"type":"table","rows":[[{"type":"raw_text","text":"x"}]]}`
	)
	cases := map[string]struct{ method, view, want string }{
		"alert in a modal":    {"views.open", view("modal", title, alert), ""},
		"alert in Home":       {"views.publish", view("home", "", alert), "unsupported type: alert"},
		"markdown in a modal": {"views.open", view("modal", title, markdown), "unsupported type: markdown"},
		"table in a modal":    {"views.open", view("modal", title, table), "unsupported type: table"},
		"unknown level":       {"views.open", view("modal", title, strings.Replace(alert, "warning", "loud", 1)), "must be one of: default"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			r := b.dial(t).hello()
			a := b.call(t, c.method, "view", c.view, "trigger_id", b.trigger(t, r), "user_id", ann)
			if a.OK != (c.want == "") || !strings.Contains(strings.Join(a.Errors, "\n"), c.want) {
				t.Errorf("%+v", a)
			}
			if _, _, page := b.get(t, at(ann, open, "")); c.want == "" && !strings.Contains(page, "careful") {
				t.Error("the page does not show the alert")
			}
		})
	}
}
