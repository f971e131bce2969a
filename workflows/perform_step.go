package workflows

import (
	"context"
	"errors"
	"fmt"

	"dw/diagnosis"
)

// Words for receipts: how a run came to be known.
const (
	howLaunched = "launched"
	howFound    = "found by its tag"
	howAgain    = "launched after its tag was not found"
)

var errLaunching = errors.New("this step is being launched by another worker of this process")

// performStep carries a step of dw's out: the intent is committed first, then
// the call is made, then its outcome is committed. A delivery that finds an
// intent without an outcome looks for the tag before it launches.
func (s *Service) performStep(ctx context.Context, r StepRef) error {
	if !s.claim(r) {
		return errLaunching
	}
	defer s.release(r)
	p, err := s.proposalNow(ctx, r.Proposal)
	if err != nil {
		return err
	}
	switch planLaunch(p, r.Step) {
	case launchFirst:
		return s.launch(ctx, r, 0, "nothing was called before", howLaunched)
	case launchSearch:
		return s.search(ctx, p, r)
	}
	return nil
}

func (s *Service) claim(r StepRef) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.launching[r] {
		return false
	}
	s.launching[r] = true
	return true
}

func (s *Service) release(r StepRef) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.launching, r)
}

func (s *Service) proposalNow(ctx context.Context, id string) (Proposal, error) {
	var p Proposal
	err := s.store.View(ctx, func(tx ReadTx) error {
		var err error
		p, err = tx.Proposal(ctx, id)
		return err
	})
	if err != nil {
		return Proposal{}, fmt.Errorf("read proposal %s: %w", id, err)
	}
	return p, nil
}

func (s *Service) actuator(a diagnosis.Action) (Actuator, error) {
	actuator, found := s.actuators[a.System]
	if !found {
		return nil, fmt.Errorf("no connector carries out %s on %s; add one to the configuration or mark the step done", a.Name, a.System)
	}
	return actuator, nil
}

// search looks for the run of an attempt whose process died before its outcome
// was written, and launches only where there is none.
func (s *Service) search(ctx context.Context, p Proposal, r StepRef) error {
	action := p.Plan[r.Step].Action
	actuator, err := s.actuator(action)
	if err != nil {
		return s.onStep(ctx, r, func(p Proposal, w *work) (Proposal, Outcome) { return failStep(p, r.Step, err.Error(), w.now) })
	}
	run, found, err := actuator.FindByTag(ctx, action, StepTag(r.Proposal, r.Step))
	if err != nil {
		return fmt.Errorf("look for an earlier run of step %d: %w", r.Step, err)
	}
	if found {
		return s.onStep(ctx, r, func(p Proposal, w *work) (Proposal, Outcome) {
			return launched(p, r.Step, run, howFound, s.terms(p.Domain), w.now)
		})
	}
	return s.launch(ctx, r, p.Steps[r.Step].Attempt, "an intent without outcome; no run has its tag", howAgain)
}

// launch commits the intent and, if the step still stands as it was read,
// makes the call.
func (s *Service) launch(ctx context.Context, r StepRef, attempt int, before, how string) error {
	intended := false
	err := s.onStep(ctx, r, func(p Proposal, w *work) (Proposal, Outcome) {
		intended = false
		if planLaunch(p, r.Step) == launchNothing || p.Steps[r.Step].Attempt != attempt {
			return p, Outcome{}
		}
		next, out := intend(p, r.Step, before, s.termsIn(w, p.Domain), w.now)
		intended = next.State == Executing && next.Steps[r.Step].Attempt > attempt
		return next, out
	})
	if err != nil || !intended {
		return err
	}
	p, err := s.proposalNow(ctx, r.Proposal)
	if err != nil {
		return err
	}
	return s.call(ctx, p, r, how)
}

func (s *Service) call(ctx context.Context, p Proposal, r StepRef, how string) error {
	action := p.Plan[r.Step].Action
	actuator, err := s.actuator(action)
	var run Run
	if err == nil {
		run, err = actuator.Launch(ctx, action, StepTag(r.Proposal, r.Step))
	}
	var doubt *UnclearError
	// The outcome is written even where ctx ended with the call.
	done := context.WithoutCancel(ctx)
	return s.onStep(done, r, func(p Proposal, w *work) (Proposal, Outcome) {
		switch {
		case p.Steps[r.Step].State != StepRunning || p.Steps[r.Step].RunID != "":
			return p, Outcome{}
		case err == nil && run.ID != "":
			return launched(p, r.Step, run, how, s.terms(p.Domain), w.now)
		case err == nil:
			return unclear(p, r.Step, "the answer named no run", s.terms(p.Domain), w.now)
		case errors.As(err, &doubt) || ctx.Err() != nil:
			return unclear(p, r.Step, err.Error(), s.terms(p.Domain), w.now)
		}
		return failStep(p, r.Step, "the run was not started: "+err.Error(), w.now)
	})
}

// onStep changes the proposal of a step in one transaction and carries on.
func (s *Service) onStep(ctx context.Context, r StepRef, change func(Proposal, *work) (Proposal, Outcome)) error {
	return s.write(ctx, func(w *work) error { return s.onStepIn(ctx, w, r, change) })
}

func (s *Service) onStepIn(ctx context.Context, w *work, r StepRef, change func(Proposal, *work) (Proposal, Outcome)) error {
	p, err := w.proposal(ctx, r.Proposal)
	if err != nil {
		return err
	}
	if r.Step < 0 || r.Step >= len(p.Steps) {
		return fmt.Errorf("proposal %s has no step %d", r.Proposal, r.Step)
	}
	before := p.Steps[r.Step]
	next, out := change(p, w)
	if next.Steps[r.Step] == before && next.State == p.State {
		w.out.merge(out) // only deadlines moved
		return nil
	}
	w.setProposal(next, out)
	return s.carryOn(ctx, w, p.ID)
}
