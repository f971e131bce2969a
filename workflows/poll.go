package workflows

import (
	"context"
	"errors"
	"slices"
)

// firePoll reads a run that dw started, or looks for it by its tag where the
// outcome of the launch is not known.
func (s *Service) firePoll(ctx context.Context, d Deadline) error {
	r, p, err := s.stepOf(ctx, d)
	if err != nil {
		return err
	}
	if r.Undo {
		return s.firePollUndo(ctx, d, r, p)
	}
	if p.State != Executing || p.Steps[r.Step].State != StepRunning {
		return s.take(ctx, d, func(*work) error { return nil })
	}
	action := p.Plan[r.Step].Action
	actuator, err := s.actuator(action)
	if err != nil {
		return s.poll(ctx, d, r, func(p Proposal, w *work) (Proposal, Outcome) { return failStep(p, r.Step, err.Error(), w.now) })
	}
	if p.Steps[r.Step].RunID == "" {
		run, found, err := actuator.FindByTag(ctx, action, StepTag(r.Proposal, r.Step))
		return s.poll(ctx, d, r, func(p Proposal, w *work) (Proposal, Outcome) { return s.looked(p, r.Step, run, found, err, w) })
	}
	run, err := actuator.State(ctx, action, p.Steps[r.Step].RunID)
	return s.poll(ctx, d, r, func(p Proposal, w *work) (Proposal, Outcome) {
		if err != nil {
			return pollAgain(p, r.Step, "its state could not be read: "+err.Error(), s.terms(p.Domain), w.now)
		}
		return polled(p, r.Step, run, s.terms(p.Domain), w.now)
	})
}

// looked records what a look for the tag brought. Before the outcome is known
// to be unclear, the launch may still be under way: then dw only looks again.
func (s *Service) looked(p Proposal, n int, run Run, found bool, err error, w *work) (Proposal, Outcome) {
	t := s.terms(p.Domain)
	switch {
	case err == nil && found:
		return launched(p, n, run, howFound, t, w.now)
	case !p.Steps[n].Unclear:
		return pollAgain(p, n, "no run has its tag", t, w.now)
	case err != nil:
		return notFound(p, n, "it could not be asked: "+err.Error(), t, w.now)
	}
	return notFound(p, n, "there is none", t, w.now)
}

func (s *Service) poll(ctx context.Context, d Deadline, r StepRef, change func(Proposal, *work) (Proposal, Outcome)) error {
	return s.take(ctx, d, func(w *work) error {
		return s.onStepIn(ctx, w, r, func(p Proposal, w *work) (Proposal, Outcome) {
			if p.State != Executing || p.Steps[r.Step].State != StepRunning {
				return p, Outcome{}
			}
			return change(p, w)
		})
	})
}

// stepOf reads the proposal that a step's deadline names.
func (s *Service) stepOf(ctx context.Context, d Deadline) (StepRef, Proposal, error) {
	r, err := parseStepSubject(d.Subject)
	if err != nil {
		return StepRef{}, Proposal{}, err
	}
	p, err := s.proposalNow(ctx, r.Proposal)
	if err != nil {
		return StepRef{}, Proposal{}, err
	}
	if r.Step >= len(p.Steps) {
		return StepRef{}, Proposal{}, errors.New("the proposal has no such step")
	}
	return r, p, nil
}

// fireObserve reads whether an owner's step, or its undo, has taken effect.
func (s *Service) fireObserve(ctx context.Context, d Deadline) error {
	r, p, err := s.stepOf(ctx, d)
	if err != nil {
		return err
	}
	step := p.Plan[r.Step]
	undo := watchesUndo(p, r.Step)
	if undo {
		step.Action = *step.UndoAction
	}
	observer, known := s.observer(step.Action)
	if !known || (!undo && !watchesStep(p, r.Step)) {
		return s.take(ctx, d, func(*work) error { return nil })
	}
	seen, err := observer.Observe(ctx, step)
	return s.take(ctx, d, func(w *work) error {
		if err == nil {
			return s.onStepIn(ctx, w, r, func(p Proposal, w *work) (Proposal, Outcome) {
				return s.seen(p, r.Step, undo, seen, w)
			})
		}
		s.log.WarnContext(ctx, "observe step", "proposal", r.Proposal, "step", r.Step, "error", err)
		w.out.set(s.observeLater(p, r.Step, w))
		return nil
	})
}

func (s *Service) seen(p Proposal, n int, undo bool, o Observation, w *work) (Proposal, Outcome) {
	switch {
	case undo && watchesUndo(p, n) && o.Done:
		return undone(p, n, Person{}, o.Text, w.now)
	case !undo && watchesStep(p, n) && p.Steps[n].State == StepDone:
		p, out := confirm(p, n, o)
		if !o.Done {
			out.set(s.observeLater(p, n, w))
		}
		return p, out
	case !undo && watchesStep(p, n) && o.Done:
		return ownerDone(p, n, Person{}, o.Text, w.now)
	case watchesUndo(p, n) || watchesStep(p, n):
		var out Outcome
		out.set(s.observeLater(p, n, w))
		return p, out
	}
	return p, Outcome{}
}

func (s *Service) observeLater(p Proposal, n int, w *work) Deadline {
	return Deadline{Kind: DeadlineObserve, Subject: stepSubject(p.ID, n), DueAt: w.now.Add(s.policy(p.Domain).ObserveEvery)}
}

// watchesStep: the owner has it in hand, or said it is done and dw has not seen
// it yet.
func watchesStep(p Proposal, n int) bool {
	st := p.Steps[n]
	said := st.State == StepDone && st.By.User != "" && (st.Observed == "" || st.Problem != "")
	return p.State == Executing && (st.State == StepWaiting || said)
}

// watchesUndo: the step's undo waits for the owner.
func watchesUndo(p Proposal, n int) bool {
	if _, choosing := p.choice(); choosing {
		return p.rollsBack(n) && p.undoStatus(n).State == StepWaiting && p.Plan[n].UndoAction != nil
	}
	return slices.Contains(p.OpenUndo(), n)
}
