package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dw/checks"
	"dw/store"
	"dw/workflows"
)

// runner meets workflows.CheckRunner and handlers.Checker: it asks the
// warehouses and knows what earlier runs found.
type runner struct {
	project *Project
	store   *store.DB
	service workflows.Proposer

	together together
}

// RunCheck asks a scheduled check's question as of at, together with those of its
// table that are due as well.
func (r *runner) RunCheck(ctx context.Context, name string, at time.Time) (checks.Result, error) {
	spec, err := r.project.Spec(name)
	if err != nil {
		return checks.Result{}, err
	}
	return r.fire(ctx, spec, at)
}

// NextDue says when a check is due next after a time.
func (r *runner) NextDue(name string, after time.Time) (time.Time, error) {
	spec, err := r.project.Spec(name)
	if err != nil {
		return time.Time{}, err
	}
	return checks.Next(spec.Schedule, spec.Zone, after)
}

// Recheck asks every check on the incident's assets again: a volume check for
// each bucket since the onset that is closed, the others as of now.
func (r *runner) Recheck(ctx context.Context, i workflows.Incident, now time.Time) (workflows.Verification, error) {
	v := workflows.Verification{At: now, OK: true}
	accepted, err := r.accepted(ctx, i.ID)
	if err != nil {
		return v, err
	}
	for _, spec := range r.involved(i) {
		spec.Renamed = accepted[spec.Name]
		// The spans since the onset may have been repaired, however old they are.
		known := memory{store: r.store, now: now, again: i.Onset}
		spec, err := r.project.settled(ctx, spec, known, now)
		if err != nil {
			return v, fmt.Errorf("check %s could not be asked again: %w", spec.Name, err)
		}
		for _, at := range r.judgedAt(spec, i.Onset, now) {
			result := r.project.RunCheck(ctx, spec, known, at)
			v.Results = append(v.Results, result)
			if err := r.learnAccepted(ctx, spec, result); err != nil {
				return v, err
			}
			switch result.Status {
			case checks.Error, checks.Skipped:
				return v, fmt.Errorf("check %s could not be asked again: %s", spec.Name, result.Problem)
			case checks.Pass:
			default:
				v.OK = false
				v.Problem = fmt.Sprintf("check %s still says %s: %s", spec.Name, result.Status, result.Message)
			}
		}
	}
	if err := r.recheckTools(ctx, i, &v); err != nil {
		return v, err
	}
	if len(v.Results) == 0 {
		return v, fmt.Errorf("no check is configured on the assets of incident %s, so nothing can be verified", i.ID)
	}
	return v, nil
}

// involved lists the checks that raised the incident and those on its assets.
func (r *runner) involved(i workflows.Incident) []checks.Spec {
	var out []checks.Spec
	for _, spec := range r.project.Specs {
		raised := slices.ContainsFunc(i.Signals, func(s workflows.Signal) bool {
			return s.Check == spec.Name || s.Result.Asset == spec.Asset
		})
		if raised || spec.Asset == i.Subject {
			out = append(out, spec)
		}
	}
	return out
}

// judgedAt lists the times as of which a check is asked again.
func (r *runner) judgedAt(spec checks.Spec, since, now time.Time) []time.Time {
	kind, _ := checks.KindOf(spec.Kind)
	if kind != checks.KindVolume || since.IsZero() || spec.Bucket == checks.BucketDay {
		return []time.Time{now}
	}
	var out []time.Time
	for end := hourOf(since, spec.Zone).Add(time.Hour); ; end = end.Add(time.Hour) {
		at := end.Add(spec.Delay)
		if at.After(now) {
			break
		}
		out = append(out, at)
	}
	if len(out) == 0 {
		return []time.Time{now}
	}
	return out
}

// hourOf is the start of the hour on the clocks of a zone, some of which are not
// whole hours from UTC.
func hourOf(at time.Time, zone string) time.Time {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		loc = time.UTC // the check itself says that its zone is wrong
	}
	_, offset := at.In(loc).Zone()
	shift := time.Duration(offset) * time.Second
	return at.Add(shift).Truncate(time.Hour).Add(-shift)
}

// CheckNames lists the configured checks in the order of the file.
func (r *runner) CheckNames() []string {
	names := make([]string, len(r.project.Specs))
	for i, spec := range r.project.Specs {
		names[i] = spec.Name
	}
	return names
}

// CheckNow asks a check now and records what it found, as a scheduled run does.
func (r *runner) CheckNow(ctx context.Context, name string, now time.Time) (checks.Result, error) {
	spec, err := r.project.Spec(name)
	if err != nil {
		return checks.Result{}, err
	}
	result := r.project.RunCheck(ctx, spec, memory{store: r.store, now: now}, now)
	if err := r.service.OnResult(ctx, result); err != nil {
		return result, fmt.Errorf("record the result of %s: %w", name, err)
	}
	return result, nil
}

// LastResults returns the newest result of every check that has run.
func (r *runner) LastResults(ctx context.Context) (map[string]checks.Result, error) {
	out := map[string]checks.Result{}
	err := r.store.View(ctx, func(tx workflows.ReadTx) error {
		results, err := tx.LastResults(ctx)
		for _, result := range results {
			out[result.Check] = result
		}
		return err
	})
	return out, err
}
