package app_test

import (
	"testing"

	"dw/blocks"
	"dw/receipts"
	"dw/slackdev"
)

// TestStop: anybody who is listed stops dw by a command; approved work waits,
// every card says so, and only somebody else than the one who asks lifts it.
func TestStop(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	if answer := r.ask(outsider, "stop for fun"); !said(slackdev.Message{Text: answer}, "Only people who are listed", "Olga Owner") {
		t.Errorf("an outsider is told: %s", answer)
	}
	r.refusedWith(outsider, "not_in_chain")
	r.ask(copied, "STOP\tthe grid <is> moved")
	r.see("dw is stopped by", "the grid <is> moved", "Nothing new starts")
	r.card(holdTitle, "Stopped: ", blocks.ActionApprove)

	before := r.click(owner, r.card(holdTitle, blocks.ActionApprove), blocks.ActionApprove)
	r.told(owner, before, "is recorded")
	r.card(holdTitle, "approved", "Stopped: ")
	if got := r.receipts(receipts.KindStepIntent); len(got) != 0 {
		t.Errorf("a step began while dw is stopped: %s", got[0].Bytes)
	}

	r.ask(owner, "resume it is moved")
	asks := r.see("Approval needed: Lift the stop", blocks.ActionApprove)
	before = r.click(owner, asks, blocks.ActionApprove)
	r.told(owner, before, "somebody else decides it")
	r.refusedWith(owner, "proposer")
	r.click(deputy, asks, blocks.ActionApprove)
	r.see("In force: Lift the stop", "approved by")
	r.see("The stop is lifted by")
	r.card(holdTitle, blocks.ActionDone) // the owner is asked to do it now
	if s := r.ask(owner, "status"); said(slackdev.Message{Text: s}, "Stopped: ") {
		t.Errorf("the status still says stopped: %s", s)
	}
	r.verify()
}
