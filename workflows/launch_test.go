package workflows

import (
	"context"
	"errors"
	"testing"
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

// atLaunch brings the estate to where dw's own step is queued, not delivered.
func atLaunch(t *testing.T) (*estate, Effect, string) {
	t.Helper()
	e := newEstate()
	e.asked(t)
	e.approve(t, "change", "recover")
	e.done(t, "change", 0)
	p := e.key(t, "recover")
	r := DoneRequest{By: ann, Proposal: p.ID, HashPrefix: p.HashPrefix(), Message: p.Message, At: e.now}
	if a, err := e.svc.MarkDone(t.Context(), r); err != nil || !a.OK {
		t.Fatalf("%+v %v", a, err)
	}
	for _, eff := range e.store.data.effects {
		if eff.Kind == EffectStep {
			e.store.data.effects = nil
			return e, eff, StepTag(p.ID, 1)
		}
	}
	t.Fatal("no step effect was queued")
	return nil, Effect{}, ""
}

func rerun(t *testing.T, e *estate) StepStatus {
	t.Helper()
	return e.key(t, "recover").Steps[1]
}

func TestIntentIsCommittedBeforeTheCall(t *testing.T) {
	t.Parallel()
	e, eff, tag := atLaunch(t)
	e.sched.after = func() {
		if s := rerun(t, e); s.State != StepRunning || e.kinds()[receipts.KindStepIntent] != 1 {
			t.Errorf("at the call the step is %+v", s)
		}
	}
	for range 3 { // deliveries repeat
		if err := e.svc.Perform(t.Context(), eff); err != nil {
			t.Fatal(err)
		}
	}
	if e.sched.launches[tag] != 1 || rerun(t, e).RunID != "run-"+tag {
		t.Errorf("launches %v, step %+v", e.sched.launches, rerun(t, e))
	}
	if d := e.last(receipts.KindStepOutcome); d.Body["state"] != "queued" || d.Body["how"] != howLaunched || d.Body["run_id"] != "run-"+tag {
		t.Errorf("receipt %+v", d.Body)
	}
}

func TestCrashBetweenIntentAndOutcome(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		called   bool // the call was made before the crash
		how      string
		launches int
		intents  int
	}{
		{"before the call", false, howAgain, 1, 2},
		{"after the call", true, howFound, 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, eff, tag := atLaunch(t)
			crash(t, e, tt.called)
			e.restart()
			if err := e.svc.Perform(t.Context(), eff); err != nil {
				t.Fatal(err)
			}
			if e.sched.launches[tag] != tt.launches || e.kinds()[receipts.KindStepIntent] != tt.intents {
				t.Errorf("launches %v, receipts %v", e.sched.launches, e.kinds())
			}
			if d := e.last(receipts.KindStepOutcome); d.Body["how"] != tt.how || rerun(t, e).RunID != "run-"+tag {
				t.Errorf("receipt %+v", d.Body)
			}
		})
	}
}

// crash leaves the state of a process that died after the intent was committed.
func crash(t *testing.T, e *estate, called bool) {
	t.Helper()
	r := StepRef{Proposal: e.key(t, "recover").ID, Step: 1}
	err := e.svc.onStep(t.Context(), r, func(p Proposal, w *work) (Proposal, Outcome) {
		return intend(p, 1, "nothing was called before", nil, e.svc.terms(p.Domain), w.now)
	})
	if err != nil {
		t.Fatal(err)
	}
	if called {
		if _, err := e.sched.Launch(t.Context(), diagnosis.Action{}, StepTag(r.Proposal, 1)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCrashedLaunchWaitsForTheTag(t *testing.T) {
	t.Parallel()
	e, eff, tag := atLaunch(t)
	crash(t, e, false)
	e.sched.blind = errors.New("scheduler does not answer")
	if err := e.svc.Perform(t.Context(), eff); err == nil {
		t.Fatal("the effect counts as delivered though nobody knows")
	}
	if e.sched.launches[tag] != 0 {
		t.Fatal("launched blindly")
	}
	e.sched.blind = nil
	if err := e.svc.Perform(t.Context(), eff); err != nil || e.sched.launches[tag] != 1 {
		t.Errorf("launches %v: %v", e.sched.launches, err)
	}
}

func TestUnclearLaunch(t *testing.T) {
	t.Parallel()
	doubt := &UnclearError{Call: "launch", Err: errors.New("connection cut")}
	tests := []struct {
		name  string
		setup func(*scheduler)
		found bool
	}{
		{"it had its effect", func(s *scheduler) { s.answer = doubt }, true},
		{"it had none", func(s *scheduler) { s.answer, s.deaf = doubt, true }, false},
		{"the tag cannot be asked for", func(s *scheduler) { s.answer, s.blind = doubt, errors.New("no answer") }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, eff, tag := atLaunch(t)
			tt.setup(e.sched)
			for range 2 {
				if err := e.svc.Perform(t.Context(), eff); err != nil {
					t.Fatal(err)
				}
			}
			if s := rerun(t, e); !s.Unclear || s.State != StepRunning {
				t.Fatalf("step %+v", s)
			}
			e.pass(t, 10*time.Minute)
			s := rerun(t, e)
			if e.sched.launches[tag] != 1 || (s.RunID != "") != tt.found || (s.Problem == "") != tt.found || s.State != StepRunning {
				t.Fatalf("launches %v, step %+v", e.sched.launches, s)
			}
			if tt.found {
				return
			}
			if s.Looked != maxLooks || !e.noted(t, "Please look in sched") {
				t.Errorf("nobody was asked: %+v", s)
			}
			if a := e.done(t, "recover", 1); !a.OK {
				t.Errorf("the person who looked cannot say so: %s", a.Text)
			}
		})
	}
}

func TestRunEnds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		setup func(*estate)
		wait  time.Duration
		state StepState
		says  string
	}{
		{"succeeds", func(e *estate) { e.sched.finish(true) }, 2 * time.Minute, StepDone, ""},
		{"fails", func(e *estate) { e.sched.finish(false) }, 2 * time.Minute, StepFailed, "ended as FAILURE"},
		{"still runs", func(*estate) {}, 20 * time.Minute, StepRunning, ""},
		{"takes too long", func(*estate) {}, 40 * time.Minute, StepFailed, "not done after 30m0s"},
		{"cannot be read for a while", func(e *estate) { e.sched.blind = errors.New("no answer") }, 10 * time.Minute, StepRunning, ""},
		{"cannot be read at all", func(e *estate) { e.sched.blind = errors.New("no answer") }, 40 * time.Minute, StepFailed, "could not be read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, eff, _ := atLaunch(t)
			if err := e.svc.Perform(t.Context(), eff); err != nil {
				t.Fatal(err)
			}
			tt.setup(e)
			e.pass(t, tt.wait)
			s := rerun(t, e)
			if s.State != tt.state || (tt.says != "" && !e.noted(t, tt.says)) {
				t.Fatalf("step %+v", s)
			}
			if s.State == StepFailed {
				wantState(t, e.key(t, "recover"), Failed)
				if e.key(t, "recover").Steps[2].State != StepPending {
					t.Error("a step after the failed one was begun")
				}
			}
		})
	}
}

