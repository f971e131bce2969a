package workflows

import (
	"context"
	"time"
)

// awaitsDiagnosis reports whether an incident's page is held back for what it is
// to carry: the cause, who is harmed, and the link to the incident's card. The
// time for that is bounded, whatever stands still.
func (s *Service) awaitsDiagnosis(i Incident, policy Policy, now time.Time) bool {
	if !now.Before(i.OpenedAt.Add(policy.PageWait)) {
		return false
	}
	return i.Diagnosis == nil || s.permalink != nil && i.Card.TS == ""
}

// firePage looks again at an incident whose page was held back long enough.
func (s *Service) firePage(ctx context.Context, d Deadline) error {
	return s.take(ctx, d, func(w *work) error {
		i, err := w.incident(ctx, d.Subject)
		if gone(err) {
			return nil
		}
		if err != nil {
			return err
		}
		w.quiet = true
		w.setIncident(i, Outcome{})
		return nil
	})
}
