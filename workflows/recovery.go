package workflows

import (
	"context"
	"fmt"
	"slices"
)

// fireRecovery looks at every span since the onset of an incident whose checks
// all pass again: the newest numbers say nothing about the rows that were lost
// before.
func (s *Service) fireRecovery(ctx context.Context, d Deadline) error {
	v, err := s.recheck(ctx, d.Subject)
	if gone(err) {
		return s.take(ctx, d, func(*work) error { return nil })
	}
	return s.take(ctx, d, func(w *work) error { return s.recovered(ctx, w, d.Subject, v, err) })
}

// recovered ends the incident where every span is right, and leaves it open
// where one is not. A re-check that could not be asked is tried again.
func (s *Service) recovered(ctx context.Context, w *work, incident string, v Verification, asked error) error {
	i, err := w.incident(ctx, incident)
	if err != nil || i.State == Resolved || i.State == Verifying || !i.recovered() {
		return err
	}
	all, err := w.proposalsOf(ctx, i.ID)
	if err != nil || inFlight(all) {
		return err
	}
	switch judge(v, asked) {
	case right:
		if i.RightRuns++; i.RightRuns < s.policy(i.Domain).RecoverRuns {
			s.recoveryAgain(w, i, v)
			return nil
		}
		w.withdrawWaiting(all, "the numbers are right again")
		w.setIncident(recoverIncident(i, v, w.now))
	case wrong:
		if i.RightRuns > 0 {
			i.RightRuns = 0
			w.setIncident(i, Outcome{})
		}
		w.tellOnce(i, "The newest numbers pass again, but not every span since the onset does, so the incident stays open: %s.", stillWrong(v))
	default:
		w.out.set(Deadline{Kind: DeadlineRecovery, Subject: i.ID, DueAt: w.now.Add(s.policy(i.Domain).VerifyEvery)})
	}
	return nil
}

// recoveryAgain looks once more before an incident ends by itself: numbers that
// go to and fro must not.
func (s *Service) recoveryAgain(w *work, i Incident, v Verification) {
	policy := s.policy(i.Domain)
	i.Verification, i.UpdatedAt = &v, w.now.UTC()
	var out Outcome
	out.note(i.ID, fmt.Sprintf("Everything passes again, %d of %d times in a row; dw looks again before it resolves.", i.RightRuns, policy.RecoverRuns))
	out.set(Deadline{Kind: DeadlineRecovery, Subject: i.ID, DueAt: w.now.Add(policy.VerifyEvery)})
	w.setIncident(i, out)
}

// tellOnce adds a note unless the history has it already.
func (w *work) tellOnce(i Incident, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.ContainsFunc(i.Notes, func(n Note) bool { return n.Text == text }) {
		w.out.note(i.ID, text)
	}
}
