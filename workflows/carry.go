package workflows

import (
	"context"
	"time"
)

// startIfReady starts an approved proposal whose predecessors are done. Where
// it may not start yet it stays approved, until it may or its time lapses.
func (s *Service) startIfReady(ctx context.Context, w *work, id string) error {
	p, err := w.proposal(ctx, id)
	if err != nil || p.State != Approved {
		return err
	}
	if p.Change != nil {
		return s.applyChange(ctx, w, p)
	}
	i, err := w.incident(ctx, p.Incident)
	if err != nil || i.State == Resolved {
		return err
	}
	after := make([]Proposal, 0, len(p.After))
	for _, before := range p.After {
		q, err := w.proposal(ctx, before)
		if err != nil {
			return err
		}
		after = append(after, q)
	}
	next, out, refusal := start(p, after, s.termsIn(w, p.Domain), w.now)
	if refusal != nil {
		return nil
	}
	if next.State == Executing && p.callsItself(0) {
		// Its target is read first, outside of this transaction, and the approval is
		// taken into execution where that is compared.
		w.out.effect(EffectStep, stepSubject(p.ID, 0), StepRef{Proposal: p.ID})
		return nil
	}
	w.setProposal(next, out)
	if next.State != Executing {
		return nil
	}
	w.setIncident(mitigate(i, w.now), Outcome{})
	return s.verifyIfReached(ctx, w, p.Incident)
}

// carryOn lets what waited for a step begin: the proposal's next step, the
// approved proposals behind it, and verifying.
func (s *Service) carryOn(ctx context.Context, w *work, id string) error {
	p, err := w.proposal(ctx, id)
	if err != nil || p.Change != nil {
		return err
	}
	if next, out := advance(p, s.termsIn(w, p.Domain), w.now); p.State == Executing && !p.StepsDone() {
		w.setProposal(next, out)
	}
	if _, choosing := p.choice(); choosing {
		next, out := advanceUndo(p, s.termsIn(w, p.Domain), w.now)
		if next.State != p.State || len(out.Notes) > 0 {
			w.setProposal(next, out)
		} else {
			w.out.merge(out)
		}
	}
	if err := s.endBlocked(ctx, w, p.Incident); err != nil {
		return err
	}
	all, err := w.proposalsOf(ctx, p.Incident)
	if err != nil {
		return err
	}
	for _, q := range all {
		if err := s.startIfReady(ctx, w, q.ID); err != nil {
			return err
		}
	}
	if err := s.handBack(ctx, w, p.Incident, all); err != nil {
		return err
	}
	return s.verifyIfReached(ctx, w, p.Incident)
}

// endBlocked ends what can never start, because the proposal before it ended
// without being carried out, and whatever waits for that in turn.
func (s *Service) endBlocked(ctx context.Context, w *work, incident string) error {
	for again := true; again; {
		again = false
		all, err := w.proposalsOf(ctx, incident)
		if err != nil {
			return err
		}
		for _, p := range all {
			next, out := endAfter(p, all, w.now)
			if next.State != p.State {
				w.setProposal(next, out)
				again = true
			}
		}
	}
	return nil
}

// handBack takes an incident out of mitigating where nothing is being carried
// out any more.
func (s *Service) handBack(ctx context.Context, w *work, incident string, all []Proposal) error {
	i, err := w.incident(ctx, incident)
	if err != nil || i.State != Mitigating {
		return err
	}
	for _, p := range all {
		now, err := w.proposal(ctx, p.ID)
		if err != nil || now.State == Executing {
			return err
		}
	}
	w.setIncident(returned(i, w.now), Outcome{})
	return nil
}

// verifyIfReached begins verifying where a verify step is reached, or where
// everything that is in flight is done and was more than a hold.
func (s *Service) verifyIfReached(ctx context.Context, w *work, incident string) error {
	i, err := w.incident(ctx, incident)
	if err != nil {
		return err
	}
	all, err := w.proposalsOf(ctx, incident)
	if err != nil {
		return err
	}
	if !verifyReached(all) {
		return nil
	}
	next, out := beginVerify(i, s.terms(i.Domain), w.now)
	if next.State != i.State {
		w.setIncident(next, out)
	}
	return nil
}

func verifyReached(all []Proposal) bool {
	changed, open := false, false
	for _, p := range all {
		switch p.State {
		case Waiting, Approved:
			open = true
		case Executing:
			n, unfinished := p.Current()
			if unfinished && p.verifying(n) {
				return true
			}
			open = open || unfinished
			changed = changed || (!unfinished && !p.HoldsOnly())
		}
	}
	return changed && !open
}

// clockDeadline carries out a due clock of a proposal: remind, escalate, expire
// or lapse. The stored times decide, not the timer.
func (s *Service) clockDeadline(ctx context.Context, d Deadline) error {
	return s.take(ctx, d, func(w *work) error {
		p, err := w.proposal(ctx, d.Subject)
		if err != nil {
			return err
		}
		next, out := fireClock(d.Kind, p, s.policy(p.Domain), w.now)
		if len(out.Receipts)+len(out.Effects)+len(out.Deadlines) > 0 {
			w.setProposal(next, out)
			return s.carryOn(ctx, w, next.ID)
		}
		return nil
	})
}

func fireClock(kind string, p Proposal, policy Policy, now time.Time) (Proposal, Outcome) {
	if p.Offered() && (kind == DeadlineRemind || kind == DeadlineEscalate) {
		late, out := declined(p, "it has not begun in time", false, now)
		next, more := fireClock(kind, late, policy, now)
		out.merge(more)
		return next, out
	}
	switch kind {
	case DeadlineRemind:
		return remind(p, now)
	case DeadlineEscalate:
		return escalate(p, policy, now)
	case DeadlineExpire:
		return expire(p, now)
	case DeadlineLapse:
		return lapse(p, now)
	}
	return p, Outcome{}
}

// take runs do in a transaction that takes d away; where d is gone or has moved,
// somebody else fired it and do is not run.
func (s *Service) take(ctx context.Context, d Deadline, do func(*work) error) error {
	return s.write(ctx, func(w *work) error {
		if w.now.Before(d.DueAt) {
			return nil // the clock went back: it stays until it is due
		}
		won, err := w.tx.TakeDeadline(ctx, d)
		if err != nil || !won {
			return err
		}
		return do(w)
	})
}
