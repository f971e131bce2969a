package app_test

import (
	"strings"
	"testing"
)

// TestCommands: every command answers the person who typed it, in private, and a
// wrong one says what to write.
func TestCommands(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	incident := r.receipts("incident.opened")[0].Predicate.Incident
	for _, tc := range []struct {
		text string
		says []string
	}{
		{"", []string{"status", "check run NAME", "verify"}},
		{"help", []string{"What /dw answers", "blast NAME"}},
		{"status", []string{"Open incidents", "Waiting for a decision: ", "3", incident}},
		{"checks", []string{"readings per hour", "rejected readings", "reading ids are unique", "has not run yet"}},
		{"check run reading ids are unique", []string{"pass "}},
		{"check run readings per hours", []string{"There is no check", "readings per hour"}},
		{"check", []string{"/dw check run NAME"}},
		{"incidents", []string{incident, "open"}},
		{"incident " + incident, []string{"rejected readings", "Ruled out"}},
		{"incident " + strings.ToLower(incident), []string{"Ruled out"}},
		{"receipts " + strings.ToLower(incident), []string{"incident.opened"}},
		{"incident INC-NONE", []string{"There is no incident", "/dw incidents lists"}},
		{"incident", []string{"/dw incident ID"}},
		{"history " + incident, []string{"No incident like " + incident}},
		{"history fct_readings", []string{"History of fct_readings", incident, "Records produced without", "same asset", "still open"}},
		{"history fct_reading", []string{"fct_readings"}},
		{"history nothing_like_it", []string{"nothing_like_it"}},
		{"history INC-NONE", []string{"There is no incident"}},
		{"history", []string{"/dw history INCIDENT"}},
		{"explain fct_readings", []string{"fct_readings", "dbt"}},
		{"explain table fct_readings", []string{"fct_readings", "olga"}},
		{"EXPLAIN fct_readings", []string{"fct_readings"}},
		{"explain fct_reading", []string{"fct_readings"}},
		{"explain fct_readings", []string{"fresh: ", "readings per hour: fail", incident + " is open", "old"}},
		{"explain", []string{"/dw explain NAME"}},
		{"owner fct_readings", []string{"Owner of fct_readings", "olga", "old"}},
		{"owner nothing_like_it", []string{"nothing_like_it"}},
		{"fresh fct_readings", []string{"Freshness of fct_readings", "no check of freshness has looked at it", "last fed"}},
		{"sla fct_readings", []string{"Deadlines of fct_readings", "first harm", "bill_meters"}},
		{"trace fct_readings", []string{"Trace of fct_readings", "fed by", "feeds", "bill_meters"}},
		{"trace", []string{"/dw trace NAME"}},
		{"search fct_raedings", []string{"fct_readings", "name, nearly"}},
		{"search zzzzzz", []string{"Nothing is called"}},
		{"search", []string{"/dw search TEXT"}},
		{"blast fct_readings", []string{"bill_meters", "usage"}},
		{"blast nothing_like_it", []string{"nothing_like_it"}},
		{"approvals", []string{holdTitle, changeTitle, recoverTitle, "never auto-granted"}},
		{"receipts", []string{"config.loaded", "proposal.created", "chain "}},
		{"receipts " + incident, []string{"incident.opened", incident}},
		{"receipts INC-NONE", []string{"No receipt matches"}},
		{"verify", []string{"good: ", "signature checked"}},
		{"dance", []string{"is no command of dw", "/dw help lists"}},
	} {
		answer := r.ask(outsider, tc.text)
		for _, word := range tc.says {
			if !strings.Contains(answer, word) {
				t.Errorf("/dw %s does not say %q:\n%s", tc.text, word, answer)
			}
		}
	}
	for _, who := range []string{guest, stranger} {
		if answer := r.ask(who, "status"); !strings.Contains(answer, "members of this workspace only") {
			t.Errorf("%s is answered: %s", who, answer)
		}
	}
	if n := len(r.slack.Ephemerals(owner)); n != 0 {
		t.Errorf("the owner reads %d answers that are another's", n)
	}
}
