package dagster

import (
	"fmt"
	"slices"
	"time"
)

// launch starts a run. Tags are only metadata: two launches with the same tags
// are two runs.
func (s *Server) launch(params args) object {
	sel := params.sub("selector")
	job := sel.text("jobName")
	if job == "" {
		job = sel.text("pipelineName")
	}
	location, repository := sel.text("repositoryLocationName"), sel.text("repositoryName")
	if location != s.opts.Location || repository != s.opts.Repository || !slices.Contains(s.opts.Jobs, job) {
		return object{
			"__typename": "PipelineNotFoundError", "pipelineName": job, "repositoryName": repository, "repositoryLocationName": location,
			"message": fmt.Sprintf("Could not find Pipeline %s.%s.%s", location, repository, job),
		}
	}
	run := &Run{ID: s.opts.NewID(), Job: job, Status: "QUEUED", Tags: map[string]string{}, Created: s.opts.Now()}
	for _, tag := range params.sub("executionMetadata").list("tags") {
		run.Tags[tag.text("key")] = tag.text("value")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return pythonError("the server is shutting down")
	}
	s.runs = append(s.runs, run)
	s.work.Go(func() { s.drive(run) })
	return object{"__typename": "LaunchRunSuccess", "run": run.object()}
}

// drive takes one run to its end.
func (s *Server) drive(run *Run) {
	s.locked(func() { run.Status, run.Started = "STARTED", s.opts.Now() })
	err := s.opts.Runner(s.ctx, run.Job)
	s.locked(func() {
		run.Status, run.Ended = "SUCCESS", s.opts.Now()
		if err != nil {
			run.Status = "FAILURE"
		}
	})
}

func (s *Server) locked(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// object copies a run into the API's form; the lock is held.
func (r *Run) object() object {
	tags := []object{}
	for key, value := range r.Tags {
		tags = append(tags, object{"__typename": "PipelineTag", "key": key, "value": value})
	}
	return object{
		"__typename": "Run", "id": r.ID, "runId": r.ID, "status": r.Status, "pipelineName": r.Job, "jobName": r.Job, "tags": tags,
		"startTime": seconds(r.Started), "endTime": seconds(r.Ended),
	}
}

// seconds writes a time as the API does, nil where it is not yet known.
func seconds(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return float64(t.UnixMicro()) / 1e6
}

func (s *Server) oneRun(id string) object {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runs {
		if r.ID == id {
			return r.object()
		}
	}
	return object{"__typename": "RunNotFoundError", "runId": id, "message": "Pipeline run " + id + " could not be found."}
}

// listRuns answers newest first; the cursor is the last id of the page before.
func (s *Server) listRuns(a args) object {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit, limited := a["limit"].(int64)
	cursor := a.text("cursor")
	found := []object{}
	for _, r := range slices.Backward(s.runs) {
		if cursor != "" {
			if r.ID == cursor {
				cursor = ""
			}
			continue
		}
		if limited && int64(len(found)) >= limit {
			break
		}
		if r.matches(a.sub("filter")) {
			found = append(found, r.object())
		}
	}
	return object{"__typename": "Runs", "results": found, "count": len(found)}
}

func (r *Run) matches(filter args) bool {
	for _, tag := range filter.list("tags") {
		if value, ok := r.Tags[tag.text("key")]; !ok || value != tag.text("value") {
			return false
		}
	}
	if name := filter.text("pipelineName"); name != "" && name != r.Job {
		return false
	}
	return listed(filter, "statuses", r.Status) && listed(filter, "runIds", r.ID)
}

// listed reports whether a list of the filter, if there is one, holds a value.
func listed(filter args, name, value string) bool {
	list, ok := filter[name].([]any)
	return !ok || slices.Contains(list, any(value))
}
