package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/workflows"
)

func result(check string, minutes int) checks.Result {
	return checks.Result{
		Check:    check,
		Status:   checks.Fail,
		At:       base().Add(time.Duration(minutes) * time.Minute),
		Message:  fmt.Sprintf("%s at minute %d", check, minutes),
		Observed: &checks.Measure{Value: 0.1 + float64(minutes), Unit: "rows", At: base()},
	}
}

func results(t *testing.T, s Subject) {
	update(t, s, func(ctx context.Context, tx workflows.Tx) error {
		return errors.Join(
			tx.PutResult(ctx, result("volume", 2)),
			tx.PutResult(ctx, result("freshness", 1)),
			tx.PutResult(ctx, result("volume", 3)),
			tx.PutResult(ctx, result("volume", 1)), // late: not the newest
			tx.PutResult(ctx, unasked("freshness", 4)),
		)
	})
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		last, found, err := tx.LastResult(ctx, "volume")
		equal(t, "last result is found", found, true)
		equal(t, "last result", last, result("volume", 3))
		all, err2 := tx.LastResults(ctx)
		equal(t, "last results", all, []checks.Result{unasked("freshness", 4), result("volume", 3)})
		answer, found, err3 := tx.LastAnswer(ctx, "freshness")
		equal(t, "last answer is found", found, true)
		equal(t, "last answer, behind one that could not be asked", answer, result("freshness", 1))
		_, found, err4 := tx.LastAnswer(ctx, "none")
		equal(t, "last answer of a check that never ran is found", found, false)
		return errors.Join(err, err2, err3, err4)
	})
}

// unasked is a result of a check that could not be asked.
func unasked(check string, n int) checks.Result {
	r := result(check, n)
	r.Status = checks.Error
	return r
}

// resultCap: the newest stay, of each check its own.
func resultCap(t *testing.T, s Subject) {
	update(t, s, func(ctx context.Context, tx workflows.Tx) error {
		if err := tx.PutResult(ctx, result("freshness", 0)); err != nil {
			return err
		}
		for n := range s.KeepResults + 3 {
			if err := tx.PutResult(ctx, result("volume", n)); err != nil {
				return err
			}
		}
		// Older than all that are kept: it goes at once.
		return tx.PutResult(ctx, result("volume", -1))
	})
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		all, err := tx.LastResults(ctx)
		equal(t, "last results", all, []checks.Result{result("freshness", 0), result("volume", s.KeepResults+2)})
		return err
	})
}

func change(system, id string, minutes int, text string) diagnosis.ChangeEvent {
	return diagnosis.ChangeEvent{
		System: system, ID: id, Kind: "deploy", Text: text,
		At: base().Add(time.Duration(minutes) * time.Minute),
	}
}

func changes(t *testing.T, s Subject) {
	for _, c := range []struct {
		event diagnosis.ChangeEvent
		fresh bool
	}{
		{change("git", "1", 1, "first"), true},
		{change("git", "1", 9, "told again"), false},
		{change("ci", "1", 2, "another system"), true},
		{change("git", "2", 3, "second"), true},
	} {
		update(t, s, func(ctx context.Context, tx workflows.Tx) error {
			fresh, err := tx.PutChange(ctx, c.event)
			equal(t, "fresh: "+c.event.Text, fresh, c.fresh)
			return err
		})
	}
	view(t, s, func(ctx context.Context, tx workflows.ReadTx) error {
		text := func(c diagnosis.ChangeEvent) string { return c.Text }
		all, err := tx.Changes(ctx, base(), base().Add(time.Hour))
		equal(t, "all changes", ids(all, text), "second another system first")
		some, err2 := tx.Changes(ctx, base().Add(time.Minute), base().Add(2*time.Minute))
		equal(t, "changes between, both ends included", ids(some, text), "another system first")
		return errors.Join(err, err2)
	})
}
