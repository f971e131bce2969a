package workflows

import (
	"fmt"
	"testing"
	"time"

	"dw/checks"
	"dw/lineage"
	"dw/receipts"
)

// TestAlertStorm: 10,000 failed results of eight checks within a minute are one
// incident, with as many lines, investigations and receipts as there are checks
// and no more cards than six a minute; the rows do not grow with the alerts. A
// decision in the midst of it is one commit, as on a quiet day.
func TestAlertStorm(t *testing.T) {
	t.Parallel()
	const sources, results = 8, 10_000
	e := newEstate()
	e.asked(t)
	for n := range sources {
		e.relatedTo[lineage.AssetID(fmt.Sprint("db://check", n))] = true
	}
	queued, size := map[string]int{}, 0
	storm := func(from, to int) {
		for n := from; n < to; n++ {
			e.now = e.now.Add(time.Minute / results)
			if err := e.svc.OnResult(t.Context(), e.result(fmt.Sprint("check", n%sources), checks.Fail)); err != nil {
				t.Fatal(err)
			}
			for _, f := range e.store.data.effects {
				queued[f.Kind]++
			}
			e.store.data.effects = nil
		}
	}
	storm(0, 50*sources)
	size = len(e.store.data.incidents[e.incident(t).ID])
	storm(50*sources, results/2)
	before := e.store.commits
	if a := e.decide(t, e.click(e.key(t, "change"), ann, Approve)); !a.OK {
		t.Errorf("a decision in the storm: %s", a.Text)
	}
	if n := e.kinds()[receipts.KindDecisionRecorded]; n != 1 || e.store.commits-before > 2 { // the decision, and where its card stands
		t.Errorf("%d decisions in %d commits", n, e.store.commits-before)
	}
	storm(results/2, results)
	i := e.incident(t)
	if n := len(e.store.data.incidents); n != 1 || len(i.Signals) != sources+1 {
		t.Errorf("%d incidents, the newest with %d signals", n, len(i.Signals))
	}
	if queued[EffectIncidentCard] > sources+8 || queued[EffectThreadNote] > sources || queued[EffectInvestigate] > sources {
		t.Errorf("queued %v by %d alerts of %d checks", queued, results, sources)
	}
	if n := len(e.store.data.log); n > 2*sources {
		t.Errorf("%d receipts", n)
	}
	if grown := len(e.store.data.incidents[i.ID]); grown > size+size/10 {
		t.Errorf("the incident's row has grown from %d to %d bytes", size, grown)
	}
}
