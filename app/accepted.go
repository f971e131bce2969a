package app

import (
	"context"
	"fmt"

	"dw/checks"
	"dw/diagnosis"
	"dw/workflows"
)

// accepted reads what the approved requests of an incident accept, of those that
// are being verified: new names of columns, by the schema check that found them.
func (r *runner) accepted(ctx context.Context, incident string) (map[string][]checks.Rename, error) {
	out := map[string][]checks.Rename{}
	err := r.store.View(ctx, func(tx workflows.ReadTx) error {
		all, err := tx.ProposalsOf(ctx, incident)
		if err != nil {
			return err
		}
		for _, p := range all {
			n, open := p.Current()
			if p.State != workflows.Executing || !open || p.Steps[n].State != workflows.StepRunning {
				continue
			}
			accepts, err := diagnosis.Accepted(p.Plan[n])
			if err != nil {
				return fmt.Errorf("request %s: %w", p.ID, err)
			}
			for check, columns := range accepts {
				out[check] = append(out[check], columns...)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what was accepted for incident %s: %w", incident, err)
	}
	return out, nil
}

// learnAccepted records what a schema check found with the new names that were
// approved, so that its next runs compare with them.
func (r *runner) learnAccepted(ctx context.Context, spec checks.Spec, result checks.Result) error {
	if len(spec.Renamed) == 0 || result.Status != checks.Pass {
		return nil
	}
	if err := r.service.OnResult(ctx, result); err != nil {
		return fmt.Errorf("keep the accepted columns of check %s: %w", spec.Name, err)
	}
	return nil
}
