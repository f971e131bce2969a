package workflows

import (
	"fmt"
	"slices"
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

// undoNext returns the step whose undo is next in a roll back, the last one that
// is done; false where nothing is left to undo.
func (p Proposal) undoNext() (int, bool) {
	for n := range slices.Backward(p.Steps) {
		if p.undoable(n) {
			return n, true
		}
	}
	return 0, false
}

// rollsBack reports whether step n is the one that a roll back is at.
func (p Proposal) rollsBack(n int) bool {
	c, choosing := p.choice()
	next, open := p.undoNext()
	return choosing && c.What == RollBack && open && next == n
}

// undoTag is the tag of the run that takes a step back; another choice has
// another one.
func (p Proposal) undoTag(n int) string {
	return fmt.Sprintf("%s/undo/%d", StepTag(p.ID, n), len(p.Choices))
}

func (p Proposal) undoStatus(n int) StepStatus {
	if u := p.Steps[n].Undo; u != nil {
		return *u
	}
	return StepStatus{State: StepPending}
}

func (p Proposal) withUndo(n int, u StepStatus) Proposal {
	s := p.Steps[n]
	s.Undo = &u
	return p.withStep(n, s)
}

// advanceUndo begins the next undo of a roll back, or ends it: the owner is asked,
// or dw's own call is queued.
func advanceUndo(p Proposal, t Terms, now time.Time) (Proposal, Outcome) {
	var out Outcome
	c, choosing := p.choice()
	if !choosing || c.What != RollBack {
		return p, out
	}
	n, open := p.undoNext()
	switch {
	case !open:
		return rolledBack(p, now)
	case !now.Before(c.Before):
		return endRollBack(p, n, "its undo was not started before "+clockText(c.Before, now), now)
	case t.Stopped || p.undoStatus(n).begun(c, len(p.Choices)):
		return p, out
	case p.callsItself(n) && p.Plan[n].UndoAction != nil:
		out.effect(EffectStep, fmt.Sprintf("%s/%d", undoSubject(p.ID, n), len(p.Choices)), StepRef{Proposal: p.ID, Step: n, Undo: true})
		out.set(Deadline{Kind: DeadlineFacts, Subject: undoSubject(p.ID, n), DueAt: c.Before}) // however the effect fares
		return p, out
	}
	u := p.undoStatus(n)
	u.State, u.Since, u.Choice = StepWaiting, now.UTC(), len(p.Choices)
	p = p.withUndo(n, u)
	out.note(p.Incident, fmt.Sprintf("%q, step %d: %s is asked to take it back: %s.", p.Title, n+1, linksText(p.Asked()), p.Plan[n].Undo), people(p.Asked())...)
	if a := p.Plan[n].UndoAction; a != nil && t.CanObserve(*a) {
		out.set(Deadline{Kind: DeadlineObserve, Subject: stepSubject(p.ID, n), DueAt: now.Add(t.Policy.ObserveEvery)})
	}
	return p, out
}

// begun reports whether the undo has begun under this choice, the one of that number.
// A clock that was set back tells nothing: times are compared only for what was
// written before numbers were.
func (s StepStatus) begun(c Choice, number int) bool {
	this := s.Choice == number || s.Choice == 0 && !s.Since.Before(c.At)
	return (s.State == StepWaiting || s.State == StepRunning) && this
}

// rolledBack ends a roll back: nothing that can be undone is done any more.
func rolledBack(p Proposal, now time.Time) (Proposal, Outcome) {
	p.State = RolledBack
	if len(p.Choices) > 0 && p.Choices[len(p.Choices)-1].EndedAt.IsZero() {
		p = p.endChoice("rolled back", now)
	}
	out := p.stopClocks()
	out.note(p.Incident, fmt.Sprintf("%q is rolled back.", p.Title))
	return p, out
}

// endRollBack leaves a roll back at step n: a person chooses again.
func endRollBack(p Proposal, n int, why string, now time.Time) (Proposal, Outcome) {
	u := p.undoStatus(n)
	u.State, u.Since, u.Problem = StepFailed, now.UTC(), why
	p = p.withUndo(n, u).endChoice("stopped: "+why, now)
	var out Outcome
	out.drop(DeadlinePoll, undoSubject(p.ID, n))
	out.drop(DeadlineFacts, undoSubject(p.ID, n))
	out.receipt(undoReceipt(p, n, receipts.KindStepOutcome, now, receipts.Object{"state": string(StepFailed), "why": clean(why), "attempt": u.Attempt}))
	out.note(p.Incident, fmt.Sprintf("The roll back of %q stopped at step %d (%s): %s. Choose again what becomes of it.",
		p.Title, n+1, p.Plan[n].Title, why), people(p.Asked())...)
	return p, out
}

func undoReceipt(p Proposal, n int, kind string, now time.Time, body receipts.Object) receipts.Draft {
	body["undo"] = true
	if a := p.Plan[n].UndoAction; a != nil {
		body["undo_action"] = actionDocument(*a)
	}
	return stepReceipt(p, n, kind, itself(), now, body)
}

// planUndo decides what a delivered effect does for the roll back of step n.
func planUndo(p Proposal, n int) launchPlan {
	if n < 0 || n >= len(p.Plan) || !p.rollsBack(n) || !p.callsItself(n) || p.Plan[n].UndoAction == nil {
		return launchNothing
	}
	c, _ := p.choice()
	switch u := p.undoStatus(n); {
	case !u.begun(c, len(p.Choices)):
		return launchFirst
	case u.State == StepRunning && u.RunID == "" && !u.Unclear:
		return launchSearch
	}
	return launchNothing
}

// judgeUndo compares what was read before an undo of dw's own with what the steps
// are declared to have made of the target.
func judgeUndo(p Proposal, all []Proposal, n int, seen lookout, now time.Time) judged {
	if n >= len(p.Snapshot) || p.Snapshot[n].Mute {
		return judged{}
	}
	if seen.err != nil {
		return judged{verdict: isUnread, why: seen.err.Error()}
	}
	want := []expectation{{step: n, facts: applied(p.Snapshot[n], effectsSince(all, p.Snapshot[n]))}}
	got := []expectation{{step: n, facts: onlyNamed(seen.facts[n], want[0].facts)}}
	j := judged{read: readDocument(p, got, seen.at, preconditionHash(want))}
	if diffs := differences(p, want, got); len(diffs) > 0 {
		j.verdict, j.why = isStale, fmt.Sprintf("the facts are not those that its steps made (read at %s): %s", clockText(seen.at, now), joinAnd(diffs))
	}
	return j
}

// inPlace reports whether what an undo would bring about is read already.
func (r Reading) inPlace(facts []Fact) bool {
	return holds(Reading{Facts: facts, Effect: r.UndoEffect})
}

// intendUndo records, before the call, that dw is about to take step n back.
func intendUndo(p Proposal, n int, found string, j judged, t Terms, now time.Time) (Proposal, Outcome) {
	c, _ := p.choice()
	old := p.undoStatus(n)
	u := StepStatus{State: StepRunning, Since: now.UTC(), Attempt: old.Attempt + 1, Choice: len(p.Choices)}
	if old.begun(c, len(p.Choices)) {
		u.Since = old.Since
	}
	p = p.withUndo(n, u)
	var out Outcome
	body := receipts.Object{"attempt": u.Attempt, "tag": p.undoTag(n), "before": found, "hash": p.Hash, "chosen_by": c.by()}
	if j.read != nil {
		body["read"] = j.read
	}
	out.receipt(undoReceipt(p, n, receipts.KindStepIntent, now, body))
	out.drop(DeadlineFacts, undoSubject(p.ID, n))
	out.set(Deadline{Kind: DeadlinePoll, Subject: undoSubject(p.ID, n), DueAt: now.Add(t.Policy.PollEvery)})
	return p, out
}

// undoRan records what is known of the run that takes step n back.
func undoRan(p Proposal, n int, r Run, how string, t Terms, now time.Time) (Proposal, Outcome) {
	u := p.undoStatus(n)
	var out Outcome
	switch {
	case r.Done && r.OK:
		out.drop(DeadlinePoll, undoSubject(p.ID, n))
		out.receipt(undoReceipt(p, n, receipts.KindStepOutcome, now, receipts.Object{
			"state": string(StepUndone), "how": how, "run_id": clean(r.ID), "vendor_state": clean(r.State), "attempt": u.Attempt, "tag": p.undoTag(n),
		}))
		u.State, u.RunID, u.RunURL, u.Problem, u.Unclear = StepDone, r.ID, r.URL, "", false
		p, more := takenBack(p.withUndo(n, u), n, "read: "+r.State, now)
		out.merge(more)
		return p, out
	case r.Done:
		return endRollBack(p, n, fmt.Sprintf("run %s ended as %s", r.ID, r.State), now)
	case t.Policy.RunTimeout > 0 && now.Sub(u.Since) > t.Policy.RunTimeout:
		return endRollBack(p, n, fmt.Sprintf("%s is not done after %s (%s); it may still be running", runText(u), t.Policy.RunTimeout, r.State), now)
	}
	out.set(Deadline{Kind: DeadlinePoll, Subject: undoSubject(p.ID, n), DueAt: now.Add(t.Policy.PollEvery)})
	if u.RunID != r.ID {
		u.RunID, u.RunURL, u.Unclear, u.Problem = r.ID, r.URL, false, ""
		p = p.withUndo(n, u)
		out.receipt(undoReceipt(p, n, receipts.KindStepOutcome, now, receipts.Object{
			"state": "queued", "how": how, "run_id": clean(r.ID), "vendor_state": clean(r.State), "attempt": u.Attempt, "tag": p.undoTag(n),
		}))
	}
	return p, out
}

// takenBack marks step n as undone; by whom its receipt says.
func takenBack(p Proposal, n int, observed string, now time.Time) (Proposal, Outcome) {
	s := p.Steps[n]
	s.State, s.Since, s.Observed = StepUndone, now.UTC(), observed
	p = p.withStep(n, s)
	p.UndoneAt = now.UTC()
	var out Outcome
	out.note(p.Incident, fmt.Sprintf("%q, step %d is taken back: %s (%s).", p.Title, n+1, p.Plan[n].Undo, observed))
	return p, out
}

// undoUnclear records that an undo may or may not have had its effect: dw only
// looks from here on, and asks a person in the end.
func undoUnclear(p Proposal, n int, why string, t Terms, now time.Time) (Proposal, Outcome) {
	u := p.undoStatus(n)
	var out Outcome
	if !u.Unclear {
		u.Unclear, u.Looked = true, 0
		out.receipt(undoReceipt(p, n, receipts.KindStepOutcome, now, receipts.Object{
			"state": "unclear", "why": clean(why), "attempt": u.Attempt, "tag": p.undoTag(n),
		}))
	} else if u.Looked++; u.Looked >= maxLooks {
		return endRollBack(p, n, fmt.Sprintf("whether its undo was started is unclear (%s); please look in %s", why, p.Plan[n].Action.System), now)
	}
	out.set(Deadline{Kind: DeadlinePoll, Subject: undoSubject(p.ID, n), DueAt: now.Add(t.Policy.PollEvery)})
	return p.withUndo(n, u), out
}

// rest is what is left of a halted plan.
func (p Proposal) rest() diagnosis.PlannedProposal {
	n, _ := p.Current()
	return diagnosis.PlannedProposal{Key: p.Key + "/rest", Title: p.Title + " (the rest)", Steps: p.Plan[n:]}
}