func TestRefusedLaunchFails(t *testing.T) {
	t.Parallel()
	e, eff, _ := atLaunch(t)
	e.sched.answer, e.sched.deaf = errors.New("no such job"), true
	if err := e.svc.Perform(t.Context(), eff); err != nil {
		t.Fatal(err)
	}
	wantState(t, e.key(t, "recover"), Failed)
	if !e.noted(t, "no such job") {
		t.Error("the reason was not said")
	}
}

// TestCutCallIsUnclear: a call that ended with its context may have arrived.
func TestCutCallIsUnclear(t *testing.T) {
	t.Parallel()
	e, eff, tag := atLaunch(t)
	ctx, cancel := context.WithCancel(t.Context())
	e.sched.answer, e.sched.after = context.Canceled, cancel
	if err := e.svc.Perform(ctx, eff); err != nil {
		t.Fatal(err)
	}
	e.pass(t, 2*time.Minute)
	if s := rerun(t, e); s.RunID != "run-"+tag || e.sched.launches[tag] != 1 {
		t.Errorf("step %+v", s)
	}
}

// TestTwoWorkersLaunchOnce: a second delivery during the call is sent away.
func TestTwoWorkersLaunchOnce(t *testing.T) {
	t.Parallel()
	e, eff, tag := atLaunch(t)
	e.sched.hidden = true // the run is not listed yet
	e.sched.after = func() {
		e.sched.after = nil
		if err := e.svc.Perform(t.Context(), eff); !errors.Is(err, errLaunching) {
			t.Errorf("second delivery: %v", err)
		}
	}
	if err := e.svc.Perform(t.Context(), eff); err != nil {
		t.Fatal(err)
	}
	if e.sched.launches[tag] != 1 {
		t.Errorf("launches %v", e.sched.launches)
	}
}

// TestOutcomeIsFoundByPoll: the process dies after the call and its effect is
// never delivered again; the poll set with the intent finds the run.
func TestOutcomeIsFoundByPoll(t *testing.T) {
	t.Parallel()
	e, _, tag := atLaunch(t)
	crash(t, e, true)
	e.restart()
	e.pass(t, 2*time.Minute)
	if s := rerun(t, e); s.RunID != "run-"+tag || e.sched.launches[tag] != 1 {
		t.Errorf("step %+v", s)
	}
}

func TestPerformRefusesNonsense(t *testing.T) {
	t.Parallel()
	e := newEstate()
	for name, eff := range map[string]Effect{
		"kind":    {Kind: EffectThreadNote, Payload: []byte(`{}`)},
		"payload": {Kind: EffectStep, Payload: []byte(`[`)},
		"missing": newEffect(EffectStep, "x", StepRef{Proposal: "none"}),
	} {
		if err := e.svc.Perform(t.Context(), eff); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// TestLateRelaunchHalts: a launch that was lost is not made up for after
// execute_before.
func TestLateRelaunchHalts(t *testing.T) {
	t.Parallel()
	e, eff, tag := atLaunch(t)
	crash(t, e, false)
	e.restart()
	e.now = epoch.Add(5 * time.Hour)
	if err := e.svc.Perform(t.Context(), eff); err != nil {
		t.Fatal(err)
	}
	wantState(t, e.key(t, "recover"), Halted)
	if e.sched.launches[tag] != 0 {
		t.Error("launched after execute_before")
	}
}
