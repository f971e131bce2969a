package workflows

import (
	"context"
	"slices"
	"testing"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/receipts"
)

// TestDay plays the whole loop: signal, diagnosis, three approvals, the owner's
// steps, dw's run, verification, and the undo.
func TestDay(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	for _, key := range []string{"hold", "change", "recover"} {
		wantState(t, e.key(t, key), Waiting)
	}
	if p := e.key(t, "recover"); !slices.Equal(p.After, []string{e.key(t, "change").ID}) {
		t.Fatalf("recover waits for %v", p.After)
	}
	e.approve(t, "hold", "change", "recover")
	wantState(t, e.key(t, "hold"), Executing)
	wantState(t, e.key(t, "recover"), Approved)
	if got := e.incident(t).State; got != Mitigating {
		t.Fatalf("incident is %s", got)
	}
	e.sched.schedule = "STOPPED"
	e.pass(t, 2*time.Minute) // dw sees that the schedule is paused
	if s := e.key(t, "hold").Steps[0]; s.State != StepDone || s.By.User != "" || s.Observed != "schedule is STOPPED" {
		t.Fatalf("hold step: %+v", s)
	}
	e.done(t, "change", 0)
	wantState(t, e.key(t, "recover"), Executing)
	e.done(t, "recover", 0)
	if s := e.key(t, "recover").Steps[1]; s.State != StepRunning || s.RunID == "" {
		t.Fatalf("rerun step: %+v", s)
	}
	e.sched.finish(true)
	e.pass(t, 2*time.Minute)
	if got := e.incident(t).State; got != Verifying {
		t.Fatalf("incident is %s", got)
	}
	e.status["orders"] = checks.Pass
	e.pass(t, e.policy.VerifyAfter)
	checkResolved(t, e)
	checkUndo(t, e)
}

func checkResolved(t *testing.T, e *estate) {
	t.Helper()
	i := e.incident(t)
	if i.State != Resolved || i.Verification == nil || !i.Verification.OK || len(i.Undo) != 3 {
		t.Fatalf("incident: state %s, verification %+v, undo %q", i.State, i.Verification, i.Undo)
	}
	for _, key := range []string{"hold", "change", "recover"} {
		wantState(t, e.key(t, key), Verified)
	}
	want := map[string]int{
		receipts.KindIncidentOpened: 1, receipts.KindProposalCreated: 3, receipts.KindDecisionRecorded: 3,
		receipts.KindStepIntent: 1, receipts.KindStepOwnerDone: 3, receipts.KindVerification: 1, receipts.KindIncidentResolved: 1,
	}
	for kind, n := range want {
		if got := e.kinds()[kind]; got != n {
			t.Errorf("%d receipts %s, want %d", got, kind, n)
		}
	}
	if n := e.sched.launches[StepTag(e.key(t, "recover").ID, 1)]; n != 1 {
		t.Errorf("launched %d times", n)
	}
}

// checkUndo marks the hold's undo and expects no new decision.
func checkUndo(t *testing.T, e *estate) {
	t.Helper()
	if got := e.key(t, "hold").OpenUndo(); !slices.Equal(got, []int{0}) {
		t.Fatalf("open undo %v", got)
	}
	e.now = e.now.Add(time.Minute)
	a := e.done(t, "hold", 0, func(r *DoneRequest) { r.Undo, r.By = true, ben })
	p := e.key(t, "hold")
	if !a.OK || p.Steps[0].State != StepUndone || p.State != Verified || !p.UndoneAt.Equal(e.now) {
		t.Fatalf("undo: %+v %+v", a, p.Steps[0])
	}
	if d := e.last(receipts.KindStepOwnerDone); d.Body["undo"] != true || d.Actor.User != ben.User {
		t.Errorf("undo receipt: %+v", d)
	}
	if e.kinds()[receipts.KindDecisionRecorded] != 3 {
		t.Error("the undo asked for a decision")
	}
}

