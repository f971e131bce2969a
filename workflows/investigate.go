package workflows

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dw/checks"
	"dw/diagnosis"
)

// changesBefore is how far before the onset changes may lie that explain it.
const changesBefore = 24 * time.Hour

// investigate reads the estate for an incident outside any transaction, then
// records what it found. What follows depends on the domain's level: from L2 on
// a request is due after the settling time, at L1 dw logs what it would ask.
func (s *Service) investigate(ctx context.Context, incident string) error {
	i, results, changes, err := s.facts(ctx, incident)
	if err != nil || i.State == Resolved {
		return err
	}
	f, err := s.investigator.Investigate(ctx, i, results, changes, s.now())
	if err != nil {
		return fmt.Errorf("investigate incident %s: %w", incident, err)
	}
	// A plan that cannot be made does not hold the diagnosis back.
	plan, unplanned := s.wouldPlan(ctx, i, f)
	before := s.seenBefore(ctx, i, f)
	err = s.write(ctx, func(w *work) error {
		i, err := w.incident(ctx, incident)
		if err != nil || i.State == Resolved {
			return err
		}
		policy := s.policyUnder(w.inForce, i.Domain)
		next, out := diagnosed(i, f, policy.Level, w.now)
		if len(out.Receipts) == 0 {
			return nil
		}
		if before != "" {
			out.note(i.ID, "This cause was "+before+".")
		}
		w.setIncident(next, out)
		return w.followUp(ctx, next, policy, plan)
	})
	return errors.Join(err, unplanned)
}

// seenBefore says how often a newly named cause was on this asset before, and what
// ended it the last time; empty where it was not, or that cannot be read.
func (s *Service) seenBefore(ctx context.Context, i Incident, f Findings) string {
	cause, named := f.Diagnosis.Top()
	if !named || causeID(i.Diagnosis) == cause.ID {
		return ""
	}
	i.Diagnosis = &f.Diagnosis
	h, err := HistoryOf(ctx, s.store, i.ID, LikenessOf(i), nil, 1)
	if err != nil {
		return ""
	}
	return h.Before(time.UTC)
}

func (s *Service) facts(ctx context.Context, incident string) (Incident, []checks.Result, []diagnosis.ChangeEvent, error) {
	var i Incident
	var results []checks.Result
	var changes []diagnosis.ChangeEvent
	err := s.store.View(ctx, func(tx ReadTx) error {
		var err error
		if i, err = tx.Incident(ctx, incident); err != nil {
			return err
		}
		if results, err = tx.LastResults(ctx); err != nil {
			return err
		}
		from := i.OpenedAt
		if !i.Onset.IsZero() && i.Onset.Before(from) {
			from = i.Onset
		}
		changes, err = tx.Changes(ctx, from.Add(-changesBefore), s.now())
		return err
	})
	if err != nil {
		return i, nil, nil, fmt.Errorf("read facts of incident %s: %w", incident, err)
	}
	return i, results, changes, nil
}

// actionable reports whether a diagnosis asks for proposals: a cause is named
// and the data is lost, not late.
func actionable(d diagnosis.Diagnosis) bool {
	_, named := d.Top()
	return named && !d.Late
}

// wouldPlan plans at level L1, where the plan is only logged.
func (s *Service) wouldPlan(ctx context.Context, i Incident, f Findings) ([]diagnosis.PlannedProposal, error) {
	if s.policy(i.Domain).may(DeedPropose).Permission != OnlyLog || !actionable(f.Diagnosis) {
		return nil, nil
	}
	f.FixBy = s.policy(i.Domain).fixBy(s.now())
	plan, err := s.investigator.Plan(ctx, i, f, s.now())
	if _, partial := errors.AsType[*diagnosis.PlanError](err); err != nil && !partial {
		return nil, fmt.Errorf("plan for incident %s: %w", i.ID, err)
	}
	drafts, _ := s.settle(ctx, plan, nil)
	plan = nil
	for _, d := range drafts {
		plan = append(plan, d.PlannedProposal)
	}
	return plan, nil
}

func (w *work) followUp(ctx context.Context, i Incident, policy Policy, plan []diagnosis.PlannedProposal) error {
	asks := policy.may(DeedPropose).Permission
	switch {
	case !actionable(*i.Diagnosis):
		w.out.drop(DeadlinePropose, i.ID)
		return nil
	case asks == OnlyLog:
		if next, out := wouldPropose(i, plan, w.now); len(out.Receipts) > 0 {
			w.setIncident(next, out)
		}
		return nil
	case asks != Ask:
		return nil
	}
	// A request that is already due soon is not pushed back by new findings.
	_, pending, err := w.tx.Deadline(ctx, DeadlinePropose, i.ID)
	if err != nil {
		return fmt.Errorf("read deadline: %w", err)
	}
	if !pending {
		w.out.set(Deadline{Kind: DeadlinePropose, Subject: i.ID, DueAt: w.now.Add(policy.Settle)})
	}
	return nil
}
