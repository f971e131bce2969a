package workflows

import (
	"errors"
	"strings"
	"testing"
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

// rollPlan is one proposal of three steps: the owner pauses the export, dw runs
// the job, whose undo is another run, and dw runs it once more.
func rollPlan() []diagnosis.PlannedProposal {
	plan := testPlan()
	run := plan[2].Steps[1]
	again := diagnosis.Action{System: "sched", Name: diagnosis.ActionLaunchJob, Target: "sched://build", Args: map[string]string{"of": "before"}}
	run.UndoAction, run.Undo, run.Reversible = &again, "run the job of before", true
	last := run
	last.Title = "run it once more"
	return []diagnosis.PlannedProposal{{Key: "fix", Title: "Repair", Steps: []diagnosis.PlannedStep{plan[0].Steps[0], run, last}}}
}

// halfway brings a run of rollPlan to where it is halted before its third step.
func halfway(t *testing.T, change ...func(*estate)) (*estate, Proposal) {
	t.Helper()
	e := newEstate(append([]func(*estate){func(e *estate) { e.plan = rollPlan() }}, change...)...)
	e.asked(t)
	e.approve(t, "fix")
	e.sched.schedule = "STOPPED"
	e.done(t, "fix", 0)
	e.sched.finish(true)
	e.sched.version = "v2"
	e.pass(t, 2*time.Minute)
	p := e.key(t, "fix")
	wantState(t, p, Halted)
	if p.Steps[1].State != StepDone || p.Steps[2].State != StepPending || !p.Choosable() {
		t.Fatalf("steps %+v", p.Steps)
	}
	e.sched.version = "v1"
	return e, p
}

// TestHaltedWhoMayChoose: approvals.md rule 8: a person of the chain chooses what
// becomes of a halted run; everybody else is told privately why not, which is
// recorded, and so is a click on another card or content.
func TestHaltedWhoMayChoose(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*DecideRequest)
		code   RefusalCode
		says   string
	}{
		{"outsider", func(r *DecideRequest) { r.By = mort }, RefusedNotInChain, "not one of the people"},
		{"cc", func(r *DecideRequest) { r.By = carl }, RefusedCC, "kept informed"},
		{"guest", func(r *DecideRequest) { r.NotAllowed = "you are a guest" }, RefusedNotAllowed, "you are a guest"},
		{"other hash", func(r *DecideRequest) { r.HashPrefix = strings.Repeat("0", hashPrefixLen) }, RefusedHash, "replaced"},
		{"other nonce", func(r *DecideRequest) { r.Nonce = "00" }, RefusedNonce, "does not belong"},
		{"copied card", func(r *DecideRequest) { r.Message.TS = "9" }, RefusedMessage, "copy or an old card"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, p := halfway(t)
			for _, what := range []Verdict{RollBack, GiveUp, Renew} {
				r := e.click(p, ann, what)
				tt.change(&r)
				if a := e.decide(t, r); a.OK || !strings.Contains(a.Text, tt.says) {
					t.Errorf("%s: answer %+v, want %q", what, a, tt.says)
				}
				if d := e.last(receipts.KindDecisionRefused); d.Body["code"] != string(tt.code) || d.Body["action"] != "choose" {
					t.Errorf("%s: receipt %+v", what, d.Body)
				}
			}
			if after := e.key(t, "fix"); after.State != Halted || len(after.Choices) != 0 || e.kinds()[receipts.KindHaltedChoice] != 0 {
				t.Errorf("a refused choice counted: %+v", after.Choices)
			}
		})
	}
}

// TestOnlyHaltedIsChosen: no choice makes an edge out of another state.
func TestOnlyHaltedIsChosen(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) { e.plan = rollPlan() })
	e.asked(t)
	for _, want := range []ProposalState{Waiting, Executing} {
		for _, what := range []Verdict{RollBack, GiveUp, Renew} {
			if a := e.decide(t, e.click(e.key(t, "fix"), ann, what)); a.OK || !strings.Contains(a.Text, "Nothing is left to choose") {
				t.Errorf("answer %+v", a)
			}
		}
		wantState(t, e.key(t, "fix"), want)
		if want == Waiting {
			e.approve(t, "fix")
		}
	}
}

