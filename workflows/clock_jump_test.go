package workflows

import (
	"testing"
	"time"

	"dw/receipts"
)

// TestFault15ClockJumps: the clock jumps an hour forward or back while a request
// waits and while an approved one is carried out. Nothing is granted by it, each
// deadline fires once by the stored times, and the jump has its receipt.
func TestFault15ClockJumps(t *testing.T) {
	t.Parallel()
	for name, jump := range map[string]time.Duration{"forward": time.Hour, "back": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate()
			e.asked(t)
			e.approve(t, "change")
			p := e.key(t, "hold")
			from := e.now
			e.now = e.now.Add(jump)
			if err := e.svc.ClockJumped(t.Context(), from, e.now); err != nil {
				t.Fatal(err)
			}
			e.tick(t)
			wantState(t, e.key(t, "hold"), Waiting)
			if n := len(e.key(t, "hold").Decisions); n != 0 {
				t.Errorf("%d decisions that nobody made", n)
			}
			if d := e.last(receipts.KindClockJump); d.Body["seconds"] != int64(jump.Seconds()) || d.Body["from"] != from || !d.At.Equal(e.now) {
				t.Errorf("the jump's receipt is %+v", d)
			}
			e.pass(t, p.Clocks.ExpiresAt.Sub(e.now)-time.Second)
			wantState(t, e.key(t, "hold"), Waiting)
			e.pass(t, time.Second)
			wantState(t, e.key(t, "hold"), Expired)
			if n := e.kinds()[receipts.KindExpiry]; n != 2 { // of the hold and of the recovery
				t.Errorf("%d expiries, want 2", n)
			}
			wantState(t, e.key(t, "change"), Executing)
		})
	}
}
