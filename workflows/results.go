package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dw/checks"
)

// manyIncidents bounds how many open incidents a result is compared with.
const manyIncidents = 1000

// OnResult records a result. A failed one joins the open incident that it is
// related to, or opens one; a pass is noted and may end an incident on which
// nothing was begun; error, skipped and learning are recorded and judge nothing.
func (s *Service) OnResult(ctx context.Context, r checks.Result) error {
	if err := s.write(ctx, func(w *work) error { return s.record(ctx, w, r) }); err != nil {
		return fmt.Errorf("record result of check %s: %w", r.Check, err)
	}
	return nil
}

func (s *Service) record(ctx context.Context, w *work, r checks.Result) error {
	if outdated, err := comparedWithOld(ctx, w, r); err != nil || outdated {
		return err
	}
	if err := w.tx.PutResult(ctx, r); err != nil {
		return fmt.Errorf("store result: %w", err)
	}
	policy := s.policyUnder(w.inForce, r.Domain)
	if policy.may(DeedDiagnose).Permission != Allow {
		return nil
	}
	switch r.Status {
	case checks.Fail, checks.Warn:
		return s.signal(ctx, w, policy, r)
	case checks.Pass:
		return s.pass(ctx, w, r)
	case checks.Late:
		i, found, err := s.incidentFor(ctx, w, r)
		if err == nil && found {
			w.setIncident(addLate(i, r, w.now))
		}
		return err
	}
	return nil
}

// comparedWithOld reports whether a schema check compared with columns that were
// replaced while it ran: what it found judges nothing and is not kept, since the
// next run would compare with the old ones again.
func comparedWithOld(ctx context.Context, w *work, r checks.Result) (bool, error) {
	if r.Kind != checks.KindSchema || r.Since.IsZero() || r.Status != checks.Fail && r.Status != checks.Warn {
		return false, nil
	}
	last, found, err := w.tx.LastAnswer(ctx, r.Check)
	if err != nil {
		return false, fmt.Errorf("read what the check compares with: %w", err)
	}
	return found && len(last.Schema) > 0 && !slices.Equal(last.Schema, r.Schema), nil
}

// incidentFor finds the open incident that r belongs to: one that has a signal
// of the same check, else one whose subject is related to r's asset.
func (s *Service) incidentFor(ctx context.Context, w *work, r checks.Result) (Incident, bool, error) {
	open, err := w.tx.Incidents(ctx, true, manyIncidents)
	if err != nil {
		return Incident{}, false, fmt.Errorf("list open incidents: %w", err)
	}
	for _, i := range open {
		if i.has(r.Check) {
			held, err := w.incident(ctx, i.ID)
			return held, err == nil, err
		}
	}
	for _, i := range open {
		if s.related(i, r) {
			held, err := w.incident(ctx, i.ID)
			return held, err == nil, err
		}
	}
	return Incident{}, false, nil
}

func (s *Service) related(i Incident, r checks.Result) bool {
	if i.Domain != r.Domain {
		return false
	}
	named := i.Diagnosis != nil && i.Diagnosis.Subject != "" && s.investigator.Related(i.Diagnosis.Subject, r.Asset)
	return i.Subject == r.Asset || named || s.investigator.Related(i.Subject, r.Asset)
}

func (i Incident) has(check string) bool {
	for _, s := range i.Signals {
		if s.Check == check {
			return true
		}
	}
	return false
}

// pass notes a recovery. With approved work in flight only verification ends
// the incident; it is begun here if all that is left is to look.
func (s *Service) pass(ctx context.Context, w *work, r checks.Result) error {
	open, err := w.tx.Incidents(ctx, true, manyIncidents)
	if err != nil {
		return fmt.Errorf("list open incidents: %w", err)
	}
	for _, i := range open {
		if !i.has(r.Check) {
			s.lookAgain(w, i, r)
			continue
		}
		next, out := addPass(i, r, w.now)
		if len(out.Notes) > 0 {
			w.setIncident(next, out)
		}
		if next.recovered() {
			if err := s.endRecovered(ctx, w, next); err != nil {
				return err
			}
		}
	}
	return nil
}

// lookAgain investigates an incident without a named cause once more when a
// related check passed: what is ruled out may name the cause.
func (s *Service) lookAgain(w *work, i Incident, r checks.Result) {
	if i.Diagnosis == nil || !s.related(i, r) {
		return
	}
	if _, named := i.Diagnosis.Top(); named {
		return
	}
	key := fmt.Sprintf("%s/answer/%s/%d", i.ID, r.Check, r.At.UnixMicro())
	w.out.effect(EffectInvestigate, key, IncidentRef{Incident: i.ID, Rev: i.Rev})
}

func (s *Service) endRecovered(ctx context.Context, w *work, i Incident) error {
	all, err := w.proposalsOf(ctx, i.ID)
	if err != nil {
		return err
	}
	if inFlight(all) {
		if !unfinished(all) {
			if next, out := beginVerify(i, s.terms(i.Domain), w.now); next.State != i.State {
				w.setIncident(next, out)
			}
		}
		return nil
	}
	// At once: a store keeps microseconds and never fires early.
	w.out.set(Deadline{Kind: DeadlineRecovery, Subject: i.ID, DueAt: w.now.Truncate(time.Microsecond)})
	return nil
}

// inFlight reports whether an approved proposal has not come to its end.
func inFlight(all []Proposal) bool {
	for _, p := range all {
		if p.State == Approved || p.State == Executing {
			return true
		}
	}
	return false
}

// unfinished reports whether an executing proposal has steps to carry out.
func unfinished(all []Proposal) bool {
	for _, p := range all {
		n, open := p.Current()
		if p.State == Executing && open && !p.verifying(n) {
			return true
		}
	}
	return false
}

func (w *work) withdrawWaiting(all []Proposal, why string) {
	for _, p := range all {
		if next, out := withdraw(p, why, w.now); next.State != p.State {
			w.setProposal(next, out)
		}
	}
}

// gone reports that a row named by a deadline or effect does not exist.
func gone(err error) bool { return errors.Is(err, ErrNotFound) }
