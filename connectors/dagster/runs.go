package dagster

import (
	"context"
	"fmt"
	"strings"

	"dw/diagnosis"
	"dw/workflows"
)

// run is a run as the queries select it.
type run struct {
	RunID   string `json:"runId"`
	Status  string `json:"status"`
	JobName string `json:"jobName"`
}

func (c *Client) run(r run) workflows.Run {
	done := r.Status == "SUCCESS" || r.Status == "FAILURE" || r.Status == "CANCELED"
	return workflows.Run{
		ID: r.RunID, URL: strings.TrimSuffix(strings.TrimSuffix(c.opts.URL, "/graphql"), "/") + "/runs/" + r.RunID,
		State: r.Status, Done: done, OK: r.Status == "SUCCESS",
	}
}

// Launch carries out an action: launch_job, pause_schedule or resume_schedule.
// It is sent once; see workflows.UnclearError for what to do when the outcome is
// not known.
func (c *Client) Launch(ctx context.Context, a diagnosis.Action, tag string) (workflows.Run, error) {
	switch a.Name {
	case diagnosis.ActionLaunchJob:
		return c.launchJob(ctx, a, tag)
	case diagnosis.ActionPauseSchedule, diagnosis.ActionResumeSchedule:
		return c.setSchedule(ctx, a)
	}
	return workflows.Run{}, unknownAction(a)
}

func unknownAction(a diagnosis.Action) error {
	return fmt.Errorf("dagster: action %s of %s is not one that the connector offers", a.Name, a.Target)
}

func (c *Client) launchJob(ctx context.Context, a diagnosis.Action, tag string) (workflows.Run, error) {
	t, err := c.target(a)
	if err != nil {
		return workflows.Run{}, err
	}
	if tag == "" {
		return workflows.Run{}, fmt.Errorf("dagster: launch job %s: a tag is needed to find the run again", t.job)
	}
	q := query{name: "launch job " + t.job, file: "launch", change: true, vars: map[string]any{"params": map[string]any{
		"selector":          map[string]any{"jobName": t.job, "repositoryName": t.repository, "repositoryLocationName": t.location},
		"executionMetadata": map[string]any{"tags": tags(tag)},
	}}}
	fields, err := c.mutations(ctx)
	if err != nil {
		return workflows.Run{}, err
	}
	if _, ok := fields["launchRun"]; !ok {
		q.file = "launch_old"
	}
	var out struct {
		LaunchRun struct {
			member
			Run run `json:"run"`
		} `json:"launchRun"`
	}
	if err := c.ask(ctx, q, &out); err != nil {
		return workflows.Run{}, err
	}
	if err := out.LaunchRun.expect(q, "LaunchRunSuccess"); err != nil {
		return workflows.Run{}, err
	}
	if out.LaunchRun.Run.RunID == "" {
		return workflows.Run{}, q.failed(fmt.Errorf("the answer names no run"))
	}
	return c.run(out.LaunchRun.Run), nil
}

func tags(tag string) []map[string]any {
	return []map[string]any{{"key": TagKey, "value": tag}}
}

// FindByTag looks for the run that carries the tag. A run that was launched a
// moment ago may not be listed yet. Two runs with one tag are an error: a person
// must choose. For a schedule it reports whether the schedule is as the action
// wants it.
func (c *Client) FindByTag(ctx context.Context, a diagnosis.Action, tag string) (workflows.Run, bool, error) {
	if _, ok := wanted(a); ok {
		s, err := c.readSchedule(ctx, a)
		return s.run(a), err == nil && s.asWanted(a), err
	}
	if a.Name != diagnosis.ActionLaunchJob {
		return workflows.Run{}, false, unknownAction(a)
	}
	q := query{name: "find run by tag " + tag, file: "runs_by_tag", vars: map[string]any{
		"filter": map[string]any{"tags": tags(tag)}, "limit": 2,
	}}
	var out struct {
		RunsOrError struct {
			member
			Results []run `json:"results"`
		} `json:"runsOrError"`
	}
	if err := c.ask(ctx, q, &out); err != nil {
		return workflows.Run{}, false, err
	}
	if err := out.RunsOrError.expect(q, "Runs"); err != nil {
		return workflows.Run{}, false, err
	}
	switch found := out.RunsOrError.Results; len(found) {
	case 0:
		return workflows.Run{}, false, nil
	case 1:
		return c.run(found[0]), true, nil
	default:
		return workflows.Run{}, false, fmt.Errorf("dagster: %s: runs %s and %s carry it; a person must choose", q.name, found[0].RunID, found[1].RunID)
	}
}

// State reads a run by the id that its launch answered.
func (c *Client) State(ctx context.Context, a diagnosis.Action, runID string) (workflows.Run, error) {
	if _, ok := wanted(a); ok {
		s, err := c.readSchedule(ctx, a)
		return s.run(a), err
	}
	q := query{name: "read run " + runID, file: "run", vars: map[string]any{"id": runID}}
	var out struct {
		RunOrError struct {
			member
			run
		} `json:"runOrError"`
	}
	if err := c.ask(ctx, q, &out); err != nil {
		return workflows.Run{}, err
	}
	if err := out.RunOrError.expect(q, "Run"); err != nil {
		return workflows.Run{}, err
	}
	return c.run(out.RunOrError.run), nil
}

// target is where a job or schedule stands.
type target struct{ location, repository, job, schedule string }

// target reads the arguments location, repository, job and schedule of an
// action. What is missing comes from the target's id, which is
// dagster://job or dagster://location/repository/job, then from the options. A
// schedule without a name is the job's own: <job>_schedule.
func (c *Client) target(a diagnosis.Action) (target, error) {
	_, path, _ := strings.Cut(string(a.Target), "://")
	parts := strings.Split(path, "/")
	t := target{location: c.opts.Location, repository: c.opts.Repository, job: parts[len(parts)-1]}
	if len(parts) == 3 {
		t.location, t.repository = parts[0], parts[1]
	}
	for name, field := range map[string]*string{"location": &t.location, "repository": &t.repository, "job": &t.job, "schedule": &t.schedule} {
		if v := a.Args[name]; v != "" {
			*field = v
		}
	}
	if t.schedule == "" {
		t.schedule = t.job + "_schedule"
	}
	if t.location == "" || t.job == "" {
		return target{}, fmt.Errorf("dagster: %s of %s: its code location or job is not known; set dagster.location on the asset", a.Name, a.Target)
	}
	return t, nil
}
