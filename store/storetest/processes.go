package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"dw/workflows"
)

// each runs do n times at once on both of two stores that share a database.
func each(t *testing.T, s Subject, n int, do func(store workflows.Store, process, n int) error) {
	t.Helper()
	var wg sync.WaitGroup
	for process, store := range []workflows.Store{s.Store, s.Another(t)} {
		for k := range n {
			wg.Go(func() {
				if err := do(store, process, k); err != nil {
					t.Errorf("process %d, call %d: %v", process, k, err)
				}
			})
		}
	}
	wg.Wait()
}

// receiptsOfTwo: the receipts of two processes form one chain, none is lost and
// none of the writers is refused: they wait for each other.
func receiptsOfTwo(t *testing.T, s Subject) {
	const calls = 10
	each(t, s, calls, func(store workflows.Store, _, _ int) error {
		return store.Update(t.Context(), func(tx workflows.Tx) error {
			_, err := tx.AppendReceipt(t.Context(), draft(0)) // all at one time: their order is free
			return err
		})
	})
	equal(t, "receipts", Verify(t, s.Store), 2*calls)
}

// deadlinesOfTwo: of two processes that see the same deadlines, one fires each.
func deadlinesOfTwo(t *testing.T, s Subject) {
	const calls = 5
	update(t, s, func(ctx context.Context, tx workflows.Tx) error {
		var errs []error
		for n := range calls {
			errs = append(errs, tx.SetDeadline(ctx, deadline(workflows.DeadlineExpire, fmt.Sprint("P", n), 0)))
		}
		return errors.Join(errs...)
	})
	var taken [calls]atomic.Int32
	each(t, s, calls, func(store workflows.Store, _, n int) error {
		won := false
		err := store.Update(t.Context(), func(tx workflows.Tx) (err error) {
			won, err = tx.TakeDeadline(t.Context(), deadline(workflows.DeadlineExpire, fmt.Sprint("P", n), 0))
			return err
		})
		if won && err == nil {
			taken[n].Add(1)
		}
		return err
	})
	for n := range taken {
		equal(t, fmt.Sprint("takers of deadline ", n), taken[n].Load(), 1)
	}
}

// revisionOfTwo: two processes read one revision; one of them writes the next.
func revisionOfTwo(t *testing.T, s Subject) {
	var read workflows.Incident
	update(t, s, func(ctx context.Context, tx workflows.Tx) (err error) {
		read, err = tx.PutIncident(ctx, incident(1))
		return err
	})
	var won, lost atomic.Int32
	each(t, s, 4, func(store workflows.Store, _, _ int) error {
		err := store.Update(t.Context(), func(tx workflows.Tx) error {
			_, err := tx.PutIncident(t.Context(), read)
			return err
		})
		switch {
		case err == nil:
			won.Add(1)
		case errors.Is(err, workflows.ErrConflict):
			lost.Add(1)
			return nil
		}
		return err
	})
	equal(t, "winners", won.Load(), 1)
	equal(t, "losers", lost.Load(), 7)
}

// effectsOfTwo: an effect that two processes queue is in the queue once.
func effectsOfTwo(t *testing.T, s Subject) {
	each(t, s, 4, func(store workflows.Store, _, n int) error {
		return store.Update(t.Context(), func(tx workflows.Tx) error {
			return tx.Enqueue(t.Context(), effect(fmt.Sprint("e", n)))
		})
	})
	equal(t, "queued effects", len(s.Queued(t)), 4)
}

// seesTheOther: what one process has committed the other reads at once, also
// within an update, and a view that began before stays as it was.
func seesTheOther(t *testing.T, s Subject) {
	other := s.Another(t)
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		before, err := tx.Incidents(ctx, false, 0)
		equal(t, "incidents before", len(before), 0)
		err2 := other.Update(ctx, func(tx workflows.Tx) error {
			_, err := tx.PutIncident(ctx, incident(1))
			return err
		})
		during, err3 := tx.Incidents(ctx, false, 0)
		equal(t, "incidents in the view that began before", len(during), 0)
		return errors.Join(err, err2, err3)
	})
	update(t, s, func(ctx context.Context, tx workflows.Tx) error {
		i, err := tx.Incident(ctx, "I001")
		equal(t, "revision that the other wrote", i.Rev, 1)
		return err
	})
}
