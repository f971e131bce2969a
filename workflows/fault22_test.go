package workflows

import (
	"context"
	"fmt"
	"testing"

	"dw/lineage"

	"pgregory.net/rapid"
)

// TestFault22EditedWhileApproverClicks plays fault 22 of faults.md: the content of
// a request changes while people click on cards of every version. A click counts
// only for the content that its card showed; a click with an older hash is refused,
// whatever else of it is right, and the newest version alone is approved.
func TestFault22EditedWhileApproverClicks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := newEstate()
		e.asked(t)
		shown := []Proposal{e.key(t, "change")}
		edits := 0
		for range rapid.IntRange(2, 6).Draw(t, "acts") {
			if newest := e.key(t, "change"); newest.State == Waiting && rapid.Bool().Draw(t, "edit") {
				edits++
				e.plan = testPlan()
				e.plan[1].Steps[0].Diff = fmt.Sprintf("--- a\n+++ b\n@@ edit %d\n", edits)
				check := fmt.Sprintf("edit%d", edits)
				e.relatedTo["db://orders"] = true
				e.relatedTo[lineage.AssetID("db://"+check)] = true
				e.fail(t, check)
				e.now = e.now.Add(e.policy.Settle)
				e.tick(t)
				shown = append(shown, e.key(t, "change"))
				continue
			}
			clickOld(t, e, shown[rapid.IntRange(0, len(shown)-1).Draw(t, "card")])
		}
	})
}

// clickOld approves what a card showed, by its own button or with the button's
// value put on the newest card.
func clickOld(t *rapid.T, e *estate, saw Proposal) {
	newest := e.key(t, "change")
	r := e.click(saw, ann, Approve)
	if rapid.Bool().Draw(t, "onTheNewestCard") {
		r.Proposal, r.Nonce, r.Message = newest.ID, newest.Nonce, newest.Message
	}
	a, err := e.svc.Decide(context.Background(), r)
	if err != nil {
		t.Fatalf("decide: %v", err)
	}
	e.drain(t)
	after, err := e.svc.Proposal(context.Background(), r.Proposal)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	polite := a.OK && len(newest.Decisions) > 0 // "already recorded", on the newest one
	if saw.Hash != newest.Hash && ((a.OK && !polite) || len(after.Decisions) > len(newest.Decisions)) {
		t.Fatalf("a click on version %s counted for %s: %+v", saw.Fingerprint(), newest.Fingerprint(), a)
	}
	for _, d := range after.Decisions {
		if d.Hash != after.Hash {
			t.Fatalf("decision %+v on content %s", d, after.Fingerprint())
		}
	}
}
