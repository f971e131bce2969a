package app

import (
	"context"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/store"
	"dw/workflows"
)

// TestTheLastWordOfATool: dw cannot ask other tools again, so what they said
// last counts, and an alarm from before the repair is no answer.
func TestTheLastWordOfATool(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	say := func(status checks.Status, at time.Time) checks.Result {
		return checks.Result{Check: "soda/rows", Kind: workflows.KindSignal, Tool: "Soda", Status: status, At: at, Message: "rows"}
	}
	for name, tc := range map[string]struct {
		words    []checks.Result
		repaired time.Time
		ok       bool
		problem  string // of the verification
		asked    string // why it could not be asked
	}{
		"passes":                        {words: []checks.Result{say(checks.Fail, noon), say(checks.Pass, noon.Add(time.Hour))}, ok: true},
		"passes after the repair":       {words: []checks.Result{say(checks.Pass, noon.Add(time.Hour))}, repaired: noon.Add(30 * time.Minute), ok: true},
		"fails":                         {words: []checks.Result{say(checks.Fail, noon)}, problem: "Soda still says fail of soda/rows"},
		"fails after the repair":        {words: []checks.Result{say(checks.Fail, noon.Add(time.Hour))}, repaired: noon.Add(30 * time.Minute), problem: "Soda still says fail"},
		"silent since the repair":       {words: []checks.Result{say(checks.Fail, noon)}, repaired: noon.Add(time.Minute), asked: "Soda has not spoken of soda/rows since the repair"},
		"could not be asked in the end": {words: []checks.Result{say(checks.Pass, noon), say(checks.Error, noon.Add(time.Hour))}, ok: true},
		"nothing is known any more":     {problem: "Soda still says fail"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			db, err := store.Open(ctx, t.TempDir()+"/dw.db", store.Options{Instance: "test"})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close() //nolint:errcheck // the test's own
			for _, word := range tc.words {
				if err := db.Update(ctx, func(tx workflows.Tx) error { return tx.PutResult(ctx, word) }); err != nil {
					t.Fatal(err)
				}
			}
			i := workflows.Incident{ID: "INC-1", VerifyFrom: tc.repaired, Signals: []workflows.Signal{{Check: "soda/rows", Result: say(checks.Fail, noon)}, {Check: "own"}}}
			v := workflows.Verification{OK: true}
			err = (&runner{store: db}).recheckTools(ctx, i, &v)
			if tc.asked != "" {
				if err == nil || err.Error() != tc.asked {
					t.Errorf("%v, want %q", err, tc.asked)
				}
				return
			}
			if err != nil || v.OK != tc.ok || !strings.HasPrefix(v.Problem, tc.problem) || len(v.Results) != 1 {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
}
