package app_test

import (
	"testing"

	"dw/blocks"
)

// TestRenamedAndRecycled: between the request and the click the deputy's name and
// e-mail go to somebody else. dw knows people by their ids alone: who has the name
// now does not decide, who has the id does.
func TestRenamedAndRecycled(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	r.at("12:12")
	r.escalated("Dan Deputy") // dan is configured by his e-mail
	if err := r.slack.SetProfile(deputy, "danny", "Dan Dunn", "danny@grid.example"); err != nil {
		t.Fatal(err)
	}
	if err := r.slack.SetProfile(outsider, "dan", "Dan Deputy", "dan@grid.example"); err != nil {
		t.Fatal(err)
	}
	r.told(outsider, r.click(outsider, r.card(holdTitle, blocks.ActionApprove), blocks.ActionApprove), "not one of the people named")
	r.refusedWith(outsider, "not_in_chain")
	r.undecided(holdTitle)
	r.told(deputy, r.click(deputy, r.card(holdTitle, blocks.ActionApprove), blocks.ActionApprove), "is recorded at")
	r.verify()
}
