package workflows

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"dw/checks"
)

// Fire carries out what a due deadline asks for. One that is not due yet, or
// that somebody else has taken, does nothing.
func (s *Service) Fire(ctx context.Context, d Deadline) error {
	if s.now().Before(d.DueAt) {
		return nil
	}
	var err error
	switch d.Kind {
	case DeadlineCheck:
		err = s.FireCheck(ctx, d)
	case DeadlinePropose:
		err = s.firePropose(ctx, d)
	case DeadlineRemind, DeadlineEscalate, DeadlineExpire, DeadlineLapse:
		err = s.clockDeadline(ctx, d)
	case DeadlineObserve:
		err = s.fireObserve(ctx, d)
	case DeadlinePoll:
		err = s.firePoll(ctx, d)
	case DeadlineRenew:
		err = s.fireRenew(ctx, d)
	case DeadlineFacts:
		err = s.fireFacts(ctx, d)
	case DeadlineRecovery:
		return s.fireRecovery(ctx, d)
	case DeadlineVerify:
		err = s.fireVerify(ctx, d)
	case DeadlineErrand:
		err = s.fireErrand(ctx, d)
	case DeadlinePage:
		err = s.firePage(ctx, d)
	case DeadlineForget:
		err = s.take(ctx, d, func(*work) error { return nil })
	default:
		err = errors.New("no such kind of deadline")
	}
	if err != nil {
		return fmt.Errorf("fire %s of %s: %w", d.Kind, d.Subject, err)
	}
	return nil
}

// FireCheck runs the check outside any transaction, then in one transaction
// takes d, sets the check's next time and records the result. A check that
// could not be run is recorded as error, which is never a fail.
func (s *Service) FireCheck(ctx context.Context, d Deadline) error {
	now := s.now()
	next, err := s.checks.NextDue(d.Subject, now)
	if err != nil {
		return errors.Join(err, s.take(ctx, d, func(*work) error { return nil }))
	}
	r, err := s.checks.RunCheck(ctx, d.Subject, now)
	if err != nil {
		r = checks.Result{Check: d.Subject, Status: checks.Error, At: now, Message: "The check could not be run.", Problem: err.Error()}
	}
	return s.take(ctx, d, func(w *work) error {
		w.out.set(Deadline{Kind: DeadlineCheck, Subject: d.Subject, DueAt: next})
		return s.record(ctx, w, r)
	})
}

// ScheduleChecks sets the first due time of every named check that has none.
func (s *Service) ScheduleChecks(ctx context.Context, names []string) error {
	now := s.now()
	due := make(map[string]time.Time, len(names))
	for _, name := range names {
		at, err := s.checks.NextDue(name, now)
		if err != nil {
			return fmt.Errorf("schedule check %s: %w", name, err)
		}
		due[name] = at
	}
	err := s.write(ctx, func(w *work) error {
		for _, name := range names {
			_, found, err := w.tx.Deadline(ctx, DeadlineCheck, name)
			if err != nil {
				return err
			}
			if !found {
				w.out.set(Deadline{Kind: DeadlineCheck, Subject: name, DueAt: due[name]})
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("schedule checks: %w", err)
	}
	return nil
}

// Perform carries out an effect that is not Slack's. A repeated delivery does
// nothing twice; an error asks for another delivery.
func (s *Service) Perform(ctx context.Context, e Effect) error {
	var err error
	switch e.Kind {
	case EffectInvestigate:
		err = decodeThen(e, func(r IncidentRef) error { return s.investigate(ctx, r.Incident) })
	case EffectVerify:
		err = decodeThen(e, func(r IncidentRef) error { return s.verifyNow(ctx, r.Incident) })
	case EffectStep:
		err = decodeThen(e, func(r StepRef) error { return s.performStep(ctx, r) })
	case EffectPageTrigger, EffectPageNote, EffectPageAcknowledge, EffectPageResolve, EffectPageEscalate,
		EffectTicketOpen, EffectTicketComment, EffectTicketLink, EffectTicketTitle, EffectTicketResolve:
		err = decodeThen(e, func(r ErrandRef) error { return s.performErrand(ctx, r) })
	default:
		err = errors.New("no such kind of effect here")
	}
	if err != nil {
		return fmt.Errorf("perform %s: %w", e.Key, err)
	}
	return nil
}

func decodeThen[T any](e Effect, do func(T) error) error {
	var payload T
	if err := json.Unmarshal(e.Payload, &payload); err != nil {
		return fmt.Errorf("decode payload: %w", err)
	}
	return do(payload)
}