// TestRollBack: the done steps are taken back in reverse, each with its receipts,
// under the name of who chose it.
func TestRollBack(t *testing.T) {
	t.Parallel()
	e, p := halfway(t)
	r := e.click(p, ben, RollBack)
	if a := e.decide(t, r); !a.OK || !strings.Contains(a.Text, "roll back, the last step first") {
		t.Fatalf("answer %+v", a)
	}
	if a := e.decide(t, r); !a.OK || !strings.Contains(a.Text, "already recorded") {
		t.Errorf("the same click again: %+v", a)
	}
	if d := e.last(receipts.KindHaltedChoice); d.Actor.User != ben.User || d.Body["choice"] != string(RollBack) || d.Body["hash"] != p.Hash || e.kinds()[receipts.KindHaltedChoice] != 1 {
		t.Errorf("receipt %+v", d)
	}
	p = e.key(t, "fix")
	tag := p.undoTag(1)
	if e.sched.launches[tag] != 1 || p.Steps[0].Undo != nil || p.Steps[1].Undo.RunID != "run-"+tag {
		t.Fatalf("launches %v, steps %+v", e.sched.launches, p.Steps)
	}
	if d := e.last(receipts.KindStepIntent); d.Body["undo"] != true || d.Body["chosen_by"] != ben.User || d.Body["tag"] != tag || d.Body["read"] == nil {
		t.Errorf("receipt %+v", d.Body)
	}
	e.sched.finish(true)
	e.pass(t, 2*time.Minute)
	p = e.key(t, "fix")
	if d := e.last(receipts.KindStepOutcome); p.Steps[1].State != StepUndone || d.Body["state"] != string(StepUndone) || d.Body["run_id"] != "run-"+tag {
		t.Fatalf("step %+v, receipt %+v", p.Steps[1], d.Body)
	}
	wantState(t, p, Halted)
	if p.Steps[0].State != StepDone || p.Steps[0].Undo.State != StepWaiting || !e.noted(t, "is asked to take it back: resume the export") {
		t.Fatalf("step 1 %+v", p.Steps[0])
	}
	e.sched.schedule = "RUNNING"
	e.pass(t, 2*time.Minute)
	p = e.key(t, "fix")
	wantState(t, p, RolledBack)
	if c := p.Choices[0]; c.Ended != "rolled back" || !c.By.Same(ben) || p.Steps[0].State != StepUndone {
		t.Errorf("choice %+v, step %+v", c, p.Steps[0])
	}
}

// TestRollBackByHand: the owner's undo is marked, in its turn only.
func TestRollBackByHand(t *testing.T) {
	t.Parallel()
	e, p := halfway(t)
	undo := func(r *DoneRequest) { r.Undo = true }
	e.decide(t, e.click(p, ann, RollBack))
	if a := e.done(t, "fix", 0, undo); a.OK || !strings.Contains(a.Text, "the last step is taken back first") {
		t.Errorf("answer %+v", a)
	}
	e.sched.finish(true)
	e.pass(t, 2*time.Minute)
	if a := e.done(t, "fix", 0, undo); !a.OK {
		t.Fatalf("answer %+v", a)
	}
	wantState(t, e.key(t, "fix"), RolledBack)
}

