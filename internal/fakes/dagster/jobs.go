package dagster

import (
	"fmt"
	"slices"
)

// Deploy gives a job other code, as a new release of its location does. It
// reports false for a job that does not exist.
func (s *Server) Deploy(job, version string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.opts.Jobs, job) {
		return false
	}
	if s.versions == nil {
		s.versions = map[string]string{}
	}
	s.versions[job] = version
	return true
}

// RunByHand adds a run that a person started in the vendor's page and that has
// succeeded; tags are what the vendor puts on runs of its own.
func (s *Server) RunByHand(job string, tags map[string]string) Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.opts.Now()
	run := &Run{ID: s.opts.NewID(), Job: job, Status: "SUCCESS", Tags: tags, Created: now, Started: now, Ended: now}
	s.runs = append(s.runs, run)
	return *run
}

// job answers one job with its newest runs.
func (s *Server) job(sel args) object {
	name, location, repository := sel.text("pipelineName"), sel.text("repositoryLocationName"), sel.text("repositoryName")
	s.mu.Lock()
	defer s.mu.Unlock()
	if location != s.opts.Location || repository != s.opts.Repository || !slices.Contains(s.opts.Jobs, name) {
		return object{
			"__typename": "PipelineNotFoundError", "pipelineName": name, "repositoryName": repository, "repositoryLocationName": location,
			"message": fmt.Sprintf("Could not find Pipeline %s.%s.%s", location, repository, name),
		}
	}
	version := s.versions[name]
	if version == "" {
		version = "snapshot-of-" + name
	}
	runs := []object{}
	for _, r := range slices.Backward(s.runs) {
		if r.Job == name && len(runs) < maxRuns {
			runs = append(runs, r.object())
		}
	}
	return object{"__typename": "Pipeline", "id": name, "name": name, "pipelineSnapshotId": version, "runs": runs}
}

// maxRuns is how many runs of a job one answer holds.
const maxRuns = 100
