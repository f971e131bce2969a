package store

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dw/receipts"
	"dw/workflows"
)

// held is a store whose first commit waits until let go.
type held struct {
	*DB

	commits atomic.Int32
	inFirst chan struct{} // closed in the first commit
	letGo   chan struct{}
}

func newHeld(t *testing.T) *held {
	t.Helper()
	h := &held{inFirst: make(chan struct{}), letGo: make(chan struct{})}
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "dw.db"), Options{Instance: "a", Crash: func(point string) {
		if point == CrashBeforeCommit && h.commits.Add(1) == 1 {
			close(h.inFirst)
			<-h.letGo
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	h.DB = db
	return h
}

// append is an update that appends one receipt.
func (h *held) append(ctx context.Context) error {
	return h.Update(ctx, func(tx workflows.Tx) error {
		_, err := tx.AppendReceipt(ctx, benchDraft(0))
		return err
	})
}

// queued waits until n updates wait for their turn.
func (h *held) queued(t *testing.T, n int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() {
		h.line.mu.Lock()
		waiting := len(h.line.waiting)
		h.line.mu.Unlock()
		if waiting == n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d updates wait, want %d", waiting, n)
		}
	}
}

// together runs the updates in one shared transaction, in their order, behind one
// that commits first, and returns what each answered.
func (h *held) together(t *testing.T, updates ...func(tx workflows.Tx) error) []error {
	t.Helper()
	errs := make([]error, len(updates))
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := h.append(t.Context()); err != nil {
			t.Errorf("the first update: %v", err)
		}
	})
	<-h.inFirst
	for n, do := range updates {
		errs[n] = errors.New("it never answered")
		wg.Go(func() {
			defer func() {
				if thrown := recover(); thrown != nil {
					errs[n], _ = thrown.(error)
				}
			}()
			errs[n] = h.Update(t.Context(), do)
		})
		h.queued(t, n+1)
	}
	close(h.letGo)
	wg.Wait()
	return errs
}

func (h *held) receipts(t *testing.T) int64 {
	t.Helper()
	var report receipts.Report
	err := h.View(t.Context(), func(tx workflows.ReadTx) error {
		list, err := tx.Receipts(t.Context(), 0, 0)
		if err != nil {
			return err
		}
		head, err := tx.Head(t.Context())
		report = receipts.VerifyEntries(func(yield func(receipts.Entry, error) bool) {
			for _, e := range list {
				if !yield(e, nil) {
					return
				}
			}
		}, head, nil, "")
		return err
	})
	if err != nil || report.Code != receipts.CodeUnsigned {
		t.Fatalf("the log does not verify: %v %+v", err, report)
	}
	return report.Count
}

func appendOne(tx workflows.Tx) error {
	_, err := tx.AppendReceipt(context.Background(), benchDraft(0))
	return err
}

func putIncident(id string) func(workflows.Tx) error {
	return func(tx workflows.Tx) error {
		_, err := tx.PutIncident(context.Background(), workflows.Incident{ID: id, State: workflows.Open})
		return errors.Join(err, appendOne(tx))
	}
}

// What queues up during a commit shares the next one; each update sees what the
// ones before it have written, rows and receipts, before any of it is committed.
func TestUpdatesThatWaitShareOneCommit(t *testing.T) {
	t.Parallel()
	h := newHeld(t)
	var heads, listed []int64
	see := func(tx workflows.Tx) error {
		head, err := tx.Head(t.Context())
		if err != nil {
			return err
		}
		list, err := tx.Receipts(t.Context(), 1, int(head.Seq)-1)
		heads, listed = append(heads, head.Seq), append(listed, int64(len(list)))
		return errors.Join(err, appendOne(tx))
	}
	readI1 := func(tx workflows.Tx) error { _, err := tx.Incident(t.Context(), "I1"); return err }
	for n, err := range h.together(t, see, see, putIncident("I1"), readI1, see) {
		if err != nil {
			t.Errorf("update %d: %v", n, err)
		}
	}
	for n, want := range []int64{1, 2, 4} {
		if heads[n] != want || listed[n] != want-1 {
			t.Errorf("look %d: head %d and %d receipts after the first, want %d and %d", n, heads[n], listed[n], want, want-1)
		}
	}
	if n := h.commits.Load(); n != 2 {
		t.Errorf("%d commits, want 2", n)
	}
	if n := h.receipts(t); n != 5 {
		t.Errorf("%d receipts, want 5", n)
	}
}

