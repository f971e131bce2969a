package workflows

import (
	"testing"
	"time"

	"dw/checks"
)

func (e *estate) record(t *testing.T) Record {
	t.Helper()
	r, err := e.svc.Record(t.Context(), "sales")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRecord counts what was decided, from the receipts that say so.
func TestRecord(t *testing.T) {
	t.Parallel()
	e := newEstate()
	if r := e.record(t); len(r.Classes) != 0 || r.Domain != "sales" {
		t.Fatalf("the empty record: %+v", r)
	}
	e.asked(t)
	e.now = e.now.Add(3 * time.Minute)
	e.approve(t, "hold")
	reject := e.click(e.key(t, "change"), ann, Reject)
	reject.Reason = "not now"
	e.decide(t, reject)
	r := e.record(t)
	hold, change := r.Class("lost_rows/hold"), r.Class("lost_rows/change")
	if hold.Proposed.Count != 1 || hold.Approved.Count != 1 || hold.Rejected.Count != 0 || hold.Verified.Count != 0 {
		t.Errorf("hold %+v", hold)
	}
	if change.Rejected.Count != 1 || change.Approved.Count != 0 {
		t.Errorf("change %+v", change)
	}
	if hold.ToFix.Count != 1 || hold.ToFix.Median != hold.ToFix.Worst || hold.ToFix.Median < 3*time.Minute {
		t.Errorf("time to the approved fix %+v", hold.ToFix)
	}
	for _, tally := range []Tally{hold.Proposed, hold.Approved, change.Rejected} {
		if tally.First < 1 || tally.Last < tally.First || tally.Last > r.Head || tally.Newest.IsZero() {
			t.Errorf("%+v does not name its receipts (head %d)", tally, r.Head)
		}
	}
	if other, err := e.svc.Record(t.Context(), "another"); err != nil || len(other.Classes) != 0 {
		t.Errorf("another domain's record: %+v %v", other, err)
	}
	e.pass(t, e.policy.ExpireAfter+time.Minute)
	if rec := e.record(t).Class("lost_rows/recover"); rec.Proposed.Count != 1 || rec.Approved.Count != 0 {
		t.Errorf("recover %+v", rec)
	}
}

// TestRecordOfWhatWouldHaveBeen: at L1 the record says what came of the incidents
// without dw.
func TestRecordOfWhatWouldHaveBeen(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) { e.policy.Level = L1Observe })
	e.asked(t)
	hold := e.record(t).Class("lost_rows/hold")
	if hold.WouldPropose.Count != 1 || hold.WouldResolved.Count != 0 || hold.Proposed.Count != 0 {
		t.Fatalf("before the end: %+v", hold)
	}
	e.now = e.now.Add(time.Hour)
	e.recover(t, "orders")
	e.tick(t)
	if i := e.incident(t); i.State != Resolved || e.status["orders"] != checks.Pass {
		t.Fatalf("the incident is %s", i.State)
	}
	hold = e.record(t).Class("lost_rows/hold")
	if hold.WouldResolved.Count != 1 || hold.ToResolved.Count != 1 || hold.ToResolved.Worst < time.Hour {
		t.Errorf("after the end: %+v", hold)
	}
}

// TestSpread is the median of an even and an odd number, and the worst.
func TestSpread(t *testing.T) {
	t.Parallel()
	at := func(minutes ...int) (out []mark) {
		for n, m := range minutes {
			out = append(out, mark{seq: int64(n + 1), at: epoch.Add(time.Duration(m) * time.Minute)})
		}
		return out
	}
	from := at(0, 0, 0)
	if s := spread(from, at(9, 1, 5)); s.Median != 5*time.Minute || s.Worst != 9*time.Minute || s.Count != 3 {
		t.Errorf("odd: %+v", s)
	}
	if s := spread(from[:2], at(2, 8)); s.Median != 5*time.Minute || s.Worst != 8*time.Minute {
		t.Errorf("even: %+v", s)
	}
	if s := spread(from, make([]mark, 3)); s.Count != 0 || s.Median != 0 {
		t.Errorf("none came to its end: %+v", s)
	}
}

// TestRecordOfUndo: what was undone after it was verified is no rollback, and an
// undo that failed is no failure of what was proposed.
func TestRecordOfUndo(t *testing.T) {
	t.Parallel()
	body := func(state string) statementBody { return statementBody{State: state, Undo: []byte("true")} }
	tests := []struct {
		name               string
		facts              func(*proposalFacts)
		rolledBack, failed int
	}{
		{"undone by a person", func(p *proposalFacts) { p.add("step.owner_done", body(""), mark{seq: 9}) }, 1, 0},
		{"undone by dw", func(p *proposalFacts) { p.add("step.outcome", body("done"), mark{seq: 9}) }, 1, 0},
		{"undone by dw, as the roll back writes it", func(p *proposalFacts) { p.add("step.outcome", body(string(StepUndone)), mark{seq: 9}) }, 1, 0},
		{"undone after it was verified", func(p *proposalFacts) {
			p.verified = mark{seq: 8}
			p.add("step.owner_done", body(""), mark{seq: 9})
		}, 0, 0},
		{"an undo that failed", func(p *proposalFacts) { p.add("step.outcome", body("failed"), mark{seq: 9}) }, 0, 0},
		{"a step that failed", func(p *proposalFacts) { p.add("step.outcome", statementBody{State: "failed"}, mark{seq: 9}) }, 0, 1},
		{"a step that was done", func(p *proposalFacts) { p.add("step.outcome", statementBody{State: "done"}, mark{seq: 9}) }, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var p proposalFacts
			tt.facts(&p)
			var c ClassRecord
			c.count(&p)
			if c.RolledBack.Count != tt.rolledBack || c.Failed.Count != tt.failed {
				t.Errorf("%+v", c)
			}
		})
	}
}
