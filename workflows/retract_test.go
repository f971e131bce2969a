package workflows

import (
	"testing"

	"dw/receipts"
)

// Rule 7: an approver may revoke an approval until execution starts.
func TestRevoke(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		before func(t *testing.T, e *estate)
		who    Person
		code   RefusalCode
		state  ProposalState
	}{
		{"by the approver", func(t *testing.T, e *estate) { e.stop(t, ben); e.approve(t, "change") }, ann, "", Revoked},
		{"by somebody who did not approve", func(t *testing.T, e *estate) { e.stop(t, ben); e.approve(t, "change") }, ben, RefusedNotApprover, Approved},
		{"of a request that waits", func(*testing.T, *estate) {}, ann, RefusedNotApprover, Waiting},
		{"when execution has begun", func(t *testing.T, e *estate) { e.approve(t, "change") }, ann, RefusedState, Executing},
		{"of a rejection", func(t *testing.T, e *estate) { e.decide(t, e.click(e.key(t, "change"), ann, Reject)) }, ann, RefusedNotApprover, Rejected},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := newEstate()
			e.asked(t)
			tt.before(t, e)
			a := e.decide(t, e.click(e.key(t, "change"), tt.who, Revoke))
			wantState(t, e.key(t, "change"), tt.state)
			if a.OK != (tt.code == "") {
				t.Errorf("answer %+v", a)
			}
			if got := e.last(receipts.KindDecisionRefused).Body["code"]; tt.code != "" && got != string(tt.code) {
				t.Errorf("refused as %v, want %s", got, tt.code)
			}
			if got := e.kinds()[receipts.KindDecisionRevoked]; (got == 1) != (tt.code == "") {
				t.Errorf("%d receipts of a revocation", got)
			}
		})
	}
}

// A revoked approval starts nothing later, and does not count for a quorum.
func TestRevokedCountsNoMore(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) { e.policy.Quorum = 2 })
	e.asked(t)
	p := e.key(t, "change")
	e.decide(t, e.click(p, ann, Approve))
	if a := e.decide(t, e.click(e.key(t, "change"), ann, Revoke)); !a.OK {
		t.Fatalf("a part of the quorum cannot be revoked: %s", a.Text)
	}
	e.decide(t, e.click(e.key(t, "change"), ben, Approve))
	wantState(t, e.key(t, "change"), Waiting)

	e = newEstate()
	e.asked(t)
	e.stop(t, ben)
	e.approve(t, "change")
	e.decide(t, e.click(e.key(t, "change"), ann, Revoke))
	_, resume := e.resume(t, ben)
	e.decide(t, e.click(resume, ann, Approve))
	wantState(t, e.key(t, "change"), Revoked)
	if again := e.decide(t, e.click(e.key(t, "change"), ann, Revoke)); again.OK {
		t.Errorf("revoked twice: %+v", again)
	}
}

// Rule 7: the proposer may withdraw while it waits, and nobody else.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.stop(t, ben)
	_, p := e.resume(t, ann)
	if a := e.decide(t, e.click(p, ben, Withdraw)); a.OK {
		t.Errorf("another person withdrew: %s", a.Text)
	}
	if got := e.last(receipts.KindDecisionRefused).Body["code"]; got != string(RefusedNotProposer) {
		t.Errorf("refused as %v", got)
	}
	if a := e.decide(t, e.click(p, ann, Withdraw)); !a.OK {
		t.Fatalf("the proposer cannot withdraw: %s", a.Text)
	}
	wantState(t, e.proposal(t, p.ID), Withdrawn)
	if a := e.decide(t, e.click(p, ben, Approve)); a.OK {
		t.Errorf("what was withdrawn was approved: %s", a.Text)
	}
	if stop, _ := e.svc.Stopped(t.Context()); !stop.On {
		t.Error("a withdrawn request lifted the stop")
	}
}
