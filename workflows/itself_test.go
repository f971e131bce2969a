package workflows

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/lineage"
	"dw/receipts"
)

// opened is an estate whose domain two people have raised to L3 with two playbooks.
func opened(change ...func(*estate)) *estate {
	return newEstate(append([]func(*estate){func(e *estate) {
		e.open(L3Act)
		e.plan = testPlan()[:1]
	}}, change...)...)
}

// open puts a level in force, as an approved policy change does.
func (e *estate) open(level Level) {
	e.policy.Level, e.policy.Playbooks = level, []string{"lost_rows/hold", "lost_rows/rerun"}
	st := Governed{Policy: e.policy, File: e.policy, How: ByDecision, LevelHow: ByDecision, LevelBy: ben, LevelAt: epoch.Add(-time.Hour), Proposal: "prop-raise", Rev: 2}
	e.store.data.inForce = InForce{Domains: map[string]Governed{"sales": st}, Rev: e.store.data.inForce.Rev + 1}
}

// rerunPlan is a rerun of dw's own with its check, of a job that moves no money.
func rerunPlan(e *estate) {
	dwFirst(e)
	e.plan[0].Steps[0].Reversible = true
	e.consumers = []lineage.Consumer{{ID: "sched://build", Kind: lineage.KindJob}}
}

// holdTag is the tag of the one step of the hold.
func (e *estate) holdTag(t *testing.T) string { return StepTag(e.key(t, "hold").ID, 0) }

// TestActsByItself: at L3 an opened hold is begun without a click, the receipt of
// it stands before the intent, in one transaction and before the call, the undo
// stood in the log before both, and people are told with names.
func TestActsByItself(t *testing.T) {
	t.Parallel()
	e := opened()
	e.sched.after = func() {
		if n := e.kinds(); n[receipts.KindAutonomyActed] != 1 || n[receipts.KindStepIntent] != 1 {
			t.Errorf("at the call the receipts are %v", n)
		}
	}
	e.asked(t)
	p := e.key(t, "hold")
	wantState(t, p, Executing)
	if e.sched.launches[e.holdTag(t)] != 1 || !p.ByItself() || len(p.Decisions) != 0 {
		t.Fatalf("launches %v, %+v, decisions %+v", e.sched.launches, p.Itself, p.Decisions)
	}
	var order []string
	for _, d := range e.store.data.drafts {
		if d.Proposal == p.ID && d.Kind != receipts.KindStepOutcome {
			order = append(order, d.Kind)
		}
	}
	if want := []string{receipts.KindProposalCreated, receipts.KindAutonomyActed, receipts.KindStepIntent}; !slices.Equal(order, want) {
		t.Errorf("receipts %v, want %v", order, want)
	}
	if e.incident(t).State != Mitigating || !e.noted(t, `dw began "Pause the export" (`+p.Fingerprint()+`) by itself`) || !e.noted(t, "Undo, recorded before: resume the export") {
		t.Errorf("incident %s, notes %+v", e.incident(t).State, e.incident(t).Notes)
	}
	if e.noted(t, "is asked to decide") {
		t.Error("people are asked for what dw has done")
	}
}

// TestActedReceipt: it says level, rule, who set the level, undo and facts, and
// names the hash.
func TestActedReceipt(t *testing.T) {
	t.Parallel()
	e := opened()
	e.asked(t)
	p, d := e.key(t, "hold"), e.last(receipts.KindAutonomyActed)
	if d.Actor.Kind != receipts.ActorDW || d.Body["level"] != "L3" || d.Body["playbook"] != "lost_rows/hold" || d.Body["hash"] != p.Hash || d.Body["rule"] == "" {
		t.Fatalf("receipt %+v", d)
	}
	record := d.Body["record"].(receipts.Object)
	if record["policy_change"] != "prop-raise" || !strings.Contains(record["level_set"].(string), "approved by Ben") {
		t.Errorf("record %+v", record)
	}
	undo := d.Body["undo"].([]receipts.Value)[0].(receipts.Object)
	if undo["action"].(receipts.Object)["name"] != diagnosis.ActionResumeSchedule || undo["goes_back_to"].(receipts.Object)["schedule"] != "RUNNING" {
		t.Errorf("undo %+v", undo)
	}
	if read := d.Body["read"].(receipts.Object); read["read_hash"] != read["precondition"] {
		t.Errorf("read %+v", read)
	}
}