// An update that fails after it has written, panics, or ends its goroutine takes
// back its own rows and receipts, and nothing of those before and after it.
func TestFailureInASharedCommitUndoesItsOwnOnly(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	for name, fail := range map[string]func(){
		"error":   func() {},
		"panic":   func() { panic(refused) }, //nolint:forbidigo // what the test is about
		"Goexit":  runtime.Goexit,
		"reading": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHeld(t)
			errs := h.together(t, putIncident("I1"), func(tx workflows.Tx) error {
				if fail == nil { // an error without a write
					return refused
				}
				if err := putIncident("I2")(tx); err != nil {
					return err
				}
				fail()
				return refused
			}, putIncident("I3"))
			if errs[0] != nil || errs[1] == nil || errs[2] != nil {
				t.Errorf("got %v, want the second alone to fail", errs)
			}
			if name != "Goexit" && !errors.Is(errs[1], refused) {
				t.Errorf("the second got %v, want its own error", errs[1])
			}
			if n := h.commits.Load(); n != 2 {
				t.Errorf("%d commits, want 2", n)
			}
			wantIncidents(t, h, "I1", "I3")
			if n := h.receipts(t); n != 3 {
				t.Errorf("%d receipts, want 3", n)
			}
		})
	}
}

func wantIncidents(t *testing.T, h *held, want ...string) {
	t.Helper()
	var got []string
	err := h.View(t.Context(), func(tx workflows.ReadTx) error {
		list, err := tx.Incidents(t.Context(), false, 0)
		for _, i := range list {
			got = append(got, i.ID)
		}
		return err
	})
	if slices.Sort(got); err != nil || !slices.Equal(got, want) {
		t.Errorf("stored %v, want %v: %v", got, want, err)
	}
}

// A commit that fails for the fault of one update, which nothing before the commit
// can tell, is none of the others': each runs again alone.
func TestLostSharedCommitIsTheFaultOfOne(t *testing.T) {
	t.Parallel()
	h := newHeld(t)
	orphan := func(tx workflows.Tx) error {
		_, err := tx.PutProposal(t.Context(), workflows.Proposal{ID: "P1", Incident: "nowhere"})
		return errors.Join(err, appendOne(tx))
	}
	errs := h.together(t, putIncident("I1"), orphan, putIncident("I3"))
	if errs[0] != nil || errs[1] == nil || errs[2] != nil {
		t.Errorf("got %v, want the second alone refused", errs)
	}
	wantIncidents(t, h, "I1", "I3")
	if n := h.receipts(t); n != 3 {
		t.Errorf("%d receipts, want 3", n)
	}
}

// Who gives up waiting leaves the line, and one whose context ends in its own update
// is undone; the statements of the others are not interrupted.
func TestCancelledUpdateDoesNotHarmOthers(t *testing.T) {
	t.Parallel()
	h := newHeld(t)
	waiting, giveUp := context.WithCancel(t.Context())
	within, endWithin := context.WithCancel(t.Context())
	errs := make([]error, 5)
	var wg sync.WaitGroup
	wg.Go(func() { errs[0] = h.append(t.Context()) })
	<-h.inFirst
	left := make(chan struct{})
	start := func(n int, do func() error) {
		wg.Go(func() { errs[n] = do() })
		h.queued(t, n)
	}
	start(1, func() error { return h.Update(t.Context(), putIncident("I1")) })
	start(2, func() error {
		defer close(left)
		return h.Update(waiting, putIncident("I2"))
	})
	giveUp()
	select {
	case <-left: // while the first commit still runs
	case <-time.After(time.Minute):
		t.Error("who gave up waiting did not leave the line")
	}
	h.queued(t, 1)
	wg.Go(func() {
		errs[3] = h.Update(within, func(tx workflows.Tx) error {
			err := putIncident("I3")(tx)
			endWithin()
			return err
		})
	})
	h.queued(t, 2)
	wg.Go(func() { errs[4] = h.Update(t.Context(), putIncident("I4")) })
	h.queued(t, 3)
	close(h.letGo)
	wg.Wait()
	if errs[0] != nil || errs[1] != nil || errs[4] != nil {
		t.Errorf("those who were not cancelled: %v", errs)
	}
	if !errors.Is(errs[2], context.Canceled) || !errors.Is(errs[3], context.Canceled) {
		t.Errorf("those who were: %v", errs)
	}
	wantIncidents(t, h, "I1", "I4")
	if n := h.receipts(t); n != 3 {
		t.Errorf("%d receipts, want 3", n)
	}
}
