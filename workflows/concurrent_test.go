package workflows

import (
	"sync"
	"testing"
	"time"

	"dw/receipts"
)

// TestFault21ClicksRaceExpiry lets clicks of one person, in time and too late, race
// with the timer at the very instant of expiry: one verdict stands.
func TestFault21ClicksRaceExpiry(t *testing.T) {
	t.Parallel()
	for range 20 {
		e := newEstate(func(e *estate) { e.plan = e.plan[1:2] })
		e.asked(t)
		p := e.key(t, "change")
		e.now = p.Clocks.ExpiresAt
		calls := []func() error{func() error {
			return e.svc.Fire(t.Context(), Deadline{Kind: DeadlineExpire, Subject: p.ID, DueAt: p.Clocks.ExpiresAt})
		}}
		for n := range 6 {
			r := e.click(p, ann, Approve)
			r.At = p.Clocks.ExpiresAt.Add(-time.Duration(n % 2))
			calls = append(calls, func() error { _, err := e.svc.Decide(t.Context(), r); return err })
		}
		together(t, calls)
		checkOneVerdict(t, e)
	}
}

func together(t *testing.T, calls []func() error) {
	t.Helper()
	var wg sync.WaitGroup
	for _, call := range calls {
		wg.Go(func() {
			if err := call(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func checkOneVerdict(t *testing.T, e *estate) {
	t.Helper()
	p, k := e.key(t, "change"), e.kinds()
	granted := p.State == Executing && len(p.Decisions) == 1 && k[receipts.KindDecisionRecorded] == 1 && k[receipts.KindExpiry] == 0
	expired := p.State == Expired && len(p.Decisions) == 0 && k[receipts.KindDecisionRecorded] == 0 && k[receipts.KindExpiry] == 1
	if granted == expired {
		t.Fatalf("%s with %d decisions, receipts %v", p.State, len(p.Decisions), k)
	}
}

// TestTwoPeopleAtOnce: two approvals of a quorum of two arrive together and both
// count, once each.
func TestTwoPeopleAtOnce(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) { e.plan, e.policy.Quorum = e.plan[1:2], 2 })
	e.asked(t)
	p := e.key(t, "change")
	var calls []func() error
	for _, who := range []Person{ann, ben, ann, ben} {
		r := e.click(p, who, Approve)
		calls = append(calls, func() error { _, err := e.svc.Decide(t.Context(), r); return err })
	}
	together(t, calls)
	wantState(t, e.key(t, "change"), Executing)
	if n := len(e.key(t, "change").Decisions); n != 2 {
		t.Errorf("%d decisions", n)
	}
}
