package workflows

import (
	"testing"
	"time"

	"dw/receipts"
)

// TestHundredStops: a listed person pulls the stop a hundred times, each time
// twice, and another lifts it. Not one pull is ignored, each lift takes somebody
// else, a cycle queues no more messages than the first, and what was approved in
// the last one waits for its lift and starts once.
func TestHundredStops(t *testing.T) {
	t.Parallel()
	const cycles = 100
	e := newEstate(func(e *estate) { e.policy.ExpireAfter, e.policy.ExecuteWithin = 24*time.Hour, 24*time.Hour })
	e.asked(t)
	first := 0
	for n := range cycles {
		e.now = e.now.Add(10 * time.Second)
		before := len(e.store.data.keys)
		for range 2 {
			if a := e.stop(t, carl); !a.OK || !e.store.data.stop.On {
				t.Fatalf("pull %d did nothing: %s", n, a.Text)
			}
		}
		if n == cycles-1 {
			e.approve(t, "change")
			wantState(t, e.key(t, "change"), Approved)
		}
		_, p := e.resume(t, carl)
		if a := e.decide(t, e.click(p, carl, Approve)); a.OK || !e.store.data.stop.On {
			t.Fatalf("cycle %d: who asked for it lifted the stop", n)
		}
		if a := e.decide(t, e.click(p, ann, Approve)); !a.OK || e.store.data.stop.On {
			t.Fatalf("cycle %d: the stop was not lifted: %s", n, a.Text)
		}
		switch queued := len(e.store.data.keys) - before; {
		case n == 0:
			first = queued
		case queued > first && n < cycles-1:
			t.Fatalf("cycle %d queued %d messages, the first %d", n, queued, first)
		}
	}
	wantState(t, e.key(t, "change"), Executing)
	k := e.kinds()
	if k[receipts.KindStopPulled] != 2*cycles || k[receipts.KindStopLifted] != cycles || k[receipts.KindDecisionRecorded] != cycles+1 {
		t.Errorf("receipts %v, want %d pulls, %d lifts", k, 2*cycles, cycles)
	}
}
