package storetest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dw/workflows"
)

func due(d workflows.Deadline) string { return d.Kind + "/" + d.Subject }

func dueAt(t *testing.T, s Subject, after time.Duration, limit int) string {
	t.Helper()
	var names string
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		list, err := tx.Due(ctx, base().Add(after), limit)
		names = ids(list, due)
		return err
	})
	return names
}

func deadlines(t *testing.T, s Subject) {
	moved := deadline(workflows.DeadlineRemind, "P001", 5*time.Minute)
	update(t, s, func(ctx context.Context, tx workflows.Tx) error {
		return errors.Join(
			tx.SetDeadline(ctx, deadline(workflows.DeadlineRemind, "P001", time.Minute)),
			tx.SetDeadline(ctx, deadline(workflows.DeadlineExpire, "P001", 3*time.Minute)),
			tx.SetDeadline(ctx, deadline(workflows.DeadlinePoll, "P001/1", 2*time.Minute)),
			tx.SetDeadline(ctx, moved), // replaces the first
		)
	})
	equal(t, "due before the first", dueAt(t, s, 2*time.Minute-time.Microsecond, 0), "")
	equal(t, "due at its instant", dueAt(t, s, 2*time.Minute, 0), "poll/P001/1")
	equal(t, "due at the end", dueAt(t, s, time.Hour, 0), "poll/P001/1 expire/P001 remind/P001")
	equal(t, "due at the end, two", dueAt(t, s, time.Hour, 2), "poll/P001/1 expire/P001")
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		got, found, err := tx.Deadline(ctx, workflows.DeadlineRemind, "P001")
		equal(t, "deadline is found", found, true)
		equal(t, "deadline", got, moved)
		return err
	})
	update(t, s, func(ctx context.Context, tx workflows.Tx) error {
		stale, err := tx.TakeDeadline(ctx, deadline(workflows.DeadlineRemind, "P001", time.Minute))
		equal(t, "taken, though it had moved", stale, false)
		taken, err2 := tx.TakeDeadline(ctx, moved)
		equal(t, "taken", taken, true)
		again, err3 := tx.TakeDeadline(ctx, moved)
		equal(t, "taken twice", again, false)
		return errors.Join(err, err2, err3, tx.DropDeadlines(ctx, "P001"))
	})
	equal(t, "due after dropping P001's", dueAt(t, s, time.Hour, 0), "poll/P001/1")
}

// deadlineNeverEarly: a due time finer than what is stored may fire late by
// less than a microsecond, never early, and can be taken as it was set.
func deadlineNeverEarly(t *testing.T, s Subject) {
	d := deadline(workflows.DeadlineExpire, "P001", 500*time.Nanosecond)
	update(t, s, func(ctx context.Context, tx workflows.Tx) error { return tx.SetDeadline(ctx, d) })
	equal(t, "due just before", dueAt(t, s, 499*time.Nanosecond, 0), "")
	equal(t, "due a microsecond later", dueAt(t, s, time.Microsecond, 0), "expire/P001")
	update(t, s, func(ctx context.Context, tx workflows.Tx) error {
		taken, err := tx.TakeDeadline(ctx, d)
		equal(t, "taken", taken, true)
		return err
	})
}

// deadlineTakers: of all who try to take a deadline at once, one does.
func deadlineTakers(t *testing.T, s Subject) {
	d := deadline(workflows.DeadlineEscalate, "P001", 0)
	update(t, s, func(ctx context.Context, tx workflows.Tx) error { return tx.SetDeadline(ctx, d) })
	var taken atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			err := s.Store.Update(t.Context(), func(tx workflows.Tx) error {
				ok, err := tx.TakeDeadline(t.Context(), d)
				if ok {
					taken.Add(1)
				}
				return err
			})
			if err != nil {
				t.Errorf("take: %v", err)
			}
		})
	}
	wg.Wait()
	equal(t, "takers", taken.Load(), 1)
}
