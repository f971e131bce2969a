package workflows

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/receipts"

	"pgregory.net/rapid"
)

// inEvent is something that reaches dw from outside, once or more often.
type inEvent struct {
	name string
	do   func(e *estate) error
}

// disorder is what reaches dw while two requests wait for two people each: clicks
// of three people, an acknowledgement, an act in the pager, a click of somebody
// who may not, results of checks that fail on.
func disorder(e *estate, t fataler) []inEvent {
	var all []inEvent
	add := func(name string, do func(*estate) error) { all = append(all, inEvent{name, do}) }
	for _, key := range []string{"hold", "change"} {
		p := e.key(t, key)
		for _, who := range []Person{ann, ben, mort} {
			r := e.click(p, who, Approve)
			add(key+" by "+who.Name, func(e *estate) error {
				r.At = e.now // it arrives when it is delivered
				_, err := e.svc.Decide(context.Background(), r)
				return err
			})
		}
	}
	incident := e.incident(t).ID
	add("acknowledged", func(e *estate) error {
		_, err := e.svc.Acknowledge(context.Background(), incident, ben, e.now)
		return err
	})
	failed := e.result("orders", checks.Fail)
	add("the check fails on", func(e *estate) error { return e.svc.OnResult(context.Background(), failed) })
	return all
}

// TestFault20TwiceInDisorderAndLate: the same events, each once and in order, or
// some twice, in any order, up to an hour late, end in the same state: the same
// people decided the same, and every decision has one receipt.
func TestFault20TwiceInDisorderAndLate(t *testing.T) {
	t.Parallel()
	waiting := func(t fataler) *estate {
		e := newEstate(func(e *estate) { e.policy.Quorum, e.policy.Escalation = 2, nil })
		e.asked(t)
		return e
	}
	straight := waiting(t)
	for _, in := range disorder(straight, t) {
		if err := in.do(straight); err != nil {
			t.Fatal(err)
		}
	}
	want := endState(straight, t)
	if !strings.Contains(want, "hold executing Ann Ben\nchange executing Ann Ben\n") || !strings.Contains(want, "4 decisions") {
		t.Fatalf("in order they end in %s", want)
	}
	rapid.Check(t, func(t *rapid.T) {
		e := waiting(t)
		once := disorder(e, t)
		twice := append(slices.Clone(once), rapid.SliceOfN(rapid.SampledFrom(once), 0, 6).Draw(t, "again")...)
		for _, in := range rapid.Permutation(twice).Draw(t, "order") {
			// All of it within an hour, before anything expires.
			e.now = e.now.Add(time.Duration(rapid.IntRange(0, 3600/len(twice)).Draw(t, "late")) * time.Second)
			if err := in.do(e); err != nil {
				t.Fatalf("%s: %v", in.name, err)
			}
			if rapid.Bool().Draw(t, "another process") {
				e.restart()
			}
		}
		if got := endState(e, t); got != want {
			t.Fatalf("ended in\n%s\nwant\n%s", got, want)
		}
	})
}

// endState is what must not depend on order, repetition or lateness.
func endState(e *estate, t fataler) string {
	t.Helper()
	var b strings.Builder
	for _, key := range []string{"hold", "change", "recover"} {
		p := e.key(t, key)
		var who []string
		for _, d := range p.Decisions {
			who = append(who, d.By.Name)
		}
		slices.Sort(who)
		fmt.Fprintln(&b, key, p.State, strings.Join(who, " "))
	}
	i := e.incident(t)
	fmt.Fprintf(&b, "%s, looked after by %s, %d signals\n%d decisions\n", i.State, i.AckedBy.Name, len(i.Signals), e.kinds()[receipts.KindDecisionRecorded])
	return b.String()
}
