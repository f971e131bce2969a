package workflows

import (
	"errors"
	"strings"
	"testing"
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

var errAway = errors.New("scheduler does not answer")

// TestStaleFactsHaltTheRun: approvals.md rule 8: in mid-run a difference halts,
// nothing is launched, and the card and the receipt say what differs.
func TestStaleFactsHaltTheRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*estate)
		says   string
	}{
		{"other code", func(e *estate) { e.sched.version = "v2" }, "sched://build: version is v2, and was to be v1"},
		{"somebody ran it", func(e *estate) { e.sched.byHand = "run-9" }, "sched://build: last run is run-9, and was to be none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, eff, _ := atLaunch(t)
			tt.change(e)
			if err := e.svc.Perform(t.Context(), eff); err != nil {
				t.Fatal(err)
			}
			p := e.key(t, "recover")
			wantState(t, p, Halted)
			if len(e.sched.launches) != 0 || e.kinds()[receipts.KindStepIntent] != 0 || p.Steps[1].State != StepPending {
				t.Errorf("launches %v, step %+v", e.sched.launches, p.Steps[1])
			}
			if !strings.Contains(p.Steps[1].Problem, tt.says) || !strings.Contains(p.Steps[1].Problem, "read at 12:01 UTC") || !e.noted(t, tt.says) {
				t.Errorf("problem %q, want %q", p.Steps[1].Problem, tt.says)
			}
			if d := e.last(receipts.KindStepOutcome); d.Body["state"] != string(Halted) || d.Body["read"] == nil {
				t.Errorf("receipt %+v", d.Body)
			}
		})
	}
}

