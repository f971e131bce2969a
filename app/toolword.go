package app

import (
	"context"
	"fmt"

	"dw/checks"
	"dw/workflows"
)

// recheckTools adds the last word of each other tool that speaks in an incident:
// dw cannot ask them again. An alarm that is older than the repair says nothing
// of it, so that the tool is waited for.
func (r *runner) recheckTools(ctx context.Context, i workflows.Incident, v *workflows.Verification) error {
	for _, signal := range i.Signals {
		if signal.Result.Tool == "" {
			continue
		}
		last, found, err := memory{store: r.store}.Last(ctx, signal.Check)
		if err != nil {
			return fmt.Errorf("read the last word of %s: %w", signal.Result.Tool, err)
		}
		if !found {
			last = signal.Result
		}
		if last.Status != checks.Pass && !i.VerifyFrom.IsZero() && last.At.Before(i.VerifyFrom) {
			return fmt.Errorf("%s has not spoken of %s since the repair", last.Tool, last.Check)
		}
		v.Results = append(v.Results, last)
		if last.Status != checks.Pass {
			v.OK = false
			v.Problem = fmt.Sprintf("%s still says %s of %s: %s", last.Tool, last.Status, last.Check, last.Message)
		}
	}
	return nil
}
