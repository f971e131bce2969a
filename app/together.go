package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	"dw/checks"
	"dw/workflows"
)

// RunTogether asks several checks as of at and returns their results in order.
// Those of one connection share its scans; the time that they took is that of
// all of them.
func (p *Project) RunTogether(ctx context.Context, specs []checks.Spec, memory checks.Memory, at time.Time, each func(checks.Result)) []checks.Result {
	if each == nil {
		each = func(checks.Result) {}
	}
	results := make([]checks.Result, len(specs))
	places := map[string][]int{}
	var order []string
	for i, spec := range specs {
		if len(places[spec.Connection]) == 0 {
			order = append(order, spec.Connection)
		}
		places[spec.Connection] = append(places[spec.Connection], i)
	}
	for _, connection := range order {
		p.runOn(ctx, connection, places[connection], specs, memory, at, func(i int, result checks.Result) {
			results[i] = result
			each(result)
		})
	}
	return results
}

// runOn asks the checks of one connection and tells each result with its place.
func (p *Project) runOn(ctx context.Context, connection string, places []int, specs []checks.Spec, memory checks.Memory, at time.Time, tell func(int, checks.Result)) {
	began := time.Now()
	q, err := p.Querier(connection)
	if err != nil {
		for _, i := range places {
			tell(i, p.unopened(specs[i], at, began, err))
		}
		return
	}
	var asked []checks.Asked
	var asking []int
	for _, i := range places {
		other, err := p.otherSide(specs[i], q)
		if err != nil {
			tell(i, p.unopened(specs[i], at, began, err))
			continue
		}
		asked, asking = append(asked, checks.Asked{Spec: specs[i], Other: other}), append(asking, i)
	}
	checks.RunTogether(ctx, asked, q, memory, at, func(n int, result checks.Result) {
		result.Took = time.Since(began)
		tell(asking[n], result)
	})
}

// heldFor is how long what was read for a check waits for it to be fired.
const heldFor = time.Minute

// together asks the scheduled checks of one table that are due at the same time
// in one scan: the first that is fired asks for all of them, and each of the
// others takes its result when it is fired itself.
type together struct {
	mu    sync.Mutex
	scans map[string]*promise // by check, until it is taken
}

// promise is the result of a check that is asked for by another; it is there, or
// will never be, when done is closed.
type promise struct {
	done   chan struct{}
	at     time.Time
	result *checks.Result
}

// fire returns what a due check found: what a scan for it has read since it fell
// due, at most a minute ago, or else what is read now, with the others that are
// due.
func (r *runner) fire(ctx context.Context, spec checks.Spec, at time.Time) (checks.Result, error) {
	due, err := r.due(ctx, spec, at)
	if err != nil {
		return checks.Result{}, err
	}
	if p := r.together.take(spec.Name, due[spec.Name], at); p != nil {
		select {
		case <-p.done:
		case <-ctx.Done():
			return checks.Result{}, ctx.Err()
		}
		if p.result != nil {
			return *p.result, nil
		}
		return r.project.RunCheck(ctx, spec, memory{store: r.store, now: at}, at), nil // the scan broke off
	}
	specs, promises := r.together.begin(spec, r.beside(spec, due), at)
	defer func() {
		for _, p := range promises {
			if p.result == nil {
				close(p.done)
			}
		}
	}()
	results := r.project.RunTogether(ctx, specs, memory{store: r.store, now: at}, at, func(result checks.Result) {
		if p := promises[result.Check]; p != nil {
			p.result = &result
			close(p.done)
		}
	})
	return results[0], nil
}

// due returns when the checks of a table fell due, of those that are.
func (r *runner) due(ctx context.Context, spec checks.Spec, at time.Time) (map[string]time.Time, error) {
	found := map[string]time.Time{}
	err := r.store.View(ctx, func(tx workflows.ReadTx) error {
		for _, other := range r.project.Specs {
			if other.Connection != spec.Connection || other.Table != spec.Table {
				continue
			}
			d, known, err := tx.Deadline(ctx, workflows.DeadlineCheck, other.Name)
			if err != nil {
				return err
			}
			if known && !d.DueAt.After(at) {
				found[other.Name] = d.DueAt
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read which checks are due: %w", err)
	}
	return found, nil
}

// beside lists the other checks of a table that are due.
func (r *runner) beside(spec checks.Spec, due map[string]time.Time) []checks.Spec {
	var out []checks.Spec
	for _, other := range r.project.Specs {
		if _, is := due[other.Name]; is && other.Name != spec.Name {
			out = append(out, other)
		}
	}
	return out
}

// take hands out the result that is asked for a check since it fell due, once.
// One that is older is dropped: it was for a time that another process has fired.
func (t *together) take(check string, due, at time.Time) *promise {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.scans[check]
	delete(t.scans, check)
	if p == nil || due.IsZero() || p.at.Before(due) || at.Sub(p.at) > heldFor {
		return nil
	}
	return p
}

// begin promises results to those beside a check that no other scan is being made
// for, and returns what is to be asked, the check first.
func (t *together) begin(spec checks.Spec, beside []checks.Spec, at time.Time) ([]checks.Spec, map[string]*promise) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.scans == nil {
		t.scans = map[string]*promise{}
	}
	specs, promises := []checks.Spec{spec}, map[string]*promise{}
	for _, other := range beside {
		if held := t.scans[other.Name]; held != nil && at.Sub(held.at) <= heldFor {
			continue
		}
		p := &promise{done: make(chan struct{}), at: at}
		t.scans[other.Name], promises[other.Name] = p, p
		specs = append(specs, other)
	}
	return specs, promises
}
