package workflows

import (
	"math/rand/v2"
	"testing"
	"time"

	"dw/receipts"
)

// TestFault21ClickAtTheExpiryInstant: clicks that arrive around the very instant
// of expiry and a timer that fires before, between or after them, in 10,000 orders
// of their own: exactly one of approval and expiry wins, by the stored time alone,
// and receipts and state agree.
func TestFault21ClickAtTheExpiryInstant(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) { e.plan = e.plan[1:2] })
	e.asked(t)
	waiting := e.key(t, "change")
	won := map[ProposalState]int{}
	for seed := range uint64(10_000) {
		random := rand.New(rand.NewPCG(21, seed)) //nolint:gosec // a seed repeats a run
		p, kinds, inTime := waiting, map[string]int{}, false
		for range random.IntN(4) + 2 {
			var out Outcome
			// Arrival is before the commit: a click waits for its turn.
			arrived := p.Clocks.ExpiresAt.Add(time.Duration(random.IntN(5)-2) * time.Nanosecond)
			commit := arrived.Add(time.Duration(random.IntN(3)) * time.Nanosecond)
			if random.IntN(3) == 0 {
				p, out = expire(p, commit)
			} else {
				r := e.click(p, ann, Approve)
				r.At = arrived
				before := p.State
				p, out, _ = decide(p, r, commit)
				inTime = inTime || before == Waiting && arrived.Before(p.Clocks.ExpiresAt)
			}
			for _, d := range out.Receipts {
				kinds[d.Kind]++
			}
		}
		won[p.State]++
		granted, expired := kinds[receipts.KindDecisionRecorded], kinds[receipts.KindExpiry]
		switch {
		case p.State == Approved && granted == 1 && expired == 0 && inTime && len(p.Decisions) == 1:
		case p.State == Expired && granted == 0 && expired == 1 && !inTime && len(p.Decisions) == 0:
		case p.State == Waiting && granted == 0 && expired == 0 && !inTime: // only late clicks, and no timer yet
		default:
			t.Fatalf("seed %d: %s, in time %v, receipts %v, decisions %+v", seed, p.State, inTime, kinds, p.Decisions)
		}
	}
	if won[Approved] < 1000 || won[Expired] < 1000 {
		t.Errorf("the seeds end in %v: too few of one kind to prove anything", won)
	}
}