// TestRollBackStops: an undo that does not succeed leaves the run halted, and a
// person chooses again; the next try is a run of its own.
func TestRollBackStops(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		setup func(*estate)
		after func(*estate)
		wait  time.Duration
		says  string
	}{
		{"its run fails", nil, func(e *estate) { e.sched.finish(false) }, 2 * time.Minute, "ended as FAILURE"},
		{"it is refused", func(e *estate) { e.sched.answer, e.sched.deaf = errors.New("no such job"), true }, nil, 0, "no such job"},
		{"its run takes too long", nil, nil, 40 * time.Minute, "is not done after 30m0s"},
		{"whether it started is unclear", func(e *estate) {
			e.sched.answer, e.sched.deaf = &UnclearError{Call: "launch", Err: errors.New("cut")}, true
		}, nil, 10 * time.Minute, "please look in sched"},
		{"the facts are others", func(e *estate) { e.sched.version = "v3" }, nil, 0, "version is v3, and was to be v1"},
		{"they cannot be read in time", func(e *estate) { e.sched.unread = errAway }, nil, 5 * time.Hour, "was not started before"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, p := halfway(t)
			if tt.setup != nil {
				tt.setup(e)
			}
			e.decide(t, e.click(p, ann, RollBack))
			if tt.after != nil {
				tt.after(e)
			}
			e.pass(t, tt.wait)
			p = e.key(t, "fix")
			wantState(t, p, Halted)
			if !p.Choosable() || !strings.Contains(p.Choices[0].Ended, tt.says) || !e.noted(t, "Choose again") || p.Steps[1].State != StepDone {
				t.Fatalf("choices %+v, step %+v", p.Choices, p.Steps[1])
			}
			e.sched.answer, e.sched.deaf, e.sched.unread, e.sched.version = nil, false, nil, "v1"
			first := p.undoTag(1)
			e.decide(t, e.click(p, ann, RollBack))
			e.sched.finish(true)
			e.pass(t, 2*time.Minute)
			p = e.key(t, "fix")
			if p.Steps[1].State != StepUndone || p.undoTag(1) == first || e.sched.launches[p.undoTag(1)] != 1 || e.sched.launches[first] > 1 {
				t.Errorf("launches %v, step %+v", e.sched.launches, p.Steps[1])
			}
		})
	}
}

// TestRollBackIsDoneAlready: a schedule that somebody has resumed is not resumed
// by dw once more.
func TestRollBackIsDoneAlready(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) {
		e.plan = rollPlan()
		e.plan[0].Steps[0].By = diagnosis.ByDW
	})
	e.asked(t)
	e.approve(t, "fix")
	e.sched.schedule = "STOPPED"
	e.sched.finish(true)
	e.pass(t, 2*time.Minute)
	e.sched.finish(true)
	e.sched.version = "v2"
	e.pass(t, 2*time.Minute)
	p := e.key(t, "fix")
	wantState(t, p, Halted)
	e.sched.version = "v1"
	e.decide(t, e.click(p, ann, RollBack))
	e.sched.schedule = "RUNNING"
	e.sched.finish(true)
	e.pass(t, 2*time.Minute)
	p = e.key(t, "fix")
	wantState(t, p, RolledBack)
	if e.sched.launches[p.undoTag(0)] != 0 || !e.noted(t, "it is so already, read from sched") {
		t.Errorf("launches %v", e.sched.launches)
	}
}

// TestCrashInRollBack: killed between intent and outcome, the run is looked for
// by its tag, and started once; also where the clock was set back meanwhile.
func TestCrashInRollBack(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]time.Duration{"on time": 0, "the clock was set back": 10 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, p := halfway(t)
			e.patient = true
			e.sched.after = func() { e.store.down = errors.New("killed") }
			if _, err := e.svc.Decide(t.Context(), e.click(p, ann, RollBack)); err != nil {
				t.Fatal(err)
			}
			e.now = e.now.Add(-back)
			e.drain(t)
			e.sched.after, e.store.down = nil, nil
			e.restart()
			e.drain(t)
			e.pass(t, 2*time.Minute)
			p = e.key(t, "fix")
			if tag := p.undoTag(1); e.sched.launches[tag] != 1 || p.Steps[1].Undo.RunID != "run-"+tag {
				t.Errorf("launches %v, undo %+v", e.sched.launches, p.Steps[1].Undo)
			}
		})
	}
}

