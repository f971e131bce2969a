package jira_test

import (
	"fmt"
	"strings"
	"testing"

	"dw/connectors/jira"

	fake "dw/internal/fakes/jira"
)

// TestFindReconcilesOwnIssues: what this client created is found at once, though
// the index lags.
func TestFindReconcilesOwnIssues(t *testing.T) {
	t.Parallel()
	v := start(t, func(held *fake.Options, _ *jira.Options) { held.SearchLag = 100 })
	issue, err := v.client.Create(t.Context(), ticket(nil))
	if err != nil {
		t.Fatal(err)
	}
	found, ok, err := v.client.Find(t.Context(), "INC-7", "jira:OPS")
	if err != nil || !ok || found.Key != issue.Key {
		t.Errorf("found %+v, %v, %v", found, ok, err)
	}
}

func TestFindTellsTargetsApartAndReadsEveryPage(t *testing.T) {
	t.Parallel()
	for name, cloud := range map[string]bool{"Cloud": true, "Data Center": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := run(t, cloud, nil)
			for n := range 60 { // more than a page
				_, err := v.client.Create(t.Context(), ticket(func(tk *jira.Ticket) { tk.Target = fmt.Sprint("team ", n) }))
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, tc := range []struct{ target, key string }{{"team 0", "OPS-1"}, {"team 59", "OPS-60"}, {"team 60", ""}} {
				found, ok, err := v.client.Find(t.Context(), "INC-7", tc.target)
				if err != nil || found.Key != tc.key || ok != (tc.key != "") {
					t.Errorf("%s: found %q, %v, %v", tc.target, found.Key, ok, err)
				}
			}
		})
	}
}

func TestFindLeavesTwoToAPerson(t *testing.T) {
	t.Parallel()
	v := start(t, nil)
	for range 2 {
		if _, err := v.client.Create(t.Context(), ticket(nil)); err != nil {
			t.Fatal(err)
		}
	}
	_, ok, err := v.client.Find(t.Context(), "INC-7", "jira:OPS")
	if ok || err == nil || !strings.Contains(err.Error(), "OPS-2 and OPS-1 both carry it; a person must choose") {
		t.Errorf("%v, %v", ok, err)
	}
}

func TestFindDoesNotGuessBehindItsLimit(t *testing.T) {
	t.Parallel()
	v := start(t, nil)
	for n := range 501 {
		if _, err := v.client.Create(t.Context(), ticket(func(tk *jira.Ticket) { tk.Target = fmt.Sprint("team ", n) })); err != nil {
			t.Fatal(err)
		}
	}
	_, ok, err := v.client.Find(t.Context(), "INC-7", "team 0")
	if ok || err == nil || !strings.Contains(err.Error(), "not among the 500 newest issues") {
		t.Errorf("%v, %v", ok, err)
	}
}
