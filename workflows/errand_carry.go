package workflows

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var errCarrying = errors.New("this errand is being carried by another worker of this process")

// defaultErrandWait is between two looks where the policy names no time.
const defaultErrandWait = 15 * time.Second

// performErrand carries out one errand: the intent is committed first, then the
// call is made and read back, then its outcome is committed. An intent without a
// clear outcome is looked for, unless the system knows the call by a key.
func (s *Service) performErrand(ctx context.Context, r ErrandRef) error {
	if !s.carry(r) {
		return errCarrying
	}
	defer s.carried(r)
	i, proposals, err := s.Incident(ctx, r.Incident)
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	e, known := i.Errand(r.Errand)
	if !known || !i.ready(e) {
		return nil
	}
	courier := s.courier(e)
	if courier == nil {
		return s.onErrand(ctx, r, e, func(i Incident, e Errand, w *work) (Incident, Outcome) {
			return errandFailed(i, e, "the pager or tracker", "it is not in dw's configuration any more", s.policy(i.Domain), w.now)
		})
	}
	o := s.order(i, proposals, e, s.now())
	switch {
	case e.State == ErrandQueued && e.Attempt > 0 && !e.repeatable():
		return s.findThenCall(ctx, r, e, courier, o)
	case e.State == ErrandQueued || e.State == ErrandLater:
		return s.callErrand(ctx, r, e, courier, o)
	case (e.State == ErrandCalled || e.State == ErrandUnclear) && e.repeatable() && e.Attempt < maxLooks:
		return s.callErrand(ctx, r, e, courier, o)
	case e.State == ErrandCalled || e.State == ErrandUnclear:
		return s.lookForErrand(ctx, r, e, courier, o)
	}
	return nil
}

func (s *Service) carry(r ErrandRef) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.carrying[r] {
		return false
	}
	s.carrying[r] = true
	return true
}

func (s *Service) carried(r ErrandRef) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.carrying, r)
}

func (s *Service) courier(e Errand) Courier {
	if e.onPage() {
		return s.pager
	}
	return s.tickets
}

// onErrand changes an errand in one transaction, if it still is what was read.
func (s *Service) onErrand(ctx context.Context, r ErrandRef, read Errand, change func(Incident, Errand, *work) (Incident, Outcome)) error {
	return s.write(ctx, func(w *work) error { return w.onErrand(ctx, r, read, change) })
}

func (w *work) onErrand(ctx context.Context, r ErrandRef, read Errand, change func(Incident, Errand, *work) (Incident, Outcome)) error {
	i, err := w.incident(ctx, r.Incident)
	if err != nil {
		return err
	}
	if e, known := i.Errand(r.Errand); known && e == read {
		w.setIncident(change(i, e, w))
	}
	return nil
}

// callErrand commits the intent and, if it still stands as it was read, makes
// the call.
func (s *Service) callErrand(ctx context.Context, r ErrandRef, read Errand, courier Courier, o Order) error {
	var intent Errand
	err := s.write(ctx, func(w *work) error {
		intent = Errand{} // of a run that was lost; another may have changed the errand since
		return w.onErrand(ctx, r, read, func(i Incident, e Errand, w *work) (Incident, Outcome) {
			w.quiet = true
			var out Outcome
			intent, out = intendErrand(i, e, courier.Name(), o, s.errandWait(i), w.now)
			return i.withErrand(intent), out
		})
	})
	if err != nil || intent.State != ErrandCalled {
		return err
	}
	made, err := courier.Carry(ctx, o)
	if err != nil && ctx.Err() != nil {
		err = &UnclearError{Call: courier.Name(), Err: err}
	}
	// The outcome is written even where ctx ended with the call.
	return s.onErrand(context.WithoutCancel(ctx), r, intent, func(i Incident, e Errand, w *work) (Incident, Outcome) {
		return s.errandOutcome(i, e, courier.Name(), made, err, w)
	})
}

func (s *Service) errandOutcome(i Incident, e Errand, system string, made Reference, err error, w *work) (Incident, Outcome) {
	unclear, doubt := errors.AsType[*UnclearError](err)
	later, postponed := errors.AsType[*LaterError](err)
	wait := s.errandWait(i)
	switch {
	case err == nil && made.ID == "":
		return errandUnclear(i, e, system, "the answer named nothing", wait, w)
	case err == nil:
		w.quiet = !onCard(e) && e.Attempt == 1 // a later attempt stood on the card
		return errandDone(i, e, system, made, howCalled, w.now)
	case doubt:
		return errandUnclear(i, e, system, unclear.Error(), wait, w)
	case postponed && e.Attempt < maxLooks:
		w.quiet = e.Attempt > 1
		return errandLater(i, e, system, later, wait, w.now)
	}
	_, e.Barred = errors.AsType[*BarredError](err)
	return errandFailed(i, e, system, err.Error(), s.policy(i.Domain), w.now)
}

// findThenCall carries out an errand that a person has asked for again: what an
// earlier attempt made after all is taken, and nothing is made beside it.
func (s *Service) findThenCall(ctx context.Context, r ErrandRef, read Errand, courier Courier, o Order) error {
	made, found, err := courier.Find(ctx, o)
	switch {
	case err != nil:
		return s.onErrand(ctx, r, read, func(i Incident, e Errand, w *work) (Incident, Outcome) {
			return errandFailed(i, e, courier.Name(), err.Error(), s.policy(i.Domain), w.now)
		})
	case found:
		return s.onErrand(ctx, r, read, func(i Incident, e Errand, w *work) (Incident, Outcome) {
			return errandDone(i, e, courier.Name(), made, howFoundErrand, w.now)
		})
	}
	return s.callErrand(ctx, r, read, courier, o)
}

// onCard reports whether the end of an errand changes the incident's card.
func onCard(e Errand) bool {
	return e.Kind != EffectPageNote && e.Kind != EffectTicketComment && e.Kind != EffectTicketTitle
}

// lookForErrand looks for the effect of a call whose outcome is unclear. dw
// never makes such a call again: after the last look it asks a person.
func (s *Service) lookForErrand(ctx context.Context, r ErrandRef, read Errand, courier Courier, o Order) error {
	made, found, err := courier.Find(ctx, o)
	return s.onErrand(ctx, r, read, func(i Incident, e Errand, w *work) (Incident, Outcome) {
		if found && err == nil {
			return errandDone(i, e, courier.Name(), made, howFoundErrand, w.now)
		}
		why := "nothing there carries the mark " + o.Mark
		if err != nil {
			why = err.Error()
		}
		return errandNotFound(i, e, courier.Name(), why, s.policy(i.Domain), s.errandWait(i), w)
	})
}

func (s *Service) errandWait(i Incident) time.Duration {
	if every := s.policy(i.Domain).PollEvery; every > 0 {
		return every
	}
	return defaultErrandWait
}

// fireErrand queues an errand that is not settled for another delivery.
func (s *Service) fireErrand(ctx context.Context, d Deadline) error {
	return s.take(ctx, d, func(w *work) error {
		r, err := parseErrandSubject(d.Subject)
		if err != nil {
			return err
		}
		i, err := w.incident(ctx, r.Incident)
		if gone(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if e, known := i.Errand(r.Errand); known {
			w.out.errand(i.ID, e, fmt.Sprintf("/again/%d", d.DueAt.UnixNano()))
		}
		return nil
	})
}
