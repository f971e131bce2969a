package app_test

import (
	"database/sql"
	"slices"
	"testing"

	"dw/internal/fakes/pagerduty"
)

// TestSelfCheckPages: a log that was changed pages who is on call, once, with what
// was found, and the page that is there already stays.
func TestSelfCheckPages(t *testing.T) {
	t.Parallel()
	c := startControl(t, replace("checkpoint_every: 1}", "checkpoint_every: 1s, self_check_every: 1s}"))
	db, err := sql.Open("sqlite", "file:"+c.database()+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // a test
	for _, statement := range []string{"DROP TRIGGER receipts_refuse_update", "UPDATE receipts SET bytes = CAST(replace(CAST(bytes AS TEXT), 'key.created', 'key.creates') AS BLOB) WHERE seq = 1"} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	ofLog := func(i pagerduty.Incident) bool { return i.Key == "dw-receipts-grid-test" }
	c.until("a page about the log", func() bool { return slices.ContainsFunc(c.pager.Incidents(), ofLog) })
	at := slices.IndexFunc(c.pager.Incidents(), ofLog)
	page := c.pager.Incidents()[at]
	if report, _ := page.Details["report"].(string); page.Severity != "critical" || page.Title != "dw's log of receipts does not verify" || report == "" {
		t.Errorf("the page is %+v", page)
	}
	c.askOnce()
	triggers := 0
	for _, e := range c.pager.Incidents()[at].Log {
		if e.What == "trigger" {
			triggers++
		}
	}
	if triggers != 1 {
		t.Errorf("it was triggered %d times", triggers)
	}
}