// TestAsksAtL3: whatever is missing is asked of people, as at L2, and nothing is
// called.
func TestAsksAtL3(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		setup func(*estate)
		key   string
		says  string // on the proposal; empty: nothing was opened for it
	}{
		{"at L2", func(e *estate) { e.open(L2Propose) }, "hold", ""},
		{"not listed", func(e *estate) { e.plan[0].Key = "other" }, "other", ""},
		{"a team of one", func(e *estate) { e.policy.Solo = true; e.open(L3Act) }, "hold", ""},
		{"in the file only", func(e *estate) { e.store.data.inForce = InForce{} }, "hold", ""},
		{"what is in force cannot be read", func(e *estate) { e.store.data.inForce.Damaged = true; e.policy.Level = L2Propose }, "hold", "none"},
		{"not reversible", func(e *estate) { e.plan[0].Steps[0].Reversible = false }, "hold", "not reversible"},
		{"no undo", func(e *estate) { e.plan[0].Steps[0].UndoAction = nil }, "hold", "undo of the step is not recorded"},
		{"its undo goes elsewhere", func(e *estate) { e.plan[0].Steps[0].UndoAction.Name = diagnosis.ActionPauseSchedule }, "hold", "undo of the step is not recorded"},
		{"facts unread", func(e *estate) { e.sched.unread = errAway }, "hold", "undo of the step is not recorded"},
		{"waits for another", func(e *estate) { e.plan[0].After = []string{"change"} }, "hold", "waits for another request"},
		{"an owner's step in it", func(e *estate) { e.plan[0].Steps = append(e.plan[0].Steps, testPlan()[1].Steps[0]) }, "hold", "a step of it is the owner's"},
		{"no connector", func(e *estate) { e.plan[0].Steps[0].Action.System = "cron" }, "hold", "not dw's own"},
		{"a change", func(e *estate) { e.plan[0].Steps[0].Kind, e.plan[0].Steps[0].By = diagnosis.Change, diagnosis.ByDW }, "hold", "never dw's own"},
		{"stopped", func(e *estate) { e.store.data.stop = Stop{On: true, Rev: 1} }, "hold", "dw is stopped"},
		{"a rerun of a job that pays", func(e *estate) { rerunPlan(e); e.consumers[0].Moves = lineage.MovesMoney }, "rerun", "moves money"},
		{"a rerun of a job that is not known", func(e *estate) { rerunPlan(e); e.consumers = nil }, "rerun", "moves money"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := opened(tt.setup)
			e.asked(t)
			if tt.says == "none" { // at L1 dw does not even ask
				if n := e.kinds(); n[receipts.KindProposalCreated] != 0 || len(e.sched.launches) != 0 {
					t.Fatalf("receipts %v", n)
				}
				return
			}
			p := e.key(t, tt.key)
			wantState(t, p, Waiting)
			if len(e.sched.launches) != 0 || e.kinds()[receipts.KindAutonomyActed] != 0 || p.Offered() || !e.noted(t, "Ann (owner) is asked to decide") {
				t.Fatalf("launches %v, %+v, notes %+v", e.sched.launches, p.Itself, e.incident(t).Notes)
			}
			if tt.says == "" && p.Itself != nil || tt.says != "" && (p.Itself == nil || !strings.Contains(p.Itself.Declined, tt.says)) {
				t.Errorf("%+v, want %q", p.Itself, tt.says)
			}
		})
	}
}