// TestFactsAreComparedInTheTransaction: what is declared changes between the
// reading and the intent, so the reading no longer holds when the step begins.
func TestFactsAreComparedInTheTransaction(t *testing.T) {
	t.Parallel()
	e, eff, _ := atLaunch(t)
	e.sched.reading = func() {
		e.sched.reading = nil
		p := e.key(t, "recover")
		err := e.svc.write(t.Context(), func(w *work) error {
			p, err := w.proposal(t.Context(), p.ID)
			if err != nil {
				return err
			}
			other := p
			other.ID, other.Rev, other.State = "other", 0, Executing
			other.Steps = []StepStatus{{State: StepDone, Since: w.now, RunID: "run-of-another-step"}}
			other.Plan, other.Snapshot = p.Plan[1:2], p.Snapshot[1:2]
			w.setProposal(other, Outcome{})
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if err := e.svc.Perform(t.Context(), eff); err != nil {
		t.Fatal(err)
	}
	wantState(t, e.key(t, "recover"), Halted)
	if len(e.sched.launches) != 0 {
		t.Errorf("launches %v", e.sched.launches)
	}
}

// TestReadStandsNextToTheIntent: the receipt of the intent carries what was read,
// and its hash is that of the precondition.
func TestReadStandsNextToTheIntent(t *testing.T) {
	t.Parallel()
	e, eff, _ := atLaunch(t)
	if err := e.svc.Perform(t.Context(), eff); err != nil {
		t.Fatal(err)
	}
	read, ok := e.last(receipts.KindStepIntent).Body["read"].(receipts.Object)
	if !ok || read["read_hash"] != read["precondition"] || len(read["precondition"].(string)) != 64 || read["at"] == nil {
		t.Fatalf("receipt %+v", e.last(receipts.KindStepIntent).Body)
	}
	target := read["targets"].([]receipts.Value)[0].(receipts.Object)
	if target["target"] != "sched://build" || target["facts"].(receipts.Object)["version"] != "v1" {
		t.Errorf("targets %+v", read["targets"])
	}
}

// TestUnreadableTargetWaits: it is not run, said once, tried again, and halted
// when its time is over.
func TestUnreadableTargetWaits(t *testing.T) {
	t.Parallel()
	e, eff, tag := atLaunch(t)
	e.sched.unread = errAway
	if err := e.svc.Perform(t.Context(), eff); err != nil {
		t.Fatal(err)
	}
	e.pass(t, 10*time.Minute)
	p := e.key(t, "recover")
	wantState(t, p, Executing)
	if len(e.sched.launches) != 0 || !strings.Contains(p.Steps[1].Problem, "scheduler does not answer") {
		t.Fatalf("launches %v, step %+v", e.sched.launches, p.Steps[1])
	}
	said := 0
	for _, n := range e.incident(t).Notes {
		if strings.Contains(n.Text, "dw looks again until 16:01 UTC") {
			said++
		}
	}
	if said != 1 {
		t.Errorf("said %d times", said)
	}
	e.sched.unread = nil
	e.pass(t, 2*time.Minute)
	if s := rerun(t, e); e.sched.launches[tag] != 1 || s.State != StepRunning || s.Problem != "" {
		t.Errorf("launches %v, step %+v", e.sched.launches, s)
	}
}

func TestUnreadableTargetHaltsInTheEnd(t *testing.T) {
	t.Parallel()
	e, eff, _ := atLaunch(t)
	e.sched.unread = errAway
	if err := e.svc.Perform(t.Context(), eff); err != nil {
		t.Fatal(err)
	}
	e.pass(t, 5*time.Hour)
	wantState(t, e.key(t, "recover"), Halted)
	if len(e.sched.launches) != 0 {
		t.Errorf("launches %v", e.sched.launches)
	}
}

// dwFirst is a plan whose first step is dw's own.
func dwFirst(e *estate) {
	launch := testPlan()[2].Steps[1]
	again := launch.Action
	launch.UndoAction, launch.Undo = &again, "run it again"
	e.plan = []diagnosis.PlannedProposal{{Key: "rerun", Title: "Run it", Steps: []diagnosis.PlannedStep{launch, testPlan()[2].Steps[2]}}}
}

// TestStaleBeforeTheFirstStep: nothing runs, the approval does not hold any more,
// and the same is asked again on the facts as they are now.
func TestStaleBeforeTheFirstStep(t *testing.T) {
	t.Parallel()
	e := newEstate(dwFirst)
	e.asked(t)
	old := e.key(t, "rerun")
	e.sched.version = "v2"
	e.approve(t, "rerun")
	e.tick(t)
	was, err := e.svc.Proposal(t.Context(), old.ID)
	if err != nil {
		t.Fatal(err)
	}
	wantState(t, was, NeedsReapproval)
	next := e.key(t, "rerun")
	wantState(t, next, Waiting)
	if len(e.sched.launches) != 0 || next.ID == old.ID || was.ReplacedBy != next.ID || next.Hash == was.Hash || valueOf(next.Snapshot[0].Facts, "version") != "v2" {
		t.Fatalf("launches %v, old %+v, new %+v", e.sched.launches, was, next)
	}
	if !strings.Contains(was.Steps[0].Problem, "version is v2, and was to be v1") || !e.noted(t, "It needs a new decision") {
		t.Errorf("problem %q", was.Steps[0].Problem)
	}
	e.approve(t, "rerun")
	wantState(t, e.key(t, "rerun"), Executing)
	if len(e.sched.launches) != 1 {
		t.Errorf("launches %v", e.sched.launches)
	}
}

// TestUnreadableBeforeTheFirstStep: the approval stays, can be revoked, and
// lapses.
func TestUnreadableBeforeTheFirstStep(t *testing.T) {
	t.Parallel()
	e := newEstate(dwFirst)
	e.asked(t)
	e.sched.unread = errAway
	e.approve(t, "rerun")
	p := e.key(t, "rerun")
	wantState(t, p, Approved)
	if !e.noted(t, "is not started: sched://build could not be read") {
		t.Error("nobody was told")
	}
	e.pass(t, 5*time.Hour)
	wantState(t, e.key(t, "rerun"), Lapsed)
	if len(e.sched.launches) != 0 {
		t.Errorf("launches %v", e.sched.launches)
	}
}

// TestUnreadWhenAsked: facts that were not known when it was asked are never
// taken for the same.
func TestUnreadWhenAsked(t *testing.T) {
	t.Parallel()
	e := newEstate(dwFirst)
	e.sched.unread = errAway
	e.asked(t)
	old := e.key(t, "rerun")
	e.sched.unread = nil
	e.approve(t, "rerun")
	was, err := e.svc.Proposal(t.Context(), old.ID)
	if err != nil {
		t.Fatal(err)
	}
	wantState(t, was, NeedsReapproval)
	if len(e.sched.launches) != 0 || !strings.Contains(was.Steps[0].Problem, "was not read when this was asked") {
		t.Errorf("launches %v, problem %q", e.sched.launches, was.Steps[0].Problem)
	}
}

// TestDeclaredEffectsAreNoDifference: what the steps before have done is part of
// the precondition, also those of the other proposals of the incident.
func TestDeclaredEffectsAreNoDifference(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) {
		plan := testPlan()
		pause := plan[0].Steps[0]
		pause.Action.Target, pause.UndoAction = "sched://build", nil
		plan[2].Steps = append([]diagnosis.PlannedStep{pause}, plan[2].Steps[1:]...)
		e.plan = plan
	})
	e.asked(t)
	e.approve(t, "change", "recover")
	e.done(t, "change", 0)
	e.sched.schedule = "STOPPED"
	e.done(t, "recover", 0)
	if len(e.sched.launches) != 1 {
		t.Fatalf("the pause that was approved is taken for a difference: %+v", e.key(t, "recover").Steps)
	}
}

// TestUndeclaredChangeOfAnEarlierTarget: the schedule that step 1 paused runs
// again when step 2 is to begin.
func TestUndeclaredChangeOfAnEarlierTarget(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) {
		plan := testPlan()
		plan[2].Steps = append([]diagnosis.PlannedStep{plan[0].Steps[0]}, plan[2].Steps[1:]...)
		e.plan = plan
	})
	e.asked(t)
	e.approve(t, "change", "recover")
	e.done(t, "change", 0)
	e.sched.schedule = "STOPPED"
	e.sched.reading = func() { e.sched.schedule = "RUNNING" }
	e.done(t, "recover", 0)
	p := e.key(t, "recover")
	wantState(t, p, Halted)
	if !strings.Contains(p.Steps[1].Problem, "schedule is RUNNING, and was to be STOPPED") || len(e.sched.launches) != 0 {
		t.Errorf("problem %q", p.Steps[1].Problem)
	}
}

