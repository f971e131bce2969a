package workflows

import (
	"context"
	"errors"
	"strings"

	"dw/diagnosis"
)

// scheduler is an outside system: it keeps runs by tag, and one schedule.
type scheduler struct {
	runs     map[string]*Run // by tag
	launches map[string]int
	looked   map[string]bool // FindByTag has said "none" since the last launch
	blindly  []string        // tags launched again without that
	schedule string
	answer   error             // what Launch answers after it had its effect (or not)
	deaf     bool              // Launch has no effect
	hidden   bool              // tags are not found
	blind    error             // what FindByTag and State answer
	after    func()            // runs inside Launch, after its effect
	version  string            // of the jobs' code
	byHand   string            // the newest run that somebody started
	unread   error             // what ReadFacts answers
	reading  func()            // runs inside ReadFacts, before it answers
	at       map[string]string // the version that a tag was launched on
}

func (s *scheduler) Launch(_ context.Context, a diagnosis.Action, tag string) (Run, error) {
	if s.launches == nil {
		s.launches, s.looked = map[string]int{}, map[string]bool{}
	}
	if s.launches[tag]++; s.launches[tag] > 1 && !s.looked[tag] {
		s.blindly = append(s.blindly, tag)
	}
	s.looked[tag] = false
	if s.at == nil {
		s.at = map[string]string{}
	}
	s.at[tag] = s.version
	run := &Run{ID: "run-" + tag, URL: "http://sched/" + tag, State: "QUEUED"}
	if !s.deaf {
		s.runs[tag] = run
		if a.Name != diagnosis.ActionPauseSchedule && a.Name != diagnosis.ActionResumeSchedule {
			s.byHand = run.ID
		}
	}
	if s.after != nil {
		s.after()
	}
	if s.answer != nil {
		return Run{}, s.answer
	}
	return *run, nil
}

func (s *scheduler) FindByTag(_ context.Context, _ diagnosis.Action, tag string) (Run, bool, error) {
	run, found := s.runs[tag]
	if s.blind != nil || !found || s.hidden {
		if s.looked != nil && s.blind == nil {
			s.looked[tag] = true
		}
		return Run{}, false, s.blind
	}
	return *run, true, nil
}

func (s *scheduler) State(_ context.Context, _ diagnosis.Action, id string) (Run, error) {
	if s.blind != nil {
		return Run{}, s.blind
	}
	run, found := s.runs[strings.TrimPrefix(id, "run-")]
	if !found {
		return Run{}, errors.New("no such run")
	}
	return *run, nil
}

func (s *scheduler) finish(ok bool) {
	for _, r := range s.runs {
		r.Done, r.OK, r.State = true, ok, map[bool]string{true: "SUCCESS", false: "FAILURE"}[ok]
	}
}

func (s *scheduler) Known(a diagnosis.Action) bool {
	return a.System == "sched" && a.Name != diagnosis.ActionLaunchJob
}

func (s *scheduler) Observe(_ context.Context, st diagnosis.PlannedStep) (Observation, error) {
	want := map[string]string{diagnosis.ActionPauseSchedule: "STOPPED", diagnosis.ActionResumeSchedule: "RUNNING"}[st.Action.Name]
	return Observation{Done: s.schedule == want, Text: "schedule is " + s.schedule}, nil
}

func (s *scheduler) Reads(a diagnosis.Action) bool { return a.System == "sched" }

func (s *scheduler) ReadFacts(_ context.Context, st diagnosis.PlannedStep) ([]Fact, error) {
	if s.reading != nil {
		s.reading()
	}
	if s.unread != nil {
		return nil, s.unread
	}
	if st.Action.Name == diagnosis.ActionLaunchJob {
		return []Fact{{Name: "version", Value: s.version}, {Name: "last run", Value: s.byHand}}, nil
	}
	return []Fact{{Name: "schedule", Value: s.schedule}}, nil
}

func (s *scheduler) Effect(_ context.Context, st diagnosis.PlannedStep) ([]Fact, error) {
	if st.Action.Name == diagnosis.ActionLaunchJob {
		return []Fact{{Name: "last run", Value: RunOfStep}}, nil
	}
	want := map[string]string{diagnosis.ActionPauseSchedule: "STOPPED", diagnosis.ActionResumeSchedule: "RUNNING"}[st.Action.Name]
	return []Fact{{Name: "schedule", Value: want}}, nil
}