// offered brings the estate to where dw is about to act, its effect undelivered.
func offered(t *testing.T, change ...func(*estate)) (*estate, Effect) {
	t.Helper()
	e := opened(change...)
	e.fail(t, "orders")
	e.now = e.now.Add(e.policy.Settle)
	var due []Deadline
	_ = e.store.View(t.Context(), func(tx ReadTx) (err error) { due, err = tx.Due(t.Context(), e.now, 9); return err })
	for _, d := range due {
		if err := e.svc.Fire(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	for n, eff := range e.store.data.effects {
		if eff.Kind == EffectStep {
			e.store.data.effects = slices.Delete(e.store.data.effects, n, n+1)
			e.drain(t)
			return e, eff
		}
	}
	t.Fatalf("dw is not about to act: %+v", e.incident(t).Notes)
	return nil, Effect{}
}

// TestDeclinedAtTheLastMoment: what holds when the proposal is made need not hold
// when it begins; then people are asked, and their approval is what carries it out.
func TestDeclinedAtTheLastMoment(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*testing.T, *estate)
		says   string
	}{
		{"the stop is pulled", func(t *testing.T, e *estate) { e.stop(t, ben) }, "dw is stopped"},
		{"the level is lowered", func(_ *testing.T, e *estate) { e.open(L2Propose) }, "at L2 a person decides"},
		{"the playbook is taken off the list", func(_ *testing.T, e *estate) {
			e.policy.Playbooks = nil
			e.store.data.inForce.Domains["sales"] = Governed{Policy: e.policy, File: e.policy}
		}, "not listed"},
		{"its target cannot be read", func(_ *testing.T, e *estate) { e.sched.unread = errAway }, "scheduler does not answer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, eff := offered(t)
			tt.change(t, e)
			for range 2 {
				if err := e.svc.Perform(t.Context(), eff); err != nil {
					t.Fatal(err)
				}
			}
			p := e.key(t, "hold")
			wantState(t, p, Waiting)
			if len(e.sched.launches) != 0 || !strings.Contains(p.Itself.Declined, tt.says) || !e.noted(t, "dw does not begin \"Pause the export\" by itself: "+p.Itself.Declined) || !e.noted(t, "Ann (owner) is asked to decide") {
				t.Fatalf("launches %v, %+v, notes %+v", e.sched.launches, p.Itself, e.incident(t).Notes)
			}
			e.drain(t)
			if e.sched.unread = nil; !strings.Contains(tt.name, "stop") {
				e.approve(t, "hold")
				if q := e.key(t, "hold"); e.sched.launches[e.holdTag(t)] != 1 || q.ByItself() {
					t.Errorf("after the approval: launches %v, %+v", e.sched.launches, q.Itself)
				}
			}
		})
	}
}

// TestStaleFactsAreAsked: where the target is not as it was read, dw does not act,
// and people are asked on the facts as they are; that is not begun by itself either.
func TestStaleFactsAreAsked(t *testing.T) {
	t.Parallel()
	e, eff := offered(t, rerunPlan)
	old := e.key(t, "rerun")
	e.sched.version = "v2"
	if err := e.svc.Perform(t.Context(), eff); err != nil {
		t.Fatal(err)
	}
	e.tick(t)
	was, err := e.svc.Proposal(t.Context(), old.ID)
	if err != nil {
		t.Fatal(err)
	}
	wantState(t, was, Superseded)
	next := e.key(t, "rerun")
	wantState(t, next, Waiting)
	if len(e.sched.launches) != 0 || next.Offered() || valueOf(next.Snapshot[0].Facts, "version") != "v2" || !e.noted(t, "version is v2, and was to be v1") {
		t.Errorf("launches %v, new %+v, notes %+v", e.sched.launches, next, e.incident(t).Notes)
	}
}

// TestNotBegunInTime: where the queue is held (the log does not verify, say), people
// are asked when it is time to remind them, and dw begins nothing later.
func TestNotBegunInTime(t *testing.T) {
	t.Parallel()
	e, eff := offered(t)
	e.pass(t, e.policy.RemindAfter+time.Minute)
	p := e.key(t, "hold")
	if p.Offered() || !e.noted(t, "it has not begun in time. Ann (owner) is asked to decide") {
		t.Fatalf("%+v, notes %+v", p.Itself, e.incident(t).Notes)
	}
	if err := e.svc.Perform(t.Context(), eff); err != nil {
		t.Fatal(err)
	}
	wantState(t, e.key(t, "hold"), Waiting)
	if len(e.sched.launches) != 0 {
		t.Errorf("launches %v", e.sched.launches)
	}
}

// TestRejectedIsNotBegun: a person who is quicker decides, either way.
func TestRejectedIsNotBegun(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[Verdict]int{Reject: 0, Approve: 1} {
		e, eff := offered(t)
		e.decide(t, e.click(e.key(t, "hold"), ann, verdict))
		if err := e.svc.Perform(t.Context(), eff); err != nil {
			t.Fatal(err)
		}
		if got := e.sched.launches[e.holdTag(t)]; got != want || e.key(t, "hold").ByItself() || e.kinds()[receipts.KindAutonomyActed] != 0 {
			t.Errorf("%s: launched %d times, %+v", verdict, got, e.key(t, "hold").Itself)
		}
	}
}

