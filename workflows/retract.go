package workflows

import (
	"fmt"
	"time"

	"dw/receipts"
)

// retract takes back what somebody decided or asked, until execution starts
// (approvals.md rule 7): an approver revokes an approval, the proposer withdraws
// a request that waits.
func retract(p Proposal, r DecideRequest, now time.Time) (Proposal, Outcome, *Refusal) {
	for _, guard := range []func(Proposal, DecideRequest, time.Time) *Refusal{refuseRetract, refuseHash, refuseCard} {
		if refusal := guard(p, r, now); refusal != nil {
			return p, refusedDecision(p, r, refusal, now), refusal
		}
	}
	if r.Verdict == Withdraw {
		p, out := withdrawBy(p, r, now)
		return p, out, nil
	}
	p, out := revoke(p, r, now)
	return p, out, nil
}

func refuseRetract(p Proposal, r DecideRequest, now time.Time) *Refusal {
	if r.NotAllowed != "" {
		return refuse(RefusedNotAllowed, "You cannot do this: %s.", r.NotAllowed)
	}
	if r.Verdict == Withdraw {
		return refuseWithdraw(p, r)
	}
	return refuseRevoke(p, r, now)
}

func refuseWithdraw(p Proposal, r DecideRequest) *Refusal {
	switch {
	case !isProposer(p.Proposer, r.By):
		return refuse(RefusedNotProposer, "Only the person who asked for this can withdraw it. You can reject it, if you are asked to decide.")
	case p.State != Waiting:
		return refuse(RefusedState, "Nothing is left to withdraw: the request is %s.", p.State)
	}
	return nil
}

func refuseRevoke(p Proposal, r DecideRequest, now time.Time) *Refusal {
	d, decided := p.decisionOf(r.By)
	switch {
	case !decided || d.Verdict != Approve:
		return refuse(RefusedNotApprover, "Only a person who approved this can revoke that approval.")
	case !d.RevokedAt.IsZero():
		return refuse(RefusedAlready, "Your approval was already revoked at %s.", clockText(d.RevokedAt, now))
	case p.State != Approved && p.State != Waiting:
		return refuse(RefusedState, "It is too late to revoke: the request is %s. %s", p.State, tooLateAdvice(p))
	}
	return nil
}

// tooLateAdvice says what is left to do when execution has begun.
func tooLateAdvice(p Proposal) string {
	if p.State == Executing {
		return "A listed person can stop dw, so that no further step starts."
	}
	return "Its card names the undo of each step."
}

// revoke makes by's approval count no more. One that had been granted ends.
func revoke(p Proposal, r DecideRequest, now time.Time) (Proposal, Outcome) {
	p = p.clone()
	for n := range p.Decisions {
		if p.Decisions[n].By.Same(r.By) {
			p.Decisions[n].RevokedAt = r.At.UTC()
		}
	}
	var out Outcome
	if p.State == Approved {
		p.State = Revoked
		out.merge(p.stopClocks())
	}
	out.note(p.Incident, fmt.Sprintf("%s revoked the approval of %q (%s) at %s. Nothing was started.",
		r.By.shown(), p.Title, p.Fingerprint(), clockText(r.At, now)), people(p.Asked())...)
	out.receipt(p.draft(receipts.KindDecisionRevoked, human(r.By), now, receipts.Object{
		"hash": p.Hash, "state": string(p.State), "approvals": p.approvals(), "quorum": p.Quorum,
		"arrived_at": r.At, "action_ts": clean(r.ActionTS), "envelope_id": clean(r.EnvelopeID),
	}))
	if p.unreachable() {
		ended, more := withdraw(p, fmt.Sprintf("its quorum of %d can no longer be met by those who were named", p.Quorum), now)
		out.merge(more)
		return ended, out
	}
	return p, out
}

func withdrawBy(p Proposal, r DecideRequest, now time.Time) (Proposal, Outcome) {
	p.State = Withdrawn
	out := p.stopClocks()
	out.note(p.Incident, fmt.Sprintf("%s withdrew %q.", r.By.shown(), p.Title), people(p.Asked())...)
	out.receipt(p.draft(receipts.KindProposalWithdrawn, human(r.By), now, receipts.Object{
		"hash": p.Hash, "arrived_at": r.At, "action_ts": clean(r.ActionTS), "envelope_id": clean(r.EnvelopeID),
	}))
	return p, out
}

func retracts(v Verdict) bool { return v == Revoke || v == Withdraw }
