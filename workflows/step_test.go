package workflows

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

func TestMarkDoneRefusals(t *testing.T) {
	t.Parallel()
	undo := func(r *DoneRequest) { r.Undo = true }
	tests := []struct {
		name   string
		key    string
		step   int
		before func(*testing.T, *estate)
		change func(*DoneRequest)
		code   RefusalCode
		says   string
	}{
		{"outsider", "change", 0, nil, func(r *DoneRequest) { r.By = mort }, RefusedNotInChain, "Ann (owner), Ben (deputy) or Cleo (escalation) can mark it done"},
		{"cc", "change", 0, nil, func(r *DoneRequest) { r.By = carl }, RefusedNotInChain, "not one of the people"},
		{"guest", "change", 0, nil, func(r *DoneRequest) { r.NotAllowed = "you are a guest" }, RefusedNotAllowed, "you are a guest"},
		{"other hash", "change", 0, nil, func(r *DoneRequest) { r.HashPrefix = strings.Repeat("0", hashPrefixLen) }, RefusedHash, "replaced"},
		{"other message", "change", 0, nil, func(r *DoneRequest) { r.Message.TS = "9" }, RefusedMessage, "old card"},
		{"no such step", "change", 7, nil, nil, RefusedStep, "no step 8"},
		{"negative step", "change", -1, nil, nil, RefusedStep, "no step 0"},
		{"second step before the first", "recover", 1, nil, nil, RefusedStep, "the step is pending"},
		{"dw's own step", "recover", 1, func(t *testing.T, e *estate) { e.done(t, "change", 0); e.done(t, "recover", 0) }, nil, RefusedStep, "dw carries step 2 out itself"},
		{"done before", "change", 0, func(t *testing.T, e *estate) { e.done(t, "change", 0) }, nil, RefusedAlready, "already recorded as done at 12:01 UTC"},
		{"not approved", "hold", 0, nil, nil, RefusedStep, "the request is waiting"},
		{"undo before verified", "change", 0, func(t *testing.T, e *estate) { e.done(t, "change", 0) }, undo, RefusedStep, "has no undo"},
		{"undo of a hold that is held", "hold", 0, func(t *testing.T, e *estate) {
			e.approve(t, "hold")
			e.sched.schedule = "STOPPED"
			e.done(t, "hold", 0)
		}, undo, RefusedStep, "waits until the numbers are verified"},
		{"undo of what was not done", "hold", 0, nil, undo, RefusedStep, "nothing to undo"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := newEstate()
			e.asked(t)
			e.approve(t, "change", "recover")
			if tt.before != nil {
				tt.before(t, e)
			}
			before := e.key(t, tt.key)
			a := e.done(t, tt.key, tt.step, func(r *DoneRequest) {
				if tt.change != nil {
					tt.change(r)
				}
			})
			if a.OK != (tt.code == RefusedAlready) || !strings.Contains(a.Text, tt.says) {
				t.Errorf("answer %+v, want %q", a, tt.says)
			}
			if d := e.last(receipts.KindDecisionRefused); d.Body["code"] != string(tt.code) || d.Body["action"] != "mark_done" {
				t.Errorf("receipt %+v, want %s", d.Body, tt.code)
			}
			if e.key(t, tt.key).Rev != before.Rev {
				t.Error("a refused click changed the proposal")
			}
		})
	}
}

func TestProposerDoesNotMarkDone(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	e.approve(t, "change")
	proposedBy(ann)(t, e)
	if a := e.done(t, "change", 0); a.OK {
		t.Errorf("answer %+v", a)
	}
}

func TestDeputyMarksDone(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	e.approve(t, "change")
	if a := e.done(t, "change", 0, func(r *DoneRequest) { r.By = ben }); !a.OK {
		t.Fatalf("refused: %s", a.Text)
	}
	if s := e.key(t, "change").Steps[0]; s.State != StepDone || !s.By.Same(ben) {
		t.Errorf("step %+v", s)
	}
}

// TestMarkedDoneButNotSeen holds that dw does not take a click for a fact that
// it can read itself: nothing starts on it, unless the same person insists.
func TestMarkedDoneButNotSeen(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	e.approve(t, "hold")
	a := e.done(t, "hold", 0)
	if s := e.key(t, "hold").Steps[0]; a.OK || s.State != StepWaiting || !strings.Contains(s.Problem, "dw reads: schedule is RUNNING") {
		t.Fatalf("answer %+v, step %+v", a, s)
	}
	if d := e.last(receipts.KindDecisionRefused); d.Body["code"] != string(RefusedNotSeen) {
		t.Errorf("receipt %+v", d.Body)
	}
	if a := e.done(t, "hold", 0, func(r *DoneRequest) { r.By = ben }); a.OK {
		t.Error("another person's first click insists")
	}
	e.done(t, "hold", 0)
	if a := e.done(t, "hold", 0); !a.OK {
		t.Fatalf("insisting is refused: %+v", a)
	}
	if d := e.last(receipts.KindStepOwnerDone); !strings.Contains(fmt.Sprint(d.Body["observed"]), "against what dw reads") {
		t.Errorf("receipt %+v", d.Body)
	}
	e.sched.schedule = "STOPPED"
	e.pass(t, 2*time.Minute)
	if s := e.key(t, "hold").Steps[0]; s.Problem != "" || s.Observed != "schedule is STOPPED" || !s.By.Same(ann) {
		t.Errorf("step %+v", s)
	}
}

// TestWhatCanNeverStartEnds holds that a plan behind a rejected one does not
// stay approved or waiting as if it would start.
func TestWhatCanNeverStartEnds(t *testing.T) {
	t.Parallel()
	for _, approved := range []bool{true, false} {
		e := newEstate()
		e.asked(t)
		if approved {
			e.approve(t, "recover")
		}
		e.decide(t, e.click(e.key(t, "change"), ann, Reject))
		want := map[bool]ProposalState{true: Lapsed, false: Withdrawn}[approved]
		wantState(t, e.key(t, "recover"), want)
		if !e.noted(t, "it starts only after \"Repair the feed\", which is rejected") {
			t.Errorf("nobody was told: %+v", e.incident(t).Notes)
		}
		wantState(t, e.key(t, "hold"), Waiting)
	}
}

func TestHaltedRollsBack(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) {
		e.plan = []diagnosis.PlannedProposal{{Key: "hold", Title: "Two", Steps: append(testPlan()[0].Steps, testPlan()[1].Steps...)}}
	})
	e.asked(t)
	e.approve(t, "hold")
	e.now = epoch.Add(5 * time.Hour)
	e.sched.schedule = "STOPPED"
	e.done(t, "hold", 0)
	wantState(t, e.key(t, "hold"), Halted)
	if e.incident(t).State != Open {
		t.Errorf("incident is %s with nothing being carried out", e.incident(t).State)
	}
	e.done(t, "hold", 0, func(r *DoneRequest) { r.Undo = true })
	wantState(t, e.key(t, "hold"), RolledBack)
}
