package signals

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"dw/checks"
)

// dbtArtifact is dbt's run_results.json or sources.json.
type dbtArtifact struct {
	Metadata struct {
		Schema     string `json:"dbt_schema_version"`
		Generated  loose  `json:"generated_at"`
		Invocation loose  `json:"invocation_id"`
	} `json:"metadata"`
	Results []dbtResult `json:"results"`
}

type dbtResult struct {
	UniqueID string `json:"unique_id"`
	Status   string `json:"status"`
	Message  loose  `json:"message"`
	Failures *int64 `json:"failures"`
	Timing   []struct {
		Completed loose `json:"completed_at"`
	} `json:"timing"`
	Loaded   loose    `json:"max_loaded_at"`
	Snapshot loose    `json:"snapshotted_at"`
	Age      *float64 `json:"max_loaded_at_time_ago_in_s"`
	Error    loose    `json:"error"`
}

func decodeDBT(body []byte) ([]Signal, error) {
	var a dbtArtifact
	if err := read(body, &a); err != nil {
		return nil, err
	}
	switch {
	case a.Results == nil:
		return nil, errors.New("results is missing: send run_results.json or sources.json")
	case a.Metadata.Schema == "":
		return nil, errors.New("metadata.dbt_schema_version is missing: send run_results.json or sources.json as dbt writes it")
	}
	run := cmp.Or(string(a.Metadata.Invocation), string(a.Metadata.Generated), digest(body))
	var out []Signal
	for i, r := range a.Results {
		if r.UniqueID == "" {
			return nil, fmt.Errorf("results[%d]: unique_id is missing", i)
		}
		status, ok := r.status(strings.Contains(a.Metadata.Schema, "/sources/"))
		if !ok {
			return nil, fmt.Errorf("results[%d]: status %q of %s is not one that is known", i, shown(r.Status, maxName), shown(r.UniqueID, maxName))
		}
		out = append(out, Signal{
			Check: r.UniqueID, Named: []string{r.UniqueID}, Status: status, Message: r.text(status), Run: run,
			At: firstTime(string(r.Snapshot), r.completed(), string(a.Metadata.Generated)),
		})
	}
	return out, nil
}

func (r dbtResult) completed() string {
	if len(r.Timing) == 0 {
		return ""
	}
	return string(r.Timing[len(r.Timing)-1].Completed)
}

// status reads a status. A model that could not be built is a failure of its
// table; a test that could not be asked is an error, which is none. Of a
// source's freshness, "error" says that it is too old.
func (r dbtResult) status(freshness bool) (checks.Status, bool) {
	switch strings.ToLower(r.Status) {
	case "success", "pass", "no-op", "partial success", "reused":
		return checks.Pass, true
	case "warn":
		return checks.Warn, true
	case "fail":
		return checks.Fail, true
	case "error":
		if freshness || !strings.HasPrefix(r.UniqueID, "test.") && !strings.HasPrefix(r.UniqueID, "unit_test.") {
			return checks.Fail, true
		}
		return checks.Error, true
	case "runtime error":
		return checks.Error, true
	case "skipped":
		return checks.Skipped, true
	}
	return "", false
}

// text says what happened. A message of dbt's may quote rows' values only where
// a database error does, so that it is kept for failures of tests alone.
func (r dbtResult) text(status checks.Status) string {
	name := r.UniqueID
	if parts := strings.Split(name, "."); len(parts) > 2 {
		name = parts[2]
		if parts[0] == "source" && len(parts) > 3 {
			name = parts[2] + "." + parts[3]
		}
	}
	switch {
	case r.Age != nil && status != checks.Pass:
		return fmt.Sprintf("source %s is stale: its newest row is %.1f hours old", name, *r.Age/3600)
	case r.Failures != nil && *r.Failures > 0:
		return fmt.Sprintf("%s: %d rows do not pass", name, *r.Failures)
	case status == checks.Error || strings.EqualFold(r.Status, "error"):
		return name + " ended with an error"
	case status == checks.Skipped:
		return name + " was skipped"
	case status == checks.Pass:
		return name + " is right"
	}
	return name + " says " + r.Status
}
