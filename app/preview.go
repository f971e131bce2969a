package app

import (
	"context"

	"dw/checks"
)

// Preview says how often a volume check would have spoken in the days before
// now, each bucket judged by those before it. It reads the warehouse once and
// records nothing. judge overrides how the check is judged where it is not empty.
func (p *Project) Preview(ctx context.Context, name string, days int, judge string) (checks.Preview, error) {
	spec, err := p.Spec(name)
	if err != nil {
		return checks.Preview{}, err
	}
	if judge != "" {
		spec.Judge = judge
	}
	q, err := p.Querier(spec.Connection)
	if err != nil {
		return checks.Preview{}, err
	}
	return checks.PreviewVolume(ctx, spec, q, p.Now(), days)
}
