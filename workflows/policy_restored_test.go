package workflows

import (
	"testing"

	"dw/receipts"
)

// TestRestoredDoesNotActByItself: a backup in which a domain is at L3 does not let dw
// act by itself; one at L2 stays as it was.
func TestRestoredDoesNotActByItself(t *testing.T) {
	t.Parallel()
	for level, lowered := range map[Level]int{L3Act: 1, L2Propose: 0, L1Observe: 0} {
		e := opened(func(e *estate) { e.open(level) })
		rev := e.store.data.inForce.Rev
		err := e.store.Update(t.Context(), func(tx Tx) error {
			return LowerRestored(t.Context(), tx, []Policy{e.policy}, e.now)
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := e.inForce(t).Level, min(level, L2Propose); got != want {
			t.Errorf("a backup at %s is at %s, want %s", level, got, want)
		}
		if n := e.kinds()[receipts.KindAutonomyLevelChanged]; n != lowered || len(e.store.data.effects) != lowered || e.store.data.inForce.Rev != rev+int64(lowered) {
			t.Errorf("%s: %d receipts, %d notices", level, n, len(e.store.data.effects))
		}
		if level == L3Act {
			e.asked(t)
			if wantState(t, e.key(t, "hold"), Waiting); len(e.sched.launches) != 0 {
				t.Errorf("launches %v", e.sched.launches)
			}
		}
	}
}
