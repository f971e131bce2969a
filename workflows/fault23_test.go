package workflows

import (
	"errors"
	"testing"
	"time"

	"dw/receipts"
)

// TestFault23StopPulledDuringExecution plays fault 23 of faults.md: the stop is
// pulled at each point of a run, also where the process is killed there. The step
// in flight comes to its end or is found again, nothing new starts, and what
// waited goes on when the stop is lifted.
func TestFault23StopPulledDuringExecution(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		play     func(t *testing.T, e *estate, eff Effect)
		launches int       // of the step, while dw is stopped
		state    StepState // of the step, while dw is stopped
	}{
		{"before the step is delivered", func(t *testing.T, e *estate, eff Effect) {
			e.stop(t, ann)
			_ = e.svc.Perform(t.Context(), eff)
		}, 0, StepPending},
		{"while its target is read", func(t *testing.T, e *estate, eff Effect) {
			e.sched.reading = func() { e.sched.reading = nil; e.stop(t, ann) }
			_ = e.svc.Perform(t.Context(), eff)
		}, 0, StepPending},
		{"during the call", func(t *testing.T, e *estate, eff Effect) {
			e.sched.after = func() { e.sched.after = nil; e.stop(t, ann) }
			_ = e.svc.Perform(t.Context(), eff)
		}, 1, StepDone},
		{"during the call, and the process is killed", func(t *testing.T, e *estate, eff Effect) {
			e.sched.after = func() { e.sched.after = nil; e.stop(t, ann); e.store.down = errors.New("killed") }
			_ = e.svc.Perform(t.Context(), eff)
			e.store.down = nil
			e.restart()
			_ = e.svc.Perform(t.Context(), eff)
		}, 1, StepDone},
		{"after the intent, and the process is killed before the call", func(t *testing.T, e *estate, eff Effect) {
			crash(t, e, false)
			e.restart()
			e.stop(t, ann)
			_ = e.svc.Perform(t.Context(), eff)
		}, 0, StepRunning},
		{"while its run is under way", func(t *testing.T, e *estate, eff Effect) {
			_ = e.svc.Perform(t.Context(), eff)
			e.stop(t, ann)
		}, 1, StepDone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, eff, tag := atLaunch(t)
			tt.play(t, e, eff)
			e.sched.finish(true)
			e.pass(t, 3*time.Minute)
			p := e.key(t, "recover")
			if s := p.Steps[1]; e.sched.launches[tag] != tt.launches || s.State != tt.state {
				t.Fatalf("while stopped: launches %v, step %+v, want %d and %s", e.sched.launches, s, tt.launches, tt.state)
			}
			if p.Steps[2].State != StepPending {
				t.Fatalf("the next step began while dw is stopped: %+v", p.Steps[2])
			}
			if tt.launches == 0 && e.kinds()[receipts.KindStepOutcome] != 0 {
				t.Errorf("an outcome without a call: %v", e.kinds())
			}
			_, resume := e.resume(t, ann)
			e.decide(t, e.click(resume, cleo, Approve))
			e.sched.finish(true)
			e.pass(t, 3*time.Minute)
			if s := e.key(t, "recover").Steps; e.sched.launches[tag] != 1 || s[1].State != StepDone || s[2].State == StepPending {
				t.Errorf("after the stop: launches %v, steps %+v", e.sched.launches, s)
			}
		})
	}
}
