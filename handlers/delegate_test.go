package handlers

import (
	"strings"
	"testing"
	"time"
)

// TestParseDelegation: days and times are those of who types, a day alone is all
// of it, and whatever is not understood says what to write.
func TestParseDelegation(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 27, 14, 30, 0, 0, berlin) // a Friday; the clock goes forward on Sunday
	for typed, want := range map[string]struct{ to, domain, from, until, says string }{
		"<@U0BEN|ben> until 18:00":                               {to: "U0BEN", from: "2026-03-27T13:30:00Z", until: "2026-03-27T17:00:00Z"},
		"<@U0BEN> shop until tomorrow":                           {to: "U0BEN", domain: "shop", from: "2026-03-27T13:30:00Z", until: "2026-03-28T23:00:00Z"},
		"U0BEN from tomorrow until 2026-03-29":                   {to: "U0BEN", from: "2026-03-27T23:00:00Z", until: "2026-03-29T22:00:00Z"},
		"U0BEN shop from 2026-03-30 9:00 until 2026-04-10T18:30": {to: "U0BEN", domain: "shop", from: "2026-03-30T07:00:00Z", until: "2026-04-10T16:30:00Z"},
		"<@U0BEN|ben> From now Until Today":                      {to: "U0BEN", from: "2026-03-27T13:30:00Z", until: "2026-03-27T23:00:00Z"},
		"<@U0BEN|ben> from today until tomorrow 9:00":            {to: "U0BEN", from: "2026-03-26T23:00:00Z", until: "2026-03-28T08:00:00Z"},
		"":                                   {says: "Write /dw delegate @PERSON"},
		"@ben until tomorrow":                {says: "Slack sent the name @ben and not who that is"},
		"ben until tomorrow":                 {says: `"ben" is nobody`},
		"U0BEN":                              {says: "Say until when"},
		"U0BEN until":                        {says: "Say until when"},
		"U0BEN shop":                         {says: "Say until when"},
		"U0BEN shop finance until 18:00":     {says: `"finance" is not understood`},
		"U0BEN from until 18:00":             {says: `"from" is not understood`},
		"U0BEN until soon":                   {says: `"soon" is no time`},
		"U0BEN until 2026-02-30":             {says: `"2026-02-30" is no time`},
		"U0BEN until 25:00":                  {says: `"25:00" is no time of day`},
		"U0BEN until 2026-03-29 02:30":       {says: "02:30 on 2026-03-29 does not exist in Europe/Berlin"},
		"U0BEN until tomorrow 9:00 or 10:00": {says: "is no time"},
	} {
		t.Run(typed, func(t *testing.T) {
			t.Parallel()
			w, err := parseDelegation(strings.Fields(typed), now, "/dw")
			if want.says != "" {
				if err == nil || !strings.Contains(err.Error(), want.says) {
					t.Fatalf("%+v, %v; want %q", w, err, want.says)
				}
				return
			}
			from, until := w.from.UTC().Format(time.RFC3339), w.until.UTC().Format(time.RFC3339)
			if err != nil || w.to != want.to || w.domain != want.domain || from != want.from || until != want.until {
				t.Errorf("%s %q from %s until %s, %v", w.to, w.domain, from, until, err)
			}
		})
	}
}

// TestTyped: what Slack makes of names and links in a command is turned back
// into what was typed.
func TestTyped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"explain fct_orders":                  "explain fct_orders",
		"stop <@U0BEN|ben> said so":           "stop @ben said so",
		"stop see <#C0DATA|data>":             "stop see #data",
		"stop <https://x.example/?a=1&amp;b>": "stop https://x.example/?a=1&b",
		"stop <https://x.example|x.example>":  "stop x.example",
		"stop <@U0BEN>":                       "stop @U0BEN",
		"explain a &lt;b&gt; &amp; c":         "explain a <b> & c",
	} {
		if got := typed(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
