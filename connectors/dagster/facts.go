package dagster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"dw/diagnosis"
	"dw/workflows"
)

// The names of the facts.
const (
	factSchedule = "schedule"         // RUNNING, STOPPED or missing
	factJob      = "job"              // present or missing
	factVersion  = "job version"      // the snapshot of the job's definition: another one is other code
	factLastRun  = "last run by hand" // the newest run that no schedule and no sensor started
)

const (
	missing = "missing"
	present = "present"
)

// runsRead is how far back a run by hand is looked for.
const runsRead = 100

var _ workflows.FactReader = (*Client)(nil)

// Reads reports whether the connector can read what an action acts on.
func (c *Client) Reads(a diagnosis.Action) bool {
	return c.Known(a) || (a.System == System && a.Name == diagnosis.ActionLaunchJob)
}

// ReadFacts reads the schedule that the action sets, or the job that it launches.
func (c *Client) ReadFacts(ctx context.Context, s diagnosis.PlannedStep) ([]workflows.Fact, error) {
	switch {
	case !c.Reads(s.Action):
		return nil, unknownAction(s.Action)
	case s.Action.Name == diagnosis.ActionLaunchJob:
		return c.jobFacts(ctx, s.Action)
	}
	state, err := c.readSchedule(ctx, s.Action)
	if answer, ok := errors.AsType[*AnswerError](err); ok && answer.Typename == "ScheduleNotFoundError" {
		return []workflows.Fact{{Name: factSchedule, Value: missing}}, nil
	}
	if err != nil {
		return nil, err
	}
	return []workflows.Fact{{Name: factSchedule, Value: state.Status}}, nil
}

// Effect declares that a schedule is as the action wants it, or that the step's
// run is the newest.
func (c *Client) Effect(_ context.Context, s diagnosis.PlannedStep) ([]workflows.Fact, error) {
	if want, ok := wanted(s.Action); ok {
		return []workflows.Fact{{Name: factSchedule, Value: want}}, nil
	}
	if !c.Reads(s.Action) {
		return nil, unknownAction(s.Action)
	}
	return []workflows.Fact{{Name: factLastRun, Value: workflows.RunOfStep}}, nil
}

// jobFacts reads what a launch stands on. Runs of schedules and sensors come all
// the time and change nothing; a run that somebody started by hand does.
func (c *Client) jobFacts(ctx context.Context, a diagnosis.Action) ([]workflows.Fact, error) {
	t, err := c.target(a)
	if err != nil {
		return nil, err
	}
	q := query{name: "read job " + t.job, file: "job", vars: map[string]any{
		"params": map[string]any{"pipelineName": t.job, "repositoryName": t.repository, "repositoryLocationName": t.location}, "limit": runsRead,
	}}
	var out struct {
		PipelineOrError struct {
			member
			SnapshotID string      `json:"pipelineSnapshotId"`
			Runs       []taggedRun `json:"runs"`
		} `json:"pipelineOrError"`
	}
	if err := c.ask(ctx, q, &out); err != nil {
		return nil, err
	}
	job := out.PipelineOrError
	if job.Typename == "PipelineNotFoundError" {
		return []workflows.Fact{{Name: factJob, Value: missing}, {Name: factVersion}, {Name: factLastRun}}, nil
	}
	if err := job.expect(q, "Pipeline"); err != nil {
		return nil, err
	}
	if job.SnapshotID == "" {
		return nil, q.failed(fmt.Errorf("the answer names no snapshot of the job"))
	}
	return []workflows.Fact{
		{Name: factJob, Value: present}, {Name: factVersion, Value: job.SnapshotID}, {Name: factLastRun, Value: lastByHand(job.Runs)},
	}, nil
}

// taggedRun is a run with what started it.
type taggedRun struct {
	RunID string `json:"runId"`
	Tags  []struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	} `json:"tags"`
}

// lastByHand returns the newest run that a person or a program started; runs come
// newest first.
func lastByHand(runs []taggedRun) string {
	for _, r := range runs {
		if !r.automatic() {
			return r.RunID
		}
	}
	return "none"
}

// automatic reports whether the orchestrator itself started the run, by the tags
// that it puts on such runs.
func (r taggedRun) automatic() bool {
	own := []string{"dagster/schedule_name", "dagster/sensor_name", "dagster/auto_materialize", "dagster/from_automation_condition"}
	for _, tag := range r.Tags {
		if slices.Contains(own, tag.Key) {
			return true
		}
	}
	return false
}
