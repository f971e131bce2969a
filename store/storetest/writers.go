package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"dw/workflows"
)

// manyWriters: writers at once succeed, fail, panic and are cancelled at random after
// or before they have written; what is stored is what was acknowledged, rows, receipts
// and effects alike, and the log is one chain.
func manyWriters(t *testing.T, s Subject) {
	const writers, each = 8, 12
	acknowledged := make([][]string, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), 5)) //nolint:gosec // what happens must be the same each time
			for n := range each {
				id := fmt.Sprintf("I%d-%02d", w, n)
				if badlyOrWell(t, s.Store, id, random.IntN(8)) {
					acknowledged[w] = append(acknowledged[w], id)
				}
			}
		})
	}
	wg.Wait()
	want := slices.Sorted(slices.Values(slices.Concat(acknowledged...)))
	st := stateOf(t, s)
	equal(t, "receipts", Verify(t, s.Store), int64(len(want)))
	var rows, effects []string
	for _, i := range st.incidents {
		rows = append(rows, i.ID)
	}
	for _, e := range st.effects {
		effects = append(effects, e.Key)
	}
	equal(t, "incidents", slices.Sorted(slices.Values(rows)), want)
	equal(t, "effects", slices.Sorted(slices.Values(effects)), want)
	if len(want) == 0 || len(want) == writers*each {
		t.Errorf("%d of %d updates were acknowledged, so the test missed what it is about", len(want), writers*each)
	}
}

// badlyOrWell writes an incident, a receipt and an effect, fails as how says, and
// reports whether that was acknowledged.
func badlyOrWell(t *testing.T, store workflows.Store, id string, how int) (acknowledged bool) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	defer func() {
		if thrown := recover(); thrown != nil && thrown != any(errStop) {
			t.Errorf("recovered %v", thrown)
		}
	}()
	if how == 0 {
		cancel()
	}
	err := store.Update(ctx, func(tx workflows.Tx) error {
		i := incident(1)
		i.ID = id
		_, err1 := tx.PutIncident(ctx, i)
		_, err2 := tx.AppendReceipt(ctx, draft(0))
		err3 := tx.Enqueue(ctx, effect(id))
		switch how {
		case 1:
			return errors.Join(err1, err2, err3, errStop)
		case 2:
			panic(errStop) //nolint:forbidigo // what the test is about
		case 3:
			cancel()
		case 4:
			_ = tx.Enqueue(ctx, workflows.Effect{}) // refused, and ignored
		}
		return errors.Join(err1, err2, err3)
	})
	if how > 4 && err != nil {
		t.Errorf("update %s: %v", id, err)
	}
	return err == nil
}
