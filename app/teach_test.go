package app_test

import (
	"database/sql"
	"testing"

	"dw/blocks"
	"dw/receipts"
)

// TestTeach: the detector's incident asks what it was; who does not decide for the
// domain may call it a fault and not quieten the detector, the owner may, and each
// of it has its receipt. The history that it was judged by is kept.
func TestTeach(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.at("11:15")
	r.see("new dead-letter rows", "without the schema registry", blocks.ActionAcknowledge)
	r.at("11:20")
	card := r.see("region=north", "Was it one? ", blocks.ActionReal, blocks.ActionExpected, blocks.ActionOneOff)
	r.told(guest, r.click(guest, card, blocks.ActionReal), "not recorded", "guest")
	r.told(outsider, r.click(outsider, card, blocks.ActionExpected), "not recorded", "those who decide for grid")
	r.told(outsider, r.click(outsider, card, blocks.ActionReal), "Recorded", "not learned from")
	r.see("region=north", "is a real fault, by ")
	r.see("Otto Outside says of readings per hour: a real fault")
	if refused := r.receipts(receipts.KindDecisionRefused); len(refused) != 2 || refused[1].Predicate.Actor["user"] != outsider {
		t.Errorf("%d refusals have a receipt", len(refused))
	}
	for _, one := range r.receipts(receipts.KindIncidentUpdated) {
		if body := one.Predicate.Body; body["what"] == "detector_answer" && body["word"] == "real" && one.Predicate.Actor["user"] == outsider {
			r.stop()
			r.kept()
			return
		}
	}
	t.Error("what was said has no receipt")
}

// kept checks that dw's database holds the history, and what was said.
func (r *rig) kept() {
	r.t.Helper()
	db, err := sql.Open("sqlite", "file:"+r.database())
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	for query, least := range map[string]int{
		"SELECT count(*) FROM history_spans":                       24 * 50,
		"SELECT count(*) FROM histories":                           1,
		"SELECT count(*) FROM answers WHERE doc LIKE '%\"real\"%'": 1,
	} {
		var n int
		if err := db.QueryRowContext(r.t.Context(), query).Scan(&n); err != nil || n < least {
			r.t.Errorf("%s: %d, %v; want at least %d", query, n, err, least)
		}
	}
}
