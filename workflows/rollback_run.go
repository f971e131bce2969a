package workflows

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// performUndo takes a step of dw's own back, as performStep carries one out: read,
// intent, call, outcome.
func (s *Service) performUndo(ctx context.Context, r StepRef) error {
	if !s.claim(r) {
		return errLaunching
	}
	defer s.release(r)
	p, err := s.proposalNow(ctx, r.Proposal)
	if err != nil {
		return err
	}
	switch planUndo(p, r.Step) {
	case launchFirst:
		return s.undo(ctx, p, r, "nothing was called before", howLaunched)
	case launchSearch:
		return s.searchUndo(ctx, p, r)
	}
	return nil
}

func (s *Service) searchUndo(ctx context.Context, p Proposal, r StepRef) error {
	action := *p.Plan[r.Step].UndoAction
	actuator, err := s.actuator(action)
	if err != nil {
		return err
	}
	run, found, err := actuator.FindByTag(ctx, action, p.undoTag(r.Step))
	if err != nil {
		return fmt.Errorf("look for an earlier undo of step %d: %w", r.Step, err)
	}
	if found {
		return s.onStep(ctx, r, func(p Proposal, w *work) (Proposal, Outcome) {
			if planUndo(p, r.Step) != launchSearch {
				return p, Outcome{}
			}
			return undoRan(p, r.Step, run, howFound, s.terms(p.Domain), w.now)
		})
	}
	return s.undo(ctx, p, r, "an intent without outcome; no run has its tag", howAgain)
}

// undo reads the target, commits the intent where the facts are those that the
// steps made, and makes the call.
func (s *Service) undo(ctx context.Context, p Proposal, r StepRef, before, how string) error {
	seen := s.lookUndo(ctx, p, r.Step)
	attempt, tag := p.undoStatus(r.Step).Attempt, p.undoTag(r.Step)
	intended := false
	err := s.write(ctx, func(w *work) error {
		intended = false
		p, err := w.proposal(ctx, r.Proposal)
		if err != nil || planUndo(p, r.Step) == launchNothing || p.undoStatus(r.Step).Attempt != attempt {
			return err
		}
		all, err := w.proposalsOf(ctx, p.Incident)
		if err != nil {
			return err
		}
		next, out := beginUndo(p, r.Step, before, seen, judgeUndo(p, all, r.Step, seen, w.now), s.termsIn(w, p.Domain), w.now)
		intended = next.undoStatus(r.Step).Attempt > attempt
		return s.onStepIn(ctx, w, r, func(Proposal, *work) (Proposal, Outcome) { return next, out })
	})
	if err != nil || !intended {
		return err
	}
	return s.callUndo(ctx, p, r, tag, how)
}

func beginUndo(p Proposal, n int, before string, seen lookout, j judged, t Terms, now time.Time) (Proposal, Outcome) {
	c, _ := p.choice()
	switch {
	case t.Stopped:
		return p, Outcome{} // queued again when the stop is lifted
	case !now.Before(c.Before):
		return endRollBack(p, n, "its undo was not started before "+clockText(c.Before, now), now)
	case j.verdict == isStale && p.Snapshot[n].inPlace(seen.facts[n]):
		u := p.undoStatus(n)
		u.State, u.Since = StepDone, now.UTC()
		return undone(p.withUndo(n, u), n, Person{}, "it is so already, read from "+p.Snapshot[n].System, now)
	case j.verdict == isStale:
		return endRollBack(p, n, j.why, now)
	case j.verdict == isUnread:
		return undoUnread(p, n, j.why, t, now)
	}
	return intendUndo(p, n, before, j, t, now)
}

func undoUnread(p Proposal, n int, why string, t Terms, now time.Time) (Proposal, Outcome) {
	var out Outcome
	out.set(Deadline{Kind: DeadlineFacts, Subject: undoSubject(p.ID, n), DueAt: now.Add(t.Policy.retryEvery())})
	u := p.undoStatus(n)
	if u.Problem != "" {
		return p, out
	}
	u.Problem = "not started: " + why
	out.note(p.Incident, fmt.Sprintf("%q, step %d is not taken back yet: %s. dw looks again.", p.Title, n+1, why), people(p.Asked())...)
	return p.withUndo(n, u), out
}

// lookUndo reads the target of step n before it is taken back.
func (s *Service) lookUndo(ctx context.Context, p Proposal, n int) lookout {
	out := lookout{at: s.now().UTC(), facts: map[int][]Fact{}}
	if n >= len(p.Snapshot) || p.Snapshot[n].Mute {
		return out
	}
	step := p.Plan[n]
	reader, found := s.factReader(step.Action)
	if !found {
		out.err = fmt.Errorf("no connector reads %s any more", p.Snapshot[n].name())
		return out
	}
	if out.facts[n], out.err = s.readFacts(ctx, reader, step); out.err != nil {
		out.err = fmt.Errorf("%s could not be read: %w", p.Snapshot[n].name(), out.err)
	}
	return out
}

