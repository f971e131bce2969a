package workflows

import (
	"fmt"
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

// StepTag is the tag that dw puts on the external run of a step, by which it
// finds the run again.
func StepTag(proposal string, step int) string {
	return fmt.Sprintf("dw/%s/%d", proposal, step)
}

// markDone records that a named person carried a step (or its undo) out.
func markDone(p Proposal, r DoneRequest, t Terms, now time.Time) (Proposal, Outcome, *Refusal) {
	if refusal := refuseDone(p, r, now); refusal != nil {
		var out Outcome
		out.receipt(p.draft(receipts.KindDecisionRefused, human(r.By), now, receipts.Object{
			"action": "mark_done", "step": r.Step, "undo": r.Undo, "code": string(refusal.Code), "why": clean(refusal.Text),
			"arrived_at": r.At, "envelope_id": clean(r.EnvelopeID),
		}))
		if refusal.Code == RefusedNotSeen {
			p = p.doubt(r)
		}
		return p, out, refusal
	}
	link, _ := p.link(r.By)
	if r.Undo {
		p, out := undone(p, r.Step, link.Person, "", now)
		return p, out, nil
	}
	observed := ""
	if r.Seen != nil && !r.Seen.Done {
		observed = "against what dw reads: " + r.Seen.Text
	}
	p, out := ownerDone(p, r.Step, link.Person, observed, now)
	if s := p.Steps[r.Step]; observed != "" {
		s.Observed, s.Problem = "", "marked done "+observed
		p = p.withStep(r.Step, s) // still looked for
	}
	if t.CanObserve(p.Plan[r.Step].Action) {
		// What a person says is done is still read, so that the card can show it.
		out.set(Deadline{Kind: DeadlineObserve, Subject: stepSubject(p.ID, r.Step), DueAt: now})
	}
	return p, out, nil
}

func refuseDone(p Proposal, r DoneRequest, now time.Time) *Refusal {
	_, named := p.link(r.By)
	switch {
	case r.NotAllowed != "":
		return refuse(RefusedNotAllowed, "You cannot mark this done: %s. %s can.", r.NotAllowed, linksText(p.Chain))
	case isProposer(p.Proposer, r.By):
		return refuse(RefusedProposer, "You asked for this change, so somebody else marks it done: %s.", linksText(p.Chain))
	case !named:
		return refuse(RefusedNotInChain, "You are not one of the people named for this. %s can mark it done.", linksText(p.Chain))
	case r.Step < 0 || r.Step >= len(p.Plan):
		return refuse(RefusedStep, "This request has no step %d.", r.Step+1)
	}
	if refusal := r.Standing.refusal(p, r.By); refusal != nil {
		return refusal
	}
	if refusal := hashRefusal(p, r.HashPrefix); refusal != nil {
		return refusal
	}
	if refusal := messageRefusal(p.Message, r.Message); refusal != nil {
		return refusal
	}
	if r.Undo {
		return refuseUndo(p, r.Step, now)
	}
	if refusal := refuseStepDone(p, r.Step, now); refusal != nil {
		return refusal
	}
	return refuseUnseen(p, r)
}

// refuseUnseen holds against a click what dw reads itself: nothing starts on a
// step that is not there. The same person may insist by a second click.
func refuseUnseen(p Proposal, r DoneRequest) *Refusal {
	if r.Seen == nil || r.Seen.Done || p.Steps[r.Step].Doubted.Same(r.By) {
		return nil
	}
	return refuse(RefusedNotSeen, "Not recorded, for dw reads: %s. If it is done all the same, click Mark done once more; that is recorded as against what dw reads.", r.Seen.Text)
}

// doubt keeps who marked a step done that dw does not see, for the card.
func (p Proposal) doubt(r DoneRequest) Proposal {
	s := p.Steps[r.Step]
	s.Doubted, s.Problem = r.By, "marked done by "+r.By.shown()+", but dw reads: "+r.Seen.Text
	return p.withStep(r.Step, s)
}

func refuseStepDone(p Proposal, n int, now time.Time) *Refusal {
	s := p.Steps[n]
	switch s.State {
	case StepDone, StepUndone:
		return refuse(RefusedAlready, "Step %d was already recorded as done at %s.", n+1, clockText(s.Since, now))
	case StepRunning:
		if s.Problem != "" && p.Plan[n].Kind != diagnosis.Verify && p.State == Executing {
			return nil // dw asked a person to look
		}
		return refuse(RefusedStep, "dw carries step %d out itself.", n+1)
	case StepWaiting:
		if p.State == Executing {
			return nil
		}
	}
	return refuse(RefusedStep, "Step %d is not open: the request is %s and the step is %s.", n+1, p.State, s.State)
}

// ownerDone records a step that a person carried out: by is who said so, or
// nobody where dw observed it, with what it read.
func ownerDone(p Proposal, n int, by Person, observed string, now time.Time) (Proposal, Outcome) {
	old := p.Steps[n]
	p = p.withStep(n, StepStatus{
		State: StepDone, Since: now.UTC(), By: by, Observed: observed, RunID: old.RunID, RunURL: old.RunURL, Attempt: old.Attempt,
	})
	var out Outcome
	out.drop(DeadlineObserve, stepSubject(p.ID, n))
	out.drop(DeadlinePoll, stepSubject(p.ID, n))
	out.receipt(stepReceipt(p, n, receipts.KindStepOwnerDone, actorOf(by), now, receipts.Object{
		"undo": false, "observed": clean(observed),
	}))
	out.note(p.Incident, fmt.Sprintf("%q, step %d done: %s (%s).", p.Title, n+1, p.Plan[n].Title, doneBy(by, observed)))
	return p, out
}

func actorOf(by Person) receipts.Actor {
	if by.User == "" {
		return itself()
	}
	return human(by)
}

func doneBy(by Person, observed string) string {
	if by.User == "" {
		return "seen by dw: " + observed
	}
	return "marked by " + by.shown()
}

// confirm adds what dw read to a step that a person marked done; where it does
// not see it, it says so in the thread, once.
func confirm(p Proposal, n int, o Observation) (Proposal, Outcome) {
	var out Outcome
	s := p.Steps[n]
	told := s.Problem != ""
	s.Observed, s.Problem = o.Text, ""
	if !o.Done {
		s.Problem = "marked done, but dw reads: " + o.Text
		if !told {
			out.note(p.Incident, fmt.Sprintf("%q, step %d was marked done, but dw reads: %s.", p.Title, n+1, o.Text), people(p.Asked())...)
		}
	}
	return p.withStep(n, s), out
}

// refuseUndo allows an undo to be marked where the step was done and the
// proposal has ended.
func refuseUndo(p Proposal, n int, now time.Time) *Refusal {
	s := p.Steps[n]
	switch {
	case s.State == StepUndone:
		return refuse(RefusedAlready, "The undo of step %d was already recorded at %s.", n+1, clockText(s.Since, now))
	case p.rollsBack(n):
		return nil
	case p.rolling():
		return refuse(RefusedStep, "The roll back is not at step %d: the last step is taken back first.", n+1)
	case p.Plan[n].UndoAction == nil:
		return refuse(RefusedStep, "Step %d has no undo.", n+1)
	case s.State != StepDone:
		return refuse(RefusedStep, "Step %d is %s; there is nothing to undo.", n+1, s.State)
	case p.State == Verified || p.State == Failed || p.State == Halted:
		return nil
	}
	return refuse(RefusedStep, "The undo waits until the numbers are verified; the request is %s.", p.State)
}

// undone records that the undo of a step was carried out. It needs no new
// decision: the undo was part of what was approved.
func undone(p Proposal, n int, by Person, observed string, now time.Time) (Proposal, Outcome) {
	p = p.clone()
	p.Steps[n].State, p.Steps[n].Since, p.UndoneAt = StepUndone, now.UTC(), now.UTC()
	if observed != "" {
		p.Steps[n].Observed = observed
	}
	var out Outcome
	out.drop(DeadlineObserve, stepSubject(p.ID, n))
	out.drop(DeadlinePoll, undoSubject(p.ID, n))
	body := receipts.Object{"undo": true, "observed": clean(observed)}
	if a := p.Plan[n].UndoAction; a != nil {
		body["undo_action"] = actionDocument(*a)
	}
	out.receipt(stepReceipt(p, n, receipts.KindStepOwnerDone, actorOf(by), now, body))
	if _, left := p.undoNext(); p.State == Halted && !left && !p.rolling() {
		p.State = RolledBack // every undo is recorded, though nobody chose it
	}
	out.note(p.Incident, fmt.Sprintf("%q, step %d undone: %s (%s).", p.Title, n+1, p.Plan[n].Undo, doneBy(by, observed)))
	return p, out
}

// rolling reports whether a roll back is under way.
func (p Proposal) rolling() bool {
	c, choosing := p.choice()
	return choosing && c.What == RollBack
}
