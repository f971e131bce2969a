package app_test

import (
	"strings"
	"testing"

	"dw/receipts"
)

// TestObserveOnly: at L1 dw opens the incident, names the cause, and only logs
// what it would have asked.
func TestObserveOnly(t *testing.T) {
	t.Parallel()
	r := start(t, replace("level: L2", "level: L1"))
	r.at("11:15")
	r.see("evidence and history", "without the schema registry", "nobody is asked at L1")
	r.at("11:40")
	r.see("region=north")
	would := r.receipts(receipts.KindAutonomyWouldPropose)
	if len(would) == 0 || !strings.Contains(would[len(would)-1].Bytes, changeTitle) {
		t.Errorf("receipts %+v, want one of what it would have asked", would)
	}
	if got := r.receipts(receipts.KindProposalCreated); len(got) != 0 {
		t.Errorf("at L1 dw asked: %s", got[0].Bytes)
	}
	if answer := r.ask(owner, "approvals"); !strings.Contains(answer, "Nothing waits") {
		t.Errorf("approvals: %s", answer)
	}
}

// TestAnswersOnly: at L0 dw answers commands and opens nothing.
func TestAnswersOnly(t *testing.T) {
	t.Parallel()
	r := start(t, replace("level: L2", "level: L0"))
	r.at("11:20")
	if answer := r.ask(owner, "check run readings per hour"); !strings.Contains(answer, "fail ") {
		t.Errorf("the check says %s", answer)
	}
	if answer := r.ask(owner, "incidents"); !strings.Contains(answer, "No incident is open") {
		t.Errorf("incidents: %s", answer)
	}
	if got := r.receipts(receipts.KindIncidentOpened); len(got) != 0 {
		t.Errorf("at L0 dw opened an incident: %s", got[0].Bytes)
	}
}

// TestCannotAsk: a warehouse that cannot be read and a table that is missing are
// said as errors, never as failures, and open no incident.
func TestCannotAsk(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		edit  func(string) string
		spoil func(*testing.T, *rig)
		says  []string
	}{
		"unreadable warehouse": {replace("x", "x"), func(t *testing.T, r *rig) {
			r.write(t, "warehouse.db", "this is no database, only text that is long enough to be read as a header of one")
		}, []string{"error ", "warehouse", "not a database"}},
		"missing table": {replace("table: fct_readings", "table: fct_reading"), func(*testing.T, *rig) {}, []string{"error ", "fct_reading", "correct the table"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, tc.edit)
			tc.spoil(t, r)
			r.at("11:20")
			answer := r.ask(owner, "check run readings per hour")
			for _, word := range tc.says {
				if !strings.Contains(answer, word) {
					t.Errorf("the answer does not say %q: %s", word, answer)
				}
			}
			if list := r.ask(owner, "checks"); !strings.Contains(list, "error ") {
				t.Errorf("checks: %s", list)
			}
			if name == "missing table" {
				return // the dead letter of that estate can be read and does fail
			}
			if got := r.receipts(receipts.KindIncidentOpened); len(got) != 0 {
				t.Errorf("what could not be asked opened an incident: %s", got[0].Bytes)
			}
		})
	}
}
