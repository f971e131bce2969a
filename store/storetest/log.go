package storetest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"dw/receipts"
	"dw/workflows"
)

// Verify reads the whole log of s in one view and fails the test unless it
// verifies against the stored head. It returns the number of receipts.
func Verify(t *testing.T, s workflows.Store) int64 {
	t.Helper()
	var head receipts.Head
	var report receipts.Report
	err := s.View(t.Context(), func(tx workflows.ReadTx) error {
		entries, err := tx.Receipts(t.Context(), 0, 0)
		if err != nil {
			return err
		}
		if head, err = tx.Head(t.Context()); err != nil {
			return err
		}
		note, err := tx.Checkpoint(t.Context())
		report = receipts.VerifyEntries(func(yield func(receipts.Entry, error) bool) {
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
		}, head, note, "")
		return err
	})
	if err != nil {
		t.Fatalf("read the log: %v", err)
	}
	if report.Code != receipts.CodeUnsigned && report.Code != receipts.CodeGood {
		t.Fatalf("the log does not verify: %+v", report)
	}
	return head.Seq
}

func receiptsChain(t *testing.T, s Subject) {
	equal(t, "receipts of an empty log", Verify(t, s.Store), 0)
	var appended []receipts.Entry
	for n := range 9 {
		update(t, s, func(ctx context.Context, tx workflows.Tx) error {
			// Two in one transaction: the second builds on the first.
			a, err := tx.AppendReceipt(ctx, draft(2*n))
			b, err2 := tx.AppendReceipt(ctx, draft(2*n+1))
			appended = append(appended, a, b)
			return errors.Join(err, err2)
		})
	}
	equal(t, "receipts", Verify(t, s.Store), 18)
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		stored, err := tx.Receipts(ctx, 0, 0)
		equal(t, "stored receipts", stored, appended)
		head, err2 := tx.Head(ctx)
		equal(t, "head", head, receipts.Head{Seq: 18, Chain: appended[17].Chain, At: draft(17).At})
		return errors.Join(err, err2)
	})
}

func receiptPages(t *testing.T, s Subject) {
	update(t, s, func(ctx context.Context, tx workflows.Tx) error {
		for n := range 5 {
			if _, err := tx.AppendReceipt(ctx, draft(n)); err != nil {
				return err
			}
		}
		return nil
	})
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		var seqs []int64
		for after := int64(0); ; {
			page, err := tx.Receipts(ctx, after, 2)
			if err != nil {
				return err
			}
			if len(page) == 0 {
				break
			}
			for _, e := range page {
				seqs = append(seqs, e.Seq)
			}
			after = page[len(page)-1].Seq
		}
		equal(t, "seqs by pages", seqs, []int64{1, 2, 3, 4, 5})
		return nil
	})
}

func concurrentReceipts(t *testing.T, s Subject) {
	const writers = 16
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for n := range writers {
		wg.Go(func() {
			errs[n] = s.Store.Update(t.Context(), func(tx workflows.Tx) error {
				_, err := tx.AppendReceipt(t.Context(), draft(n))
				return err
			})
		})
	}
	wg.Wait()
	stored := int64(0)
	for _, err := range errs {
		if err == nil {
			stored++
		} else if !errors.Is(err, workflows.ErrConflict) {
			t.Errorf("append: got %v, want success or a conflict", err)
		}
	}
	equal(t, "receipts", Verify(t, s.Store), stored)
	if stored == 0 {
		t.Error("nobody could append")
	}
}

func refusedReceipt(t *testing.T, s Subject) {
	err := s.Store.Update(t.Context(), func(tx workflows.Tx) error {
		_, err := tx.AppendReceipt(t.Context(), receipts.Draft{Kind: "Not A Kind"})
		return err
	})
	if !errors.Is(err, receipts.ErrDraft) {
		t.Errorf("got error %v, want an incomplete receipt", err)
	}
	equal(t, "receipts", Verify(t, s.Store), 0)
}

func effectsOnce(t *testing.T, s Subject) {
	queue := func(keys ...string) {
		update(t, s, func(ctx context.Context, tx workflows.Tx) error {
			for _, key := range keys {
				if err := tx.Enqueue(ctx, effect(key)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	queue("a", "b", "a")
	queue("b", "c")
	changed := effect("c")
	changed.Kind = workflows.EffectIncidentCard // the key alone decides
	update(t, s, func(ctx context.Context, tx workflows.Tx) error { return tx.Enqueue(ctx, changed) })
	equal(t, "queued effects", s.Queued(t), []workflows.Effect{effect("a"), effect("b"), effect("c")})
}

func effectWithoutKey(t *testing.T, s Subject) {
	for name, e := range map[string]workflows.Effect{
		"no key":  {Kind: workflows.EffectThreadNote},
		"no kind": {Key: "a"},
		"payload": {Kind: workflows.EffectThreadNote, Key: "a", Payload: []byte("{")},
	} {
		err := s.Store.Update(t.Context(), func(tx workflows.Tx) error { return tx.Enqueue(t.Context(), e) })
		if err == nil {
			t.Errorf("%s: it was queued", name)
		}
	}
	equal(t, "queued effects", len(s.Queued(t)), 0)
}

// clockJump: a clock that went back is recorded, and the log goes on.
func clockJump(t *testing.T, s Subject) {
	update(t, s, func(ctx context.Context, tx workflows.Tx) error {
		_, err := tx.AppendReceipt(ctx, draft(0))
		return err
	})
	back := draft(1)
	back.At = draft(0).At.Add(-time.Hour)
	update(t, s, func(ctx context.Context, tx workflows.Tx) error {
		_, err := tx.AppendReceipt(ctx, back)
		return err
	})
	equal(t, "receipts: one, the jump, and the one after it", Verify(t, s.Store), 3)
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		stored, err := tx.Receipts(ctx, 1, 1)
		if err == nil && !strings.Contains(string(stored[0].Bytes), receipts.KindClockJump) {
			t.Errorf("the second receipt is %s, want a clock jump", stored[0].Bytes)
		}
		return err
	})
}