func TestUndoIsObserved(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) { e.plan = append(testPlan()[:1], testPlan()[1]) })
	e.asked(t)
	e.approve(t, "hold", "change")
	e.sched.schedule = "STOPPED"
	e.done(t, "hold", 0)
	e.done(t, "change", 0)
	e.status["orders"] = checks.Pass
	e.pass(t, 10*time.Minute)
	wantState(t, e.key(t, "hold"), Verified)
	if e.key(t, "hold").Steps[0].State != StepDone {
		t.Fatal("the undo was recorded while the schedule is still stopped")
	}
	e.sched.schedule = "RUNNING"
	e.pass(t, 2*time.Minute)
	if s := e.key(t, "hold").Steps[0]; s.State != StepUndone {
		t.Fatalf("undo was not seen: %+v", s)
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		level     Level
		change    func(*estate)
		incident  bool
		proposals int
		would     int
	}{
		{"L0 records only", L0Manual, nil, false, 0, 0},
		{"L1 logs what it would ask", L1Observe, nil, true, 0, 3},
		{"L2 asks", L2Propose, nil, true, 3, 0},
		{"L2 without a cause asks nothing", L2Propose, func(e *estate) { e.cause = nil }, true, 0, 0},
		{"L2 with late data asks nothing", L2Propose, func(e *estate) { e.late = true }, true, 0, 0},
		{"L1 with late data would ask nothing", L1Observe, func(e *estate) { e.late = true }, true, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(func(e *estate) {
				e.policy.Level = tt.level
				if tt.change != nil {
					tt.change(e)
				}
			})
			e.fail(t, "orders")
			e.pass(t, 3*time.Minute)
			if _, found, _ := (&memTx{data: e.store.data}).LastResult(context.Background(), "orders"); !found {
				t.Error("the result was not recorded")
			}
			if got := len(e.store.data.incidents) == 1; got != tt.incident {
				t.Fatalf("incident: %v, want %v", got, tt.incident)
			}
			if got := len(e.store.data.proposals); got != tt.proposals {
				t.Errorf("%d proposals, want %d", got, tt.proposals)
			}
			if !tt.incident {
				return
			}
			if got := len(e.incident(t).WouldPropose); got != tt.would {
				t.Errorf("would propose %d, want %d", got, tt.would)
			}
			if got := e.kinds()[receipts.KindAutonomyWouldPropose]; got != min(1, tt.would) {
				t.Errorf("%d receipts of what it would have asked", got)
			}
		})
	}
}

func TestStepWithoutConnectorIsTheOwners(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) { e.plan[2].Steps[1].Action.System = "elsewhere" })
	e.asked(t)
	if s := e.key(t, "recover").Plan[1]; s.By != diagnosis.ByOwner || s.Reason == "" {
		t.Fatalf("step: %+v", s)
	}
}

func TestReplan(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	old := e.key(t, "change")
	e.fail(t, "orders_dead") // the same plan again: nothing is asked twice
	e.pass(t, 2*time.Minute)
	if len(e.store.data.proposals) != 3 {
		t.Fatalf("%d proposals after the same plan", len(e.store.data.proposals))
	}
	e.plan[1].Steps[0].Diff = "--- a\n+++ c\n"
	e.status["third"] = checks.Fail
	e.relatedTo["db://third"] = true
	e.fail(t, "third")
	e.pass(t, 2*time.Minute)
	fresh := e.key(t, "change")
	stale, err := e.svc.Proposal(context.Background(), old.ID)
	if err != nil || stale.State != Superseded || stale.ReplacedBy != fresh.ID || fresh.ID == old.ID {
		t.Fatalf("old is %s, replaced by %q (new %s): %v", stale.State, stale.ReplacedBy, fresh.ID, err)
	}
	if after := e.key(t, "recover").After; !slices.Equal(after, []string{fresh.ID}) {
		t.Errorf("recover waits for %v, want the new version %s", after, fresh.ID)
	}
	if a := e.decide(t, e.click(old, ann, Approve)); a.OK {
		t.Error("a click on the replaced version counted")
	}
}