// TestRollBackWaitsForTheStop: the choice is kept, and nothing begins.
func TestRollBackWaitsForTheStop(t *testing.T) {
	t.Parallel()
	e, p := halfway(t)
	if _, err := e.svc.PullStop(t.Context(), StopRequest{By: ann, Channel: "C1", At: e.now}); err != nil {
		t.Fatal(err)
	}
	before := len(e.sched.launches)
	if a := e.decide(t, e.click(p, ann, RollBack)); !a.OK {
		t.Fatalf("answer %+v", a)
	}
	e.pass(t, 5*time.Minute)
	if len(e.sched.launches) != before {
		t.Fatalf("launches %v while dw is stopped", e.sched.launches)
	}
	if _, err := e.svc.AskResume(t.Context(), StopRequest{By: ann, Channel: "C1", At: e.now}); err != nil {
		t.Fatal(err)
	}
	e.drain(t)
	waiting, err := e.svc.Waiting(t.Context())
	if err != nil || len(waiting) != 1 {
		t.Fatalf("%+v %v", waiting, err)
	}
	e.decide(t, e.click(waiting[0], ben, Approve))
	if e.sched.launches[e.key(t, "fix").undoTag(1)] != 1 {
		t.Errorf("launches %v", e.sched.launches)
	}
}

func TestRollBackOfWhatHasNoUndo(t *testing.T) {
	t.Parallel()
	e, p := halfway(t, func(e *estate) {
		e.plan[0].Steps[1].UndoAction, e.plan[0].Steps[1].Undo, e.plan[0].Steps[1].Reversible = nil, noUndo, false
	})
	if a := e.decide(t, e.click(p, ann, RollBack)); a.OK || !strings.Contains(a.Text, "step 2 (run the job) has no undo") {
		t.Errorf("answer %+v", a)
	}
	if !e.key(t, "fix").Choosable() {
		t.Error("no other choice is left")
	}
}

// TestGiveUp: the run has failed; what stays done is said, and the hold's undo is
// the owner's.
func TestGiveUp(t *testing.T) {
	t.Parallel()
	e, p := halfway(t)
	if a := e.decide(t, e.click(p, ann, GiveUp)); !a.OK {
		t.Fatalf("answer %+v", a)
	}
	wantState(t, e.key(t, "fix"), Failed)
	if !e.noted(t, "this stays done: step 1 (pause the export; undo: resume the export) and step 2") || !e.noted(t, "The undo of \"Repair\" is open: resume the export") {
		t.Errorf("notes %+v", e.incident(t).Notes)
	}
	if a := e.decide(t, e.click(p, ben, RollBack)); a.OK {
		t.Error("a failed run is rolled back")
	}
}

// TestRenew: the steps that are left are asked anew on the facts of now, approved
// by a person, and carried out; the halted run is not touched again.
func TestRenew(t *testing.T) {
	t.Parallel()
	e, p := halfway(t)
	e.sched.version = "v2"
	if a := e.decide(t, e.click(p, ann, Renew)); !a.OK {
		t.Fatalf("answer %+v", a)
	}
	e.tick(t)
	next, old := e.key(t, "fix/rest"), e.key(t, "fix")
	wantState(t, next, Waiting)
	if old.State != Halted || old.ReplacedBy != next.ID || old.Choosable() || len(next.Plan) != 1 || next.Plan[0].Title != "run it once more" || valueOf(next.Snapshot[0].Facts, "version") != "v2" {
		t.Fatalf("old %+v, new %+v", old, next)
	}
	launches := len(e.sched.launches)
	e.approve(t, "fix/rest")
	wantState(t, e.key(t, "fix/rest"), Executing)
	if len(e.sched.launches) != launches+1 {
		t.Errorf("launches %v", e.sched.launches)
	}
}
