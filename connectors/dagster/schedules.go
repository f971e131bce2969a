package dagster

import (
	"context"
	"fmt"
	"strings"

	"dw/diagnosis"
	"dw/workflows"
)

// The states of a schedule, in the vendor's words.
const (
	running = "RUNNING"
	stopped = "STOPPED"
)

// wanted is the state that an action brings about, and false for an action that
// is not about a schedule.
func wanted(a diagnosis.Action) (string, bool) {
	switch a.Name {
	case diagnosis.ActionPauseSchedule:
		return stopped, true
	case diagnosis.ActionResumeSchedule:
		return running, true
	}
	return "", false
}

// schedule is the state of a schedule as the queries select it.
type schedule struct {
	name       string
	ID         string `json:"id"`
	SelectorID string `json:"selectorId"`
	Status     string `json:"status"`
}

func (s schedule) asWanted(a diagnosis.Action) bool {
	want, ok := wanted(a)
	return ok && s.Status == want
}

func (s schedule) run(a diagnosis.Action) workflows.Run {
	return workflows.Run{ID: s.SelectorID, State: s.Status, Done: s.asWanted(a), OK: s.asWanted(a)}
}

// Known reports whether the connector can read the effect of an action.
func (c *Client) Known(a diagnosis.Action) bool {
	_, ok := wanted(a)
	return ok && a.System == System
}

// Observe reads whether a schedule is as the step's action wants it.
func (c *Client) Observe(ctx context.Context, step diagnosis.PlannedStep) (workflows.Observation, error) {
	if !c.Known(step.Action) {
		return workflows.Observation{}, unknownAction(step.Action)
	}
	s, err := c.readSchedule(ctx, step.Action)
	if err != nil {
		return workflows.Observation{}, err
	}
	return workflows.Observation{
		Done: s.asWanted(step.Action), At: c.opts.Now(),
		Text: fmt.Sprintf("schedule %s is %s, read from dagster", s.name, s.Status),
	}, nil
}

func (c *Client) readSchedule(ctx context.Context, a diagnosis.Action) (schedule, error) {
	t, err := c.target(a)
	if err != nil {
		return schedule{}, err
	}
	q := query{name: "read schedule " + t.schedule, file: "schedule", vars: map[string]any{"selector": t.selector()}}
	var out struct {
		ScheduleOrError struct {
			member
			State schedule `json:"scheduleState"`
		} `json:"scheduleOrError"`
	}
	if err := c.ask(ctx, q, &out); err != nil {
		return schedule{}, err
	}
	if err := out.ScheduleOrError.expect(q, "Schedule"); err != nil {
		return schedule{}, err
	}
	out.ScheduleOrError.State.name = t.schedule
	return out.ScheduleOrError.State, nil
}

func (t target) selector() map[string]any {
	return map[string]any{"scheduleName": t.schedule, "repositoryName": t.repository, "repositoryLocationName": t.location}
}

// setSchedule starts or stops a schedule. To stop one, servers take different
// arguments by their age, so the server is asked which.
func (c *Client) setSchedule(ctx context.Context, a diagnosis.Action) (workflows.Run, error) {
	s, err := c.readSchedule(ctx, a)
	if err != nil {
		return workflows.Run{}, err
	}
	q, err := c.setQuery(ctx, a, s)
	if err != nil {
		return workflows.Run{}, err
	}
	type result struct {
		member
		State schedule `json:"scheduleState"`
	}
	var out struct {
		Start *result `json:"startSchedule"`
		Stop  *result `json:"stopRunningSchedule"`
	}
	if err := c.ask(ctx, q, &out); err != nil {
		return workflows.Run{}, err
	}
	got := out.Start
	if got == nil {
		got = out.Stop
	}
	if got == nil {
		return workflows.Run{}, q.failed(fmt.Errorf("the answer has no result"))
	}
	if err := got.expect(q, "ScheduleStateResult"); err != nil {
		return workflows.Run{}, err
	}
	if !got.State.asWanted(a) {
		return workflows.Run{}, q.failed(fmt.Errorf("the schedule is %s after it", got.State.Status))
	}
	return got.State.run(a), nil
}

func (c *Client) setQuery(ctx context.Context, a diagnosis.Action, s schedule) (query, error) {
	if a.Name == diagnosis.ActionResumeSchedule {
		t, err := c.target(a)
		return query{name: "start schedule " + s.name, file: "start_schedule", change: true, vars: map[string]any{"selector": t.selector()}}, err
	}
	q := query{name: "stop schedule " + s.name, change: true}
	fields, err := c.mutations(ctx)
	if err != nil {
		return q, err
	}
	args := fields["stopRunningSchedule"]
	origin, _, _ := strings.Cut(s.ID, "::")
	switch {
	case args["id"]:
		q.file, q.vars = "stop_schedule", map[string]any{"id": s.ID}
	case args["scheduleOriginId"] && args["scheduleSelectorId"]:
		q.file, q.vars = "stop_schedule_old", map[string]any{"origin": origin, "selector": s.SelectorID}
	default:
		return q, fmt.Errorf("dagster: %s: the server offers no way to stop a schedule that the connector knows", q.name)
	}
	return q, nil
}

// mutations asks the server by introspection which mutations it has, with the
// names of their arguments. The root type has another name on some servers, so
// it is not asked for by name.
func (c *Client) mutations(ctx context.Context) (map[string]map[string]bool, error) {
	var out struct {
		Schema struct {
			Mutation struct {
				Fields []struct {
					Name string `json:"name"`
					Args []struct {
						Name string `json:"name"`
					} `json:"args"`
				} `json:"fields"`
			} `json:"mutationType"`
		} `json:"__schema"`
	}
	if err := c.ask(ctx, query{name: "read what the server offers", file: "mutations"}, &out); err != nil {
		return nil, err
	}
	fields := map[string]map[string]bool{}
	for _, f := range out.Schema.Mutation.Fields {
		fields[f.Name] = map[string]bool{}
		for _, a := range f.Args {
			fields[f.Name][a.Name] = true
		}
	}
	return fields, nil
}