// TestActsOnce: deliveries repeat, processes die before and after the commit and
// after the call, and two run at once: one receipt, one call.
func TestActsOnce(t *testing.T) {
	t.Parallel()
	gone := errors.New("killed")
	tests := []struct {
		name string
		dies func(*estate)
	}{
		{"nobody dies", func(*estate) {}},
		{"before the commit", func(e *estate) { e.sched.reading = func() { e.store.down = gone } }},
		{"after the call", func(e *estate) { e.sched.after = func() { e.store.down = gone } }},
		{"the commit loses a race", func(e *estate) { e.store.conflicts = 1 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, eff := offered(t)
			other := e.svc
			tt.dies(e)
			_ = e.svc.Perform(t.Context(), eff)
			e.sched.reading, e.sched.after, e.store.down = nil, nil, nil
			e.restart()
			for _, svc := range []*Service{e.svc, other, e.svc} {
				if err := svc.Perform(t.Context(), eff); err != nil {
					t.Fatal(err)
				}
			}
			if e.sched.launches[e.holdTag(t)] != 1 || e.kinds()[receipts.KindAutonomyActed] != 1 || len(e.sched.blindly) > 0 {
				t.Errorf("launches %v, receipts %v", e.sched.launches, e.kinds())
			}
		})
	}
}

// TestTwoProcessesActOnce: while one is in its call another gets the effect.
func TestTwoProcessesActOnce(t *testing.T) {
	t.Parallel()
	e, eff := offered(t)
	first := e.svc
	e.restart()
	e.sched.reading = func() {
		e.sched.reading = nil
		if err := e.svc.Perform(t.Context(), eff); err != nil {
			t.Error(err)
		}
	}
	if err := first.Perform(t.Context(), eff); err != nil {
		t.Fatal(err)
	}
	if e.sched.launches[e.holdTag(t)] != 1 || e.kinds()[receipts.KindAutonomyActed] != 1 {
		t.Errorf("launches %v, receipts %v", e.sched.launches, e.kinds())
	}
}

// TestFailedCheckTakesBack: what dw did by itself and what did not make the
// numbers right is taken back by its recorded undo, and the incident returned.
func TestFailedCheckTakesBack(t *testing.T) {
	t.Parallel()
	e := opened(rerunPlan)
	e.asked(t)
	p := e.key(t, "rerun")
	wantState(t, p, Executing)
	e.sched.finish(true)
	e.pass(t, 2*time.Minute) // the run is seen, verifying begins
	e.pass(t, e.policy.VerifyAfter+e.policy.VerifyWithin+time.Minute)
	undo := StepTag(p.ID, 0) + "/undo/1"
	if e.sched.launches[undo] != 1 {
		t.Fatalf("launches %v, %+v", e.sched.launches, e.key(t, "rerun"))
	}
	e.sched.finish(true)
	e.pass(t, 2*time.Minute)
	wantState(t, e.key(t, "rerun"), RolledBack)
	if d := e.last(receipts.KindHaltedChoice); d.Actor.Kind != receipts.ActorDW || d.Body["level"] != "L3" {
		t.Errorf("receipt %+v", d)
	}
	if e.incident(t).State != Open || !e.noted(t, "did not help") {
		t.Errorf("incident %s", e.incident(t).State)
	}
	if c := e.record(t).Class("lost_rows/rerun"); c.ByItself.Count != 1 || c.Approved.Count != 0 || c.RolledBack.Count != 1 {
		t.Errorf("record %+v", c)
	}
}

// TestRightNumbersVerify: and where they are right it ends as what people approved
// does, counted apart.
func TestRightNumbersVerify(t *testing.T) {
	t.Parallel()
	e := opened(rerunPlan)
	e.asked(t)
	e.sched.finish(true)
	e.pass(t, 2*time.Minute)
	e.status["orders"] = checks.Pass
	e.pass(t, e.policy.VerifyAfter+time.Minute)
	wantState(t, e.key(t, "rerun"), Verified)
	if c := e.record(t).Class("lost_rows/rerun"); c.ByItself.Count != 1 || c.Approved.Count != 0 || c.Verified.Count != 1 {
		t.Errorf("record %+v", c)
	}
}

