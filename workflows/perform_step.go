package workflows

import (
	"context"
	"errors"
	"fmt"
	"time"

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
	if r.Undo {
		return s.performUndo(ctx, r)
	}
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

// launch reads the targets, commits the intent where the step still stands and
// its facts are those that were approved, and makes the call.
func (s *Service) launch(ctx context.Context, r StepRef, attempt int, before, how string) error {
	p, err := s.proposalNow(ctx, r.Proposal)
	if err != nil {
		return err
	}
	seen := s.lookBefore(ctx, p, r.Step)
	intended := false
	err = s.write(ctx, func(w *work) error {
		intended = false
		was, err := w.proposal(ctx, r.Proposal)
		if err != nil {
			return err
		}
		next, out, err := s.begin(ctx, w, r, attempt, before, seen)
		if err != nil {
			return err
		}
		// Only who counted the attempt makes its call: another process may have begun.
		intended = next.State == Executing && next.Steps[r.Step].Attempt > was.Steps[r.Step].Attempt
		return s.onStepIn(ctx, w, r, func(Proposal, *work) (Proposal, Outcome) { return next, out })
	})
	if err != nil || !intended {
		return err
	}
	if p, err = s.proposalNow(ctx, r.Proposal); err != nil {
		return err
	}
	return s.call(ctx, p, r, how)
}

// begin is the transaction in which a step of dw's own begins: the approval is
// taken into execution if this is its first step, and the facts are compared.
func (s *Service) begin(ctx context.Context, w *work, r StepRef, attempt int, before string, seen lookout) (Proposal, Outcome, error) {
	p, err := w.proposal(ctx, r.Proposal)
	if err != nil || planLaunch(p, r.Step) == launchNothing || p.Steps[r.Step].Attempt != attempt {
		return p, Outcome{}, err
	}
	all, err := w.proposalsOf(ctx, p.Incident)
	if err != nil {
		return p, Outcome{}, err
	}
	if p.Offered() {
		return s.beginItself(ctx, w, p, all, before, seen)
	}
	t := s.termsIn(w, p.Domain)
	started := p
	var out Outcome
	if p.State == Approved {
		var refusal *Refusal
		if started, out, refusal = start(p, all, t, w.now); refusal != nil {
			return p, later(p, r.Step, refusal, t, w.now), nil
		}
		if started.State != Executing {
			return started, out, nil
		}
		out = Outcome{} // the step that it would queue is this one
	}
	next, more := intendOn(p, started, r.Step, before, judgeFacts(p, all, r.Step, seen, w.now), t, w.now)
	out.merge(more)
	if next.State == Executing && p.State == Approved {
		return next, out, s.mitigating(ctx, w, p.Incident)
	}
	return next, out, nil
}

// intendOn records the intent on the started proposal where the facts are as
// approved; p is the proposal before it was started.
func intendOn(p, started Proposal, n int, before string, j judged, t Terms, now time.Time) (Proposal, Outcome) {
	switch {
	case t.Stopped:
		return p, Outcome{}
	case j.verdict == isStale:
		return stale(p, n, j, now)
	case j.verdict == isUnread && now.Before(p.Clocks.ExecuteBefore):
		return unread(p, n, j.why, t, now)
	}
	return intend(started, n, before, j.read, t, now)
}

// later looks again at an approval that may not start yet.
func later(p Proposal, n int, why *Refusal, t Terms, now time.Time) Outcome {
	var out Outcome
	if why.Code != RefusedTooLate && why.Code != RefusedStopped { // the lapse and the lifted stop have their own
		out.set(Deadline{Kind: DeadlineFacts, Subject: stepSubject(p.ID, n), DueAt: now.Add(t.Policy.retryEvery())})
	}
	return out
}

func (s *Service) mitigating(ctx context.Context, w *work, incident string) error {
	i, err := w.incident(ctx, incident)
	if err != nil {
		return err
	}
	w.setIncident(mitigate(i, w.now), Outcome{})
	return nil
}

// fireFacts queues a step whose target could not be read once more.
func (s *Service) fireFacts(ctx context.Context, d Deadline) error {
	r, p, err := s.stepOf(ctx, d)
	if err != nil {
		return err
	}
	return s.take(ctx, d, func(w *work) error {
		if planUndo(p, r.Step) != launchNothing || (!r.Undo && planLaunch(p, r.Step) != launchNothing) {
			w.out.effect(EffectStep, fmt.Sprintf("%s/again/%d", d.Subject, d.DueAt.UnixMicro()), r)
		}
		return nil
	})
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
