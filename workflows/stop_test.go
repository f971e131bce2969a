package workflows

import (
	"strings"
	"testing"
	"time"

	"dw/receipts"
)

func (e *estate) stop(t *testing.T, who Person) Answer {
	t.Helper()
	a, err := e.svc.PullStop(t.Context(), StopRequest{By: who, Reason: "the move of the warehouse", Channel: "C1", At: e.now})
	if err != nil {
		t.Fatal(err)
	}
	e.drain(t)
	return a
}

func (e *estate) resume(t *testing.T, who Person) (Answer, Proposal) {
	t.Helper()
	a, err := e.svc.AskResume(t.Context(), StopRequest{By: who, Reason: "the move is over", Channel: "C1", At: e.now})
	if err != nil {
		t.Fatal(err)
	}
	e.drain(t)
	waiting, err := e.svc.Waiting(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range waiting {
		if p.Change != nil {
			return a, p
		}
	}
	return a, Proposal{}
}

func (e *estate) proposal(t *testing.T, id string) Proposal {
	t.Helper()
	p, err := e.svc.Proposal(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// With a pager and a tracker the stop is lifted as without.
func TestStopBesidePagerAndTracker(t *testing.T) {
	t.Parallel()
	e := boarded(ByItself, OnResolve)
	e.asked(t)
	e.stop(t, ben)
	_, p := e.resume(t, ann)
	if p.ID == "" {
		t.Fatal("nobody is asked to lift the stop")
	}
	e.decide(t, e.click(p, ben, Approve))
	if stop, err := e.svc.Stopped(t.Context()); err != nil || stop.On {
		t.Errorf("stop %+v %v", stop, err)
	}
}

// Rule 10: the stop is read inside every executing transaction.
func TestStopHoldsWhatIsApproved(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	if a := e.stop(t, carl); !a.OK {
		t.Fatalf("somebody under cc is listed and may stop: %s", a.Text)
	}
	e.approve(t, "hold", "change") // deciding goes on
	wantState(t, e.key(t, "hold"), Approved)
	wantState(t, e.key(t, "change"), Approved)
	if e.noted(t, "is asked to: pause the export") {
		t.Error("the owner was asked for a step while dw is stopped")
	}
	_, p := e.resume(t, ann)
	if a := e.decide(t, e.click(p, ben, Approve)); !a.OK {
		t.Fatalf("ben cannot lift the stop: %s", a.Text)
	}
	wantState(t, e.proposal(t, p.ID), Verified)
	wantState(t, e.key(t, "hold"), Executing)
	wantState(t, e.key(t, "change"), Executing)
	if !e.noted(t, "is asked to: pause the export") {
		t.Error("after the stop the owner is not asked")
	}
	if k := e.kinds(); k[receipts.KindStopPulled] != 1 || k[receipts.KindStopLifted] != 1 {
		t.Errorf("receipts %v", k)
	}
}

// A step whose delivery comes while dw is stopped is not launched, and exactly
// once after the stop is lifted, also where the delivery is not repeated.
func TestStopHoldsALaunch(t *testing.T) {
	t.Parallel()
	e, eff, tag := atLaunch(t)
	e.stop(t, ben)
	if err := e.svc.Perform(t.Context(), eff); err != nil {
		t.Fatal(err)
	}
	if e.sched.launches[tag] != 0 || e.kinds()[receipts.KindStepIntent] != 0 || rerun(t, e).State != StepPending {
		t.Fatalf("launched while stopped: %v, %+v", e.sched.launches, rerun(t, e))
	}
	_, p := e.resume(t, ben)
	e.decide(t, e.click(p, ann, Approve))
	if err := e.svc.Perform(t.Context(), eff); err != nil { // the old delivery comes late
		t.Fatal(err)
	}
	if e.sched.launches[tag] != 1 || e.kinds()[receipts.KindStepIntent] != 1 {
		t.Errorf("after the stop: launches %v, intents %d", e.sched.launches, e.kinds()[receipts.KindStepIntent])
	}
}

// faults.md 23: the step in flight finishes, nothing new starts.
func TestStopInMidRun(t *testing.T) {
	t.Parallel()
	e, eff, tag := atLaunch(t)
	if err := e.svc.Perform(t.Context(), eff); err != nil {
		t.Fatal(err)
	}
	e.stop(t, ann)
	e.sched.finish(true)
	e.pass(t, 3*time.Minute)
	if s := rerun(t, e); s.State != StepDone {
		t.Fatalf("the run that was in flight is not followed to its end: %+v", s)
	}
	if s := e.key(t, "recover").Steps[2]; s.State != StepPending {
		t.Errorf("the next step began while dw is stopped: %+v", s)
	}
	_, p := e.resume(t, ann)
	e.decide(t, e.click(p, cleo, Approve))
	if s := e.key(t, "recover").Steps[2]; s.State == StepPending {
		t.Errorf("after the stop the next step does not begin: %+v", s)
	}
	if e.sched.launches[tag] != 1 {
		t.Errorf("launches %v", e.sched.launches)
	}
}

// Rule 9: lifting the stop is decided by another human than the requester.
func TestWhoLiftsTheStop(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		who   Person
		code  RefusalCode
		holds bool
	}{
		{"the one who asked", ann, RefusedProposer, true},
		{"somebody under cc", carl, RefusedNotInChain, true},
		{"a stranger", mort, RefusedNotInChain, true},
		{"the deputy", ben, "", false},
		{"an escalation", cleo, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := newEstate()
			e.stop(t, ben)
			_, p := e.resume(t, ann)
			a := e.decide(t, e.click(p, tt.who, Approve))
			if got := e.last(receipts.KindDecisionRefused).Body["code"]; tt.code != "" && got != string(tt.code) {
				t.Errorf("refused with %v: %s", got, a.Text)
			}
			if stop, err := e.svc.Stopped(t.Context()); err != nil || stop.On != tt.holds {
				t.Errorf("stop %+v %v", stop, err)
			}
		})
	}
}

func TestStopIsForListedPeople(t *testing.T) {
	t.Parallel()
	e := newEstate()
	if a := e.stop(t, mort); a.OK || !strings.Contains(a.Text, "Ann") {
		t.Errorf("a stranger is told %+v", a)
	}
	if stop, _ := e.svc.Stopped(t.Context()); stop.On {
		t.Error("a stranger stopped dw")
	}
	if d := e.last(receipts.KindDecisionRefused); d.Body["action"] != "stop" || d.Actor.User != mort.User {
		t.Errorf("receipt %+v", d)
	}
}

// A stop that is pulled again is not lifted by what was asked before.
func TestStopPulledAgain(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.stop(t, ben)
	_, p := e.resume(t, ann)
	e.stop(t, cleo)
	if a := e.decide(t, e.click(p, ben, Approve)); a.OK {
		t.Errorf("the old request lifted the new stop: %s", a.Text)
	}
	if stop, _ := e.svc.Stopped(t.Context()); !stop.On || stop.By != cleo {
		t.Errorf("stop %+v", stop)
	}
	wantState(t, e.proposal(t, p.ID), Withdrawn)
}

// Silence never lifts the stop.
func TestResumeExpires(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.stop(t, ben)
	_, p := e.resume(t, ann)
	if again, q := e.resume(t, ann); !again.OK || q.ID != p.ID {
		t.Errorf("asked twice: %+v %s", again, q.ID)
	}
	e.pass(t, e.policy.ExpireAfter+time.Minute)
	wantState(t, e.proposal(t, p.ID), Expired)
	if stop, _ := e.svc.Stopped(t.Context()); !stop.On {
		t.Error("silence lifted the stop")
	}
}

// Rule 12b: a team of one lifts its own stop only where solo is configured.
func TestResumeAlone(t *testing.T) {
	t.Parallel()
	for _, solo := range []bool{false, true} {
		e := newEstate(func(e *estate) {
			e.policy.Deputy, e.policy.Escalation, e.policy.CC, e.policy.Solo = Person{}, nil, nil, solo
		})
		e.stop(t, ann)
		a, _ := e.resume(t, ann)
		stop, err := e.svc.Stopped(t.Context())
		if err != nil || stop.On == solo || a.OK != solo {
			t.Errorf("solo %v: stop %+v, answer %+v, %v", solo, stop, a, err)
		}
	}
}

// The approval's own clock goes on while dw is stopped.
func TestApprovalLapsesWhileStopped(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	e.stop(t, ben)
	e.approve(t, "change")
	e.pass(t, e.policy.ExecuteWithin+time.Minute)
	wantState(t, e.key(t, "change"), Lapsed)
}
