package workflows

import (
	"fmt"
	"slices"
	"time"

	"dw/receipts"
)

// remind writes to everybody who was asked and has not answered, once per link.
func remind(p Proposal, now time.Time) (Proposal, Outcome) {
	if p.State != Waiting || p.Clocks.RemindAt.IsZero() || now.Before(p.Clocks.RemindAt) || !now.Before(p.Clocks.ExpiresAt) {
		return p, Outcome{}
	}
	var out Outcome
	p.Clocks.RemindAt = time.Time{}
	for _, l := range p.Asked() {
		if _, decided := p.decisionOf(l.Person); decided {
			continue
		}
		out.effect(EffectDirect, fmt.Sprintf("%s/%d/%s", p.ID, p.Rev+1, l.User), DirectNote{
			To: l.Person, Incident: p.Incident, Proposal: p.ID,
			Text: fmt.Sprintf("%q waits for your decision until %s; it is never auto-granted%s.",
				p.Title, clockText(p.Clocks.ExpiresAt, now), escalationText(p, now)),
		})
	}
	return p, out
}

// escalate asks the next named person as well, or the next group; who was asked
// stays asked, and the quorum stays as it was.
func escalate(p Proposal, policy Policy, now time.Time) (Proposal, Outcome) {
	due := !p.Clocks.EscalateAt.IsZero() && !now.Before(p.Clocks.EscalateAt)
	if p.State != Waiting || !due || !now.Before(p.Clocks.ExpiresAt) {
		return p, Outcome{}
	}
	p = p.clone()
	next := p.ask(1, now.UTC())
	if len(next) == 0 {
		return p, Outcome{}
	}
	p.Clocks.EscalateAt = time.Time{}
	if len(p.Next()) > 0 && policy.EscalateAfter > 0 {
		p.Clocks.EscalateAt = now.UTC().Add(policy.EscalateAfter)
	}
	if policy.RemindAfter > 0 {
		p.Clocks.RemindAt = now.UTC().Add(policy.RemindAfter)
	}
	return p, escalated(p, next, now)
}

func escalated(p Proposal, asked []Link, now time.Time) Outcome {
	var out Outcome
	out.clock(DeadlineEscalate, p.ID, p.Clocks.EscalateAt)
	out.clock(DeadlineRemind, p.ID, p.Clocks.RemindAt)
	out.note(p.Incident, fmt.Sprintf("Nobody has decided %q yet: %s is asked too. It expires at %s and is never auto-granted.",
		p.Title, linksText(asked), clockText(p.Clocks.ExpiresAt, now)), people(asked)...)
	out.receipt(p.draft(receipts.KindEscalation, itself(), now, receipts.Object{
		"asked": namesOf(asked), "quorum": p.Quorum, "expires_at": p.Clocks.ExpiresAt,
	}))
	return out
}

// expire ends a request that nobody answered in time. It grants nothing; the
// incident stays open and everybody who was asked is told.
func expire(p Proposal, now time.Time) (Proposal, Outcome) {
	if p.State != Waiting || now.Before(p.Clocks.ExpiresAt) {
		return p, Outcome{}
	}
	p.State = Expired
	out := p.stopClocks()
	out.note(p.Incident, fmt.Sprintf("%q expired at %s without a decision. Nothing was done; the incident stays open.",
		p.Title, clockText(p.Clocks.ExpiresAt, now)), people(p.Chain)...)
	out.receipt(p.draft(receipts.KindExpiry, itself(), now, receipts.Object{
		"what": "decision", "due_at": p.Clocks.ExpiresAt, "asked": namesOf(p.Asked()), "approvals": p.approvals(),
	}))
	return p, out
}

// lapse ends an approval that was not used in time: before the first step it is
// lapsed, between two steps the run is halted.
func lapse(p Proposal, now time.Time) (Proposal, Outcome) {
	if p.Clocks.ExecuteBefore.IsZero() || now.Before(p.Clocks.ExecuteBefore) {
		return p, Outcome{}
	}
	switch p.State {
	case Approved:
		p.State = Lapsed
		out := p.stopClocks()
		out.note(p.Incident, fmt.Sprintf("The approval of %q lapsed at %s: it was not started in time. A new decision is needed.",
			p.Title, clockText(p.Clocks.ExecuteBefore, now)), people(p.Asked())...)
		out.receipt(p.draft(receipts.KindExpiry, itself(), now, receipts.Object{
			"what": "approval", "due_at": p.Clocks.ExecuteBefore,
		}))
		return p, out
	case Executing:
		if n, open := p.Current(); open && p.Steps[n].State == StepPending {
			return halt(p, n, "it was not started before "+clockText(p.Clocks.ExecuteBefore, now), now)
		}
	}
	return p, Outcome{}
}

// withdraw takes a waiting request back on behalf of its proposer.
func withdraw(p Proposal, why string, now time.Time) (Proposal, Outcome) {
	return take(p, Withdrawn, why, "", now)
}

// endAfter ends a proposal that waits for one which was not carried out: a
// request is withdrawn, an approval lapses. A replaced one is followed by its
// new version and ends nothing.
func endAfter(p Proposal, all []Proposal, now time.Time) (Proposal, Outcome) {
	for _, q := range all {
		if !slices.Contains(p.After, q.ID) || !q.neverDone() || (p.State == Waiting && !now.Before(p.Clocks.ExpiresAt)) {
			continue // its own clock ends it
		}
		why := fmt.Sprintf("it starts only after %q, which is %s", q.Title, q.State)
		if p.State != Approved {
			return withdraw(p, why, now)
		}
		p.State = Lapsed
		out := p.stopClocks()
		out.note(p.Incident, fmt.Sprintf("The approval of %q lapsed: %s.", p.Title, why), people(p.Asked())...)
		out.receipt(p.draft(receipts.KindExpiry, itself(), now, receipts.Object{"what": "approval", "why": clean(why)}))
		return p, out
	}
	return p, Outcome{}
}

// neverDone reports whether p's steps will not all be done.
func (p Proposal) neverDone() bool {
	return endedUndone(p.State) || (p.State == Halted && p.ReplacedBy != "")
}

// endedUndone reports whether a proposal in this state will never be done.
func endedUndone(s ProposalState) bool {
	switch s {
	case Rejected, Expired, Withdrawn, Revoked, Lapsed, Failed, RolledBack:
		return true
	}
	return false
}

// supersede replaces a waiting request by another one.
func supersede(p Proposal, by string, now time.Time) (Proposal, Outcome) {
	return take(p, Superseded, "replaced by a new version", by, now)
}

func take(p Proposal, to ProposalState, why, by string, now time.Time) (Proposal, Outcome) {
	if p.State != Waiting {
		return p, Outcome{}
	}
	p.State, p.ReplacedBy = to, by
	out := p.stopClocks()
	out.note(p.Incident, fmt.Sprintf("%q is %s: %s.", p.Title, to, why))
	out.receipt(p.draft(receipts.KindIncidentUpdated, itself(), now, receipts.Object{
		"what": "proposal", "state": string(to), "why": clean(why), "replaced_by": by,
	}))
	return p, out
}
