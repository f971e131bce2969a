package app_test

import (
	"strings"
	"testing"

	"dw/blocks"
	"dw/receipts"
)

// TestAuthorOfTheChangeDoesNotDecide: whom the configuration ties to the e-mail
// of a change event among the evidence is not asked and cannot approve; the card
// names them, and an author who is not known is said to be unchecked.
func TestAuthorOfTheChangeDoesNotDecide(t *testing.T) {
	t.Parallel()
	deploy := func(r *rig, who string) {
		r.write(t, "changes.ndjson", `{"system":"deploys","id":"d-17","kind":"deploy","asset":"relay","at":"2026-06-10T09:58:00Z","who":"`+who+`","text":"relay moved to a new host"}`+"\n")
	}
	t.Run("known by e-mail", func(t *testing.T) {
		t.Parallel()
		r := &rig{estate: newEstate(t, replace("olga: {slack: U0OWNER}", "olga: {slack: U0OWNER, email: Olga@Grid.example}")), t: t, log: new(output)}
		deploy(r, "olga@grid.example")
		r.resume()
		r.at("11:15")
		r.see("without the schema registry", blocks.ActionAcknowledge)
		r.at("11:26")
		card := r.card(holdTitle, blocks.ActionApprove, "Made change d-17, does not count")
		r.see("Dan Deputy (deputy) is asked to decide")
		r.placed()
		r.told(owner, r.click(owner, card, blocks.ActionApprove), "You made a change that this answers (d-17), so somebody else decides it", "Dan Deputy")
		r.refusedWith(owner, "author")
		r.told(deputy, r.click(deputy, card, blocks.ActionApprove), "is recorded")
		r.stop()
		if created := r.receipts(receipts.KindProposalCreated); len(created) == 0 || !strings.Contains(created[0].Bytes, `"authors":[{"change":"d-17"`) {
			t.Errorf("the receipt does not name the author: %+v", created)
		}
	})
	t.Run("known by nothing", func(t *testing.T) {
		t.Parallel()
		r := &rig{estate: newEstate(t), t: t, log: new(output)}
		deploy(r, "olga")
		r.resume()
		r.asked()
		r.card(holdTitle, blocks.ActionApprove, "Authorship not checked", "change d-17 is by \\\"olga\\\", whom dw's configuration ties to nobody")
	})
}
