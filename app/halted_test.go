package app_test

import (
	"strings"
	"testing"

	"dw/blocks"
	"dw/receipts"
	"dw/slackdev"
)

// halted runs dw up to where the recovery stands halted, because the job that it
// was to run has other code than what was approved.
func (r *rig) halted() slackdev.Message {
	r.t.Helper()
	r.asked()
	r.click(owner, r.card(changeTitle), blocks.ActionApprove)
	r.applyDiff(r.t, diffOf(r.t, r.card(changeTitle, "waits for the owner")))
	r.told(owner, r.click(owner, r.card(changeTitle, blocks.ActionDone), blocks.ActionDone), "Recorded")
	r.click(owner, r.card(recoverTitle), blocks.ActionApprove)
	r.applyDiff(r.t, diffOf(r.t, r.card(recoverTitle, "waits for the owner")))
	r.dagster.Deploy("build_readings", "two")
	r.at("11:30")
	return r.card(recoverTitle, "Halted: ", "job version is two", blocks.ActionRenew, blocks.ActionRollBack, blocks.ActionGiveUp)
}

// TestHaltedChoices: the buttons of a halted run, clicked in Slack: people of the
// chain alone choose, once, and what they chose is carried out and has its receipt.
func TestHaltedChoices(t *testing.T) {
	t.Parallel()
	for action, tt := range map[string]struct {
		choice string
		then   func(*rig)
	}{
		blocks.ActionRenew: {"renew", func(r *rig) {
			r.card(recoverTitle+" (the rest)", "Approval needed: ", blocks.ActionApprove)
			r.card(recoverTitle, "Asked anew as ")
		}},
		blocks.ActionRollBack: {"roll_back", func(r *rig) {
			card := r.card(recoverTitle, "roll back: waits for the owner", blocks.ActionUndone)
			r.told(owner, r.click(owner, card, blocks.ActionUndone), "Recorded")
			r.card(recoverTitle, "Rolled back: ")
		}},
		blocks.ActionGiveUp: {"give_up", func(r *rig) {
			r.card(recoverTitle, "Failed: ", "Chosen: ")
			r.see("this stays done")
		}},
	} {
		t.Run(tt.choice, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			card := r.halted()
			r.told(copied, r.click(copied, card, action), "kept informed", "Olga Owner")
			r.told(owner, r.click(owner, card, action), "Your choice for", "is recorded")
			tt.then(r)
			r.stop()
			r.verify()
			chosen := r.receipts(receipts.KindHaltedChoice)
			if len(chosen) != 1 || chosen[0].Predicate.Body["choice"] != tt.choice || chosen[0].Predicate.Actor["user"] != owner {
				t.Errorf("receipts %+v", chosen)
			}
			if runs := r.dagster.Runs(); len(runs) != 0 {
				t.Errorf("runs %+v", runs)
			}
			refused := r.receipts(receipts.KindDecisionRefused)
			if len(refused) == 0 || !strings.Contains(refused[0].Bytes, `"action":"choose"`) {
				t.Errorf("the refusal has no receipt: %+v", refused)
			}
		})
	}
}