func (s *Service) callUndo(ctx context.Context, p Proposal, r StepRef, tag, how string) error {
	action := *p.Plan[r.Step].UndoAction
	actuator, err := s.actuator(action)
	var run Run
	if err == nil {
		run, err = actuator.Launch(ctx, action, tag)
	}
	done := context.WithoutCancel(ctx) // the outcome is written even where ctx ended
	return s.onStep(done, r, func(p Proposal, w *work) (Proposal, Outcome) {
		if u := p.undoStatus(r.Step); !p.rollsBack(r.Step) || u.State != StepRunning || u.RunID != "" {
			return p, Outcome{}
		}
		t := s.terms(p.Domain)
		_, doubt := errors.AsType[*UnclearError](err)
		switch {
		case err == nil && run.ID != "":
			return undoRan(p, r.Step, run, how, t, w.now)
		case err == nil:
			return undoUnclear(p, r.Step, "the answer named no run", t, w.now)
		case doubt || ctx.Err() != nil:
			return undoUnclear(p, r.Step, err.Error(), t, w.now)
		}
		return endRollBack(p, r.Step, "its undo was not started: "+err.Error(), w.now)
	})
}

// firePollUndo reads the run that takes a step back, or looks for it by its tag.
func (s *Service) firePollUndo(ctx context.Context, d Deadline, r StepRef, p Proposal) error {
	if u := p.undoStatus(r.Step); !p.rollsBack(r.Step) || u.State != StepRunning {
		return s.take(ctx, d, func(*work) error { return nil })
	}
	action, id := *p.Plan[r.Step].UndoAction, p.undoStatus(r.Step).RunID
	var run Run
	found := true
	actuator, err := s.actuator(action)
	switch {
	case err != nil:
	case id == "":
		run, found, err = actuator.FindByTag(ctx, action, p.undoTag(r.Step))
	default:
		run, err = actuator.State(ctx, action, id)
	}
	return s.take(ctx, d, func(w *work) error {
		return s.onStepIn(ctx, w, r, func(p Proposal, w *work) (Proposal, Outcome) {
			u, t := p.undoStatus(r.Step), s.terms(p.Domain)
			switch {
			case !p.rollsBack(r.Step) || u.State != StepRunning:
				return p, Outcome{}
			case err == nil && found:
				return undoRan(p, r.Step, run, howFound, t, w.now)
			case u.RunID == "" && u.Unclear:
				return undoUnclear(p, r.Step, lookedText(err), t, w.now)
			}
			return undoRan(p, r.Step, Run{ID: u.RunID, URL: u.RunURL, State: lookedText(err)}, howFound, t, w.now)
		})
	})
}

func lookedText(err error) string {
	if err != nil {
		return "it could not be asked: " + err.Error()
	}
	return "no run has its tag"
}

// fireRenew asks anew for what is left of a halted run, on the facts as they are.
func (s *Service) fireRenew(ctx context.Context, d Deadline) error {
	old, err := s.proposalNow(ctx, d.Subject)
	if err != nil {
		return err
	}
	if c, choosing := old.choice(); !choosing || c.What != Renew {
		return s.take(ctx, d, func(*work) error { return nil })
	}
	draft := draftPlan{PlannedProposal: old.rest()}
	draft.snapshot = s.snapshot(ctx, draft.Steps)
	policy := s.onCall(ctx, s.policy(old.Domain))
	return s.take(ctx, d, func(w *work) error { return s.renew(ctx, w, old.ID, draft, policy) })
}

func (s *Service) renew(ctx context.Context, w *work, id string, draft draftPlan, policy Policy) error {
	old, err := w.proposal(ctx, id)
	if err != nil {
		return err
	}
	if c, choosing := old.choice(); !choosing || c.What != Renew {
		return nil
	}
	i, err := w.incident(ctx, old.Incident)
	if err != nil {
		return err
	}
	if w.delegations, err = w.standIns(ctx, policy.Domain); err != nil {
		return err
	}
	p, out, err := s.renewed(i, draft, policy, w)
	if err != nil {
		tellUnproposable(w, i, policy, []unproposed{{draft.Title, err}})
		w.setProposal(old.endChoice("not asked: "+clean(err.Error()), w.now), Outcome{})
		return nil
	}
	old = old.endChoice("asked anew as "+p.ID, w.now)
	old.ReplacedBy = p.ID
	w.setProposal(old, old.stopClocks())
	w.setProposal(p, out)
	i = i.clone()
	i.Proposals = append(i.Proposals, p.ID)
	var asked Outcome
	asked.note(i.ID, askText([]Proposal{p}, w.now), people(p.Asked())...)
	w.setIncident(i, asked)
	return s.endBlocked(ctx, w, i.ID)
}

var errNotAsked = errors.New("dw does not ask for it")

func (s *Service) renewed(i Incident, draft draftPlan, policy Policy, w *work) (Proposal, Outcome, error) {
	if i.State == Resolved {
		return Proposal{}, Outcome{}, fmt.Errorf("%w: the incident is resolved", errNotAsked)
	}
	if r := policy.may(DeedPropose); r.Permission != Ask {
		return Proposal{}, Outcome{}, fmt.Errorf("%w: %s", errNotAsked, r.Why)
	}
	return NewProposal(ProposalDraft{
		ID: s.newID("prop"), Nonce: s.newNonce(), Incident: i, Planned: draft.PlannedProposal, Snapshot: draft.snapshot, Policy: policy, Proposer: itself(), Authors: s.authors(i), Delegations: w.delegations,
	}, w.now)
}