// TestHoldStaysWhenNumbersAreWrong: a hold keeps harm away and does not mend; wrong
// numbers are no reason to let the job run.
func TestHoldStaysWhenNumbersAreWrong(t *testing.T) {
	t.Parallel()
	e := opened()
	e.asked(t)
	e.sched.finish(true)
	e.pass(t, time.Hour)
	p := e.key(t, "hold")
	wantState(t, p, Executing)
	if p.Steps[0].State != StepDone || len(e.sched.launches) != 1 {
		t.Errorf("step %+v, launches %v", p.Steps[0], e.sched.launches)
	}
}

// TestPeopleTakeItBack: one person of the chain has dw take back what it did, at
// once and with receipts; dw does not do it again.
func TestPeopleTakeItBack(t *testing.T) {
	t.Parallel()
	e := opened()
	e.asked(t)
	if a := e.decide(t, e.click(e.key(t, "hold"), ann, RollBack)); a.OK || !strings.Contains(a.Text, "under way") {
		t.Fatalf("during the call: %+v", a)
	}
	e.sched.schedule = "STOPPED"
	e.sched.finish(true)
	e.pass(t, 2*time.Minute)
	for _, who := range []Person{mort, carl} {
		if a := e.decide(t, e.click(e.key(t, "hold"), who, RollBack)); a.OK {
			t.Errorf("%s took it back", who.Name)
		}
	}
	if a := e.decide(t, e.click(e.key(t, "hold"), ann, GiveUp)); a.OK {
		t.Error("what runs was let fail")
	}
	p := e.key(t, "hold")
	if a := e.decide(t, e.click(p, ann, RollBack)); !a.OK {
		t.Fatalf("the owner cannot take it back: %s", a.Text)
	}
	if e.sched.launches[StepTag(p.ID, 0)+"/undo/1"] != 1 {
		t.Fatalf("launches %v", e.sched.launches)
	}
	e.sched.schedule = "RUNNING"
	e.sched.finish(true)
	e.pass(t, 2*time.Minute)
	wantState(t, e.key(t, "hold"), RolledBack)
	e.fail(t, "orders_dead") // has dw look again
	e.pass(t, 10*time.Minute)
	if e.sched.launches[e.holdTag(t)] != 1 || e.kinds()[receipts.KindAutonomyActed] != 1 {
		t.Errorf("dw did again what was taken back: %v", e.sched.launches)
	}
}

// TestLoweredInMidRun: what dw began by itself goes no further when the level is
// lowered, though approved steps would go on at L2.
func TestLoweredInMidRun(t *testing.T) {
	t.Parallel()
	e := opened(rerunPlan)
	e.plan[0].Steps = append(e.plan[0].Steps[:1:1], append([]diagnosis.PlannedStep{e.plan[0].Steps[0]}, e.plan[0].Steps[1:]...)...)
	e.asked(t)
	p := e.key(t, "rerun")
	e.open(L2Propose)
	e.sched.finish(true)
	e.pass(t, 2*time.Minute)
	wantState(t, e.key(t, "rerun"), Halted)
	if e.sched.launches[StepTag(p.ID, 1)] != 0 || !e.noted(t, "at L2 a person decides") {
		t.Errorf("launches %v, notes %+v", e.sched.launches, e.incident(t).Notes)
	}
}

// TestJobsThatPayAreHeldFirst: a rerun is not begun by itself while the hold of a
// job that pays waits for its decision.
func TestJobsThatPayAreHeldFirst(t *testing.T) {
	t.Parallel()
	e := opened(rerunPlan, func(e *estate) {
		hold := testPlan()[0]
		hold.Key = "guard" // not opened: people decide it
		e.plan = append([]diagnosis.PlannedProposal{hold}, e.plan...)
	})
	e.asked(t)
	p := e.key(t, "rerun")
	wantState(t, p, Waiting)
	if len(e.sched.launches) != 0 || !strings.Contains(p.Itself.Declined, "held first") {
		t.Errorf("launches %v, %+v", e.sched.launches, p.Itself)
	}
}
