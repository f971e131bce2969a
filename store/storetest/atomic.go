package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"dw/workflows"
)

// writeAll writes one of everything.
func writeAll(ctx context.Context, tx workflows.Tx) error {
	_, err1 := tx.PutIncident(ctx, incident(1))
	_, err2 := tx.PutProposal(ctx, proposal(1, "I001"))
	_, err3 := tx.AppendReceipt(ctx, draft(1))
	return errors.Join(err1, err2, err3,
		tx.SetDeadline(ctx, deadline(workflows.DeadlineExpire, "P001", 0)),
		tx.Enqueue(ctx, effect("a")))
}

// nothingLeft checks that s is as empty as a new store, and that what failed
// can be done afterwards: no lock, key or sequence was used up.
func nothingLeft(t *testing.T, s Subject) {
	t.Helper()
	st := stateOf(t, s)
	left := len(st.incidents) + len(st.proposals) + len(st.deadlines) + int(st.head) + st.receipts + len(st.effects)
	if left != 0 {
		t.Fatalf("left behind: %+v", st)
	}
	update(t, s, writeAll)
	equal(t, "receipts after a new try", Verify(t, s.Store), 1)
	equal(t, "effects after a new try", s.Queued(t), []workflows.Effect{effect("a")})
}

func errorLeavesNothing(t *testing.T, s Subject) {
	err := s.Store.Update(t.Context(), func(tx workflows.Tx) error {
		return errors.Join(writeAll(t.Context(), tx), errStop)
	})
	if !errors.Is(err, errStop) {
		t.Fatalf("got error %v, want the function's own", err)
	}
	nothingLeft(t, s)
}

func panicLeavesNothing(t *testing.T, s Subject) {
	func() {
		defer func() {
			if got := recover(); got != any(errStop) {
				t.Errorf("recovered %v, want the function's own panic", got)
			}
		}()
		_ = s.Store.Update(t.Context(), func(tx workflows.Tx) error {
			if err := writeAll(t.Context(), tx); err != nil {
				return err
			}
			panic(errStop) //nolint:forbidigo // what the test is about
		})
	}()
	nothingLeft(t, s)
}

func cancelLeavesNothing(t *testing.T, s Subject) {
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Store.Update(ctx, func(tx workflows.Tx) error {
		err := writeAll(ctx, tx)
		cancel()
		return err
	})
	if err == nil {
		t.Fatal("an update was committed after its context had ended")
	}
	nothingLeft(t, s)
}

func ignoredErrorLeavesNothing(t *testing.T, s Subject) {
	err := s.Store.Update(t.Context(), func(tx workflows.Tx) error {
		if err := writeAll(t.Context(), tx); err != nil {
			return err
		}
		_ = tx.Enqueue(t.Context(), workflows.Effect{}) // refused
		return nil
	})
	if err == nil {
		t.Fatal("an update was committed though one of its writes had failed")
	}
	nothingLeft(t, s)
}

func ownWrites(t *testing.T, s Subject) {
	update(t, s, func(ctx context.Context, tx workflows.Tx) error {
		put, err := tx.PutIncident(ctx, incident(1))
		if err != nil {
			return err
		}
		got, err := tx.Incident(ctx, put.ID)
		equal(t, "incident within its transaction", got, put)
		return err
	})
}

// viewIsOneState: each update moves an incident and the log by one; whatever a
// view sees, the two agree, however often it looks.
func viewIsOneState(t *testing.T, s Subject) {
	const rounds = 30
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		i := incident(1)
		for n := range rounds {
			err := s.Store.Update(t.Context(), func(tx workflows.Tx) error {
				var err error
				if i, err = tx.PutIncident(t.Context(), i); err != nil {
					return err
				}
				_, err = tx.AppendReceipt(t.Context(), draft(n))
				return err
			})
			if err != nil {
				t.Errorf("update: %v", err)
				return
			}
		}
	})
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					lookTwice(t, s)
				}
			}
		})
	}
	wg.Wait()
	equal(t, "receipts", Verify(t, s.Store), rounds)
}

func lookTwice(t *testing.T, s Subject) {
	var seen []int64
	err := s.Store.View(t.Context(), func(tx workflows.ReadTx) error {
		for range 2 {
			head, err := tx.Head(t.Context())
			if err != nil {
				return err
			}
			i, err := tx.Incident(t.Context(), "I001")
			if err != nil && !errors.Is(err, workflows.ErrNotFound) {
				return err
			}
			seen = append(seen, head.Seq, i.Rev)
		}
		return nil
	})
	if err != nil {
		t.Errorf("view: %v", err)
	}
	for _, n := range seen {
		if n != seen[0] {
			t.Errorf("one view saw several states: %v", seen)
		}
	}
}

func overAfterwards(t *testing.T, s Subject) {
	var kept workflows.Tx
	update(t, s, func(_ context.Context, tx workflows.Tx) error {
		kept = tx
		return nil
	})
	if _, err := kept.PutIncident(t.Context(), incident(1)); err == nil {
		t.Error("a transaction could be written after it had ended")
	}
	if _, err := kept.Incidents(t.Context(), false, 0); err == nil {
		t.Error("a transaction could be read after it had ended")
	}
}
