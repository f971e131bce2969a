package workflows

import (
	"fmt"
	"slices"
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

// Terms are what the steps need to know beyond the state.
type Terms struct {
	Policy     Policy
	CanObserve func(diagnosis.Action) bool // whether dw can read that the action took effect
	Stopped    bool                        // nothing may begin
	Opened     bool                        // the domain is in the configuration
}

// start takes an approved proposal into execution, the compare-and-swap of
// approvals.md rule 7: the approvals, the hash, the time, the level and the
// proposals before it are checked again here. after holds the proposals of
// p.After. A hash that is no longer that of the content needs a new decision.
func start(p Proposal, after []Proposal, t Terms, now time.Time) (Proposal, Outcome, *Refusal) {
	if p.State != Approved {
		return p, Outcome{}, refuse(RefusedState, "%q is %s, not approved.", p.Title, p.State)
	}
	if hash, err := ProposalHash(p); err != nil || hash != p.Hash {
		p, out := reapprove(p, "its content is not what was approved", nil, now)
		return p, out, nil
	}
	if refusal := refuseStart(p, after, t, now); refusal != nil {
		return p, Outcome{}, refusal
	}
	p = p.clone()
	p.State = Executing
	p, out := advance(p, t, now)
	return p, out, nil
}

func refuseStart(p Proposal, after []Proposal, t Terms, now time.Time) *Refusal {
	switch {
	case t.perform().Code == RefusedStopped:
		return refuse(RefusedStopped, "%q starts when the stop is lifted.", p.Title)
	case p.approvals() < p.Quorum || p.Quorum < 1:
		return refuse(RefusedUnapproved, "%q has %d of %d approvals.", p.Title, p.approvals(), p.Quorum)
	case !now.Before(p.Clocks.ExecuteBefore):
		return refuse(RefusedTooLate, "%q had to start before %s.", p.Title, clockText(p.Clocks.ExecuteBefore, now))
	case t.perform().Permission != Allow:
		return refuse(RefusedLevel, "The autonomy level of %s was lowered since the approval.", p.Domain)
	}
	for _, id := range p.After {
		at := slices.IndexFunc(after, func(q Proposal) bool { return q.ID == id })
		if at < 0 || !after[at].StepsDone() {
			return refuse(RefusedAfter, "%q starts when the proposal before it is done.", p.Title)
		}
	}
	return nil
}

// reapprove ends an approval that no longer holds, and has it looked at whether
// the plan is still right; facts, if any, are what was read.
func reapprove(p Proposal, why string, facts receipts.Object, now time.Time) (Proposal, Outcome) {
	p.State = NeedsReapproval
	out := p.stopClocks()
	out.note(p.Incident, fmt.Sprintf("%q was not started: %s (%s). It needs a new decision.", p.Title, why, p.Fingerprint()), people(p.Asked())...)
	body := receipts.Object{"what": "proposal", "state": string(NeedsReapproval), "why": clean(why)}
	if facts != nil {
		body["read"] = facts
	}
	out.receipt(p.draft(receipts.KindIncidentUpdated, itself(), now, body))
	if p.Incident != "" {
		out.set(Deadline{Kind: DeadlinePropose, Subject: p.Incident, DueAt: now})
	}
	return p, out
}

// advance starts the first step that is not done, if the ones before it are:
// the owner is asked, dw's own call is queued, or verifying begins. Each step
// must start before ExecuteBefore.
func advance(p Proposal, t Terms, now time.Time) (Proposal, Outcome) {
	n, open := p.Current()
	if p.State != Executing || !open || p.Steps[n].State != StepPending {
		return p, Outcome{}
	}
	if !now.Before(p.Clocks.ExecuteBefore) {
		return lapse(p, now)
	}
	switch ruling := t.carry(p, n); {
	case ruling.Code == RefusedStopped:
		return p, Outcome{}
	case ruling.Permission != Allow:
		return halt(p, n, ruling.Why, now)
	}
	var out Outcome
	step := p.Plan[n]
	switch {
	case step.Kind == diagnosis.Verify:
		p = p.withStep(n, StepStatus{State: StepRunning, Since: now.UTC()})
	case step.By == diagnosis.ByDW:
		out.effect(EffectStep, stepSubject(p.ID, n), StepRef{Proposal: p.ID, Step: n})
	default:
		p = p.withStep(n, StepStatus{State: StepWaiting, Since: now.UTC()})
		out.note(p.Incident, fmt.Sprintf("%q, step %d: %s is asked to: %s.", p.Title, n+1, linksText(p.Asked()), step.Title),
			people(p.Asked())...)
		if t.CanObserve(step.Action) {
			out.set(Deadline{Kind: DeadlineObserve, Subject: stepSubject(p.ID, n), DueAt: now.Add(t.Policy.ObserveEvery)})
		}
	}
	return p, out
}

func (p Proposal) withStep(n int, s StepStatus) Proposal {
	p = p.clone()
	p.Steps[n] = s
	return p
}

// halt stops a run between two steps; a person chooses what becomes of it.
func halt(p Proposal, n int, why string, now time.Time) (Proposal, Outcome) {
	p = p.clone()
	p.State = Halted
	p.Steps[n].Problem = why
	out := p.stopClocks()
	out.note(p.Incident, fmt.Sprintf("%q is halted at step %d (%s): %s. A new decision is needed.", p.Title, n+1, p.Plan[n].Title, why),
		people(p.Asked())...)
	out.receipt(stepReceipt(p, n, receipts.KindStepOutcome, itself(), now, receipts.Object{"state": string(Halted), "why": clean(why)}))
	return p, out
}

func stepReceipt(p Proposal, n int, kind string, actor receipts.Actor, now time.Time, body receipts.Object) receipts.Draft {
	body["step"] = n
	body["title"] = clean(p.Plan[n].Title)
	body["action"] = actionDocument(p.Plan[n].Action)
	return p.draft(kind, actor, now, body)
}
