package dagster_test

import (
	"fmt"
	"slices"
	"testing"

	"dw/diagnosis"
	"dw/workflows"

	fake "dw/internal/fakes/dagster"
)

func facts(t *testing.T, v vendor, a diagnosis.Action) string {
	t.Helper()
	if !v.client.Reads(a) {
		t.Fatalf("%s is not read", a.Name)
	}
	got, err := v.client.ReadFacts(t.Context(), diagnosis.PlannedStep{Action: a})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(got)
}

// TestFactsOfAJob: approvals.md rule 8: other code, a job that is gone, and a run
// that somebody started by hand are differences; runs of the job's own schedule
// are none, for they come all the time.
func TestFactsOfAJob(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(vendor)
		job    string
		want   string
	}{
		{"nothing ran", func(vendor) {}, "build", "[{job present} {job version snapshot-of-build} {last run by hand none}]"},
		{"the schedule ran", func(v vendor) { v.RunByHand("build", map[string]string{"dagster/schedule_name": "build_schedule"}) }, "build", "[{job present} {job version snapshot-of-build} {last run by hand none}]"},
		{"somebody ran it", func(v vendor) {
			v.RunByHand("build", nil)
			v.RunByHand("build", map[string]string{"dagster/sensor_name": "arrivals"})
		}, "build", "[{job present} {job version snapshot-of-build} {last run by hand run-1}]"},
		{"another job ran", func(v vendor) { v.RunByHand("broken", nil) }, "build", "[{job present} {job version snapshot-of-build} {last run by hand none}]"},
		{"other code", func(v vendor) { v.Deploy("build", "two") }, "build", "[{job present} {job version two} {last run by hand none}]"},
		{"gone", func(vendor) {}, "elsewhere", "[{job missing} {job version } {last run by hand }]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := start(t, nil)
			tt.change(v)
			if got := facts(t, v, launch(tt.job)); got != tt.want {
				t.Errorf("facts %s, want %s", got, tt.want)
			}
		})
	}
}

func TestFactsOfASchedule(t *testing.T) {
	t.Parallel()
	v := start(t, nil)
	pause := launch("build")
	pause.Name = diagnosis.ActionPauseSchedule
	if got := facts(t, v, pause); got != "[{schedule RUNNING}]" {
		t.Errorf("facts %s", got)
	}
	v.SetRunning("build_schedule", false)
	if got := facts(t, v, pause); got != "[{schedule STOPPED}]" {
		t.Errorf("facts %s", got)
	}
	pause.Args = map[string]string{"schedule": "none_such"}
	if got := facts(t, v, pause); got != "[{schedule missing}]" {
		t.Errorf("facts %s", got)
	}
}

func TestEffectsAreDeclared(t *testing.T) {
	t.Parallel()
	v := start(t, nil)
	for action, want := range map[string]workflows.Fact{
		diagnosis.ActionPauseSchedule:  {Name: "schedule", Value: "STOPPED"},
		diagnosis.ActionResumeSchedule: {Name: "schedule", Value: "RUNNING"},
		diagnosis.ActionLaunchJob:      {Name: "last run by hand", Value: workflows.RunOfStep},
	} {
		a := launch("build")
		a.Name = action
		got, err := v.client.Effect(t.Context(), diagnosis.PlannedStep{Action: a})
		if err != nil || !slices.Equal(got, []workflows.Fact{want}) {
			t.Errorf("%s: %v, %v", action, got, err)
		}
	}
}

// TestUnreadableIsAnError: a server that cannot answer is never a job without runs.
func TestUnreadableIsAnError(t *testing.T) {
	t.Parallel()
	v := start(t, nil)
	v.Fail(fake.Fault{Field: "pipelineOrError", Kind: fake.PythonError})
	if got, err := v.client.ReadFacts(t.Context(), diagnosis.PlannedStep{Action: launch("build")}); err == nil {
		t.Errorf("facts %v of a server that fails", got)
	}
}