func TestHashCoversTheSnapshot(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	p := e.key(t, "recover")
	if len(p.Snapshot) != len(p.Plan) || p.Snapshot[1].Facts[0] != (Fact{Name: "version", Value: "v1"}) || p.Snapshot[1].At.IsZero() || !p.Snapshot[0].Mute {
		t.Fatalf("snapshot %+v", p.Snapshot)
	}
	p.Snapshot[1].Facts[0].Value = "v2"
	if hash, err := ProposalHash(p); err != nil || hash == p.Hash {
		t.Errorf("the hash does not cover what was read (%v)", err)
	}
}

// TestPausedAlready: a hold that is in force is said, not asked, and nothing that
// dw did not pause is resumed at the end.
func TestPausedAlready(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		setup   func(*estate)
		asked   bool
		noted   string
		because string
	}{
		{"read as stopped", func(e *estate) { e.sched.schedule = "STOPPED" }, false, "sched://export is paused already (read from sched at 12:01 UTC): dw asks for no hold, and does not resume it", ""},
		{"runs", func(*estate) {}, true, "", ""},
		{"said to be paused, and runs", func(e *estate) { e.plan[0].InForce = "the configuration says that it is paused" }, true, "", "Although the configuration says that it is paused."},
		{"said to be paused, and nobody reads it", func(e *estate) {
			e.plan[0].InForce = "the configuration says that it is paused"
			e.plan[0].Steps[0].Action.System = "cron"
		}, false, "the configuration says that it is paused, and no connector reads it", ""},
		{"said to be paused, and not readable now", func(e *estate) {
			e.plan[0].InForce = "the configuration says that it is paused"
			e.sched.unread = errAway
		}, true, "", "Although"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(tt.setup)
			e.asked(t)
			_, ps, err := e.svc.Incident(t.Context(), e.incident(t).ID)
			if err != nil {
				t.Fatal(err)
			}
			hold, asked := newestOf(ps, "hold")
			if asked != tt.asked || (tt.noted != "" && !e.noted(t, tt.noted)) {
				t.Fatalf("asked %v, notes %+v", asked, e.incident(t).Notes)
			}
			if asked && !strings.Contains(hold.Plan[0].Reason, tt.because) {
				t.Errorf("reason %q, want %q", hold.Plan[0].Reason, tt.because)
			}
		})
	}
}
