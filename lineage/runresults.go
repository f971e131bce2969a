package lineage

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
)

// newestRunResults is the newest schema version of dbt's run results that dw
// reads.
const newestRunResults = 6

// lastRun is the property that says how the last run of an entry went.
const lastRun = "dbt.last_run"

// runResultsFile is what dw reads of dbt's run results.
type runResultsFile struct {
	Metadata artifactMetadata `json:"metadata"`
	Results  []runResult      `json:"results"`
}

type runResult struct {
	UniqueID looseText `json:"unique_id"`
	Status   looseText `json:"status"`
	Failures looseText `json:"failures"`
	Message  looseText `json:"message"`
	Timing   []struct {
		Name        looseText `json:"name"`
		CompletedAt looseText `json:"completed_at"`
	} `json:"timing"`
}

// LoadRunResults reads dbt's run results (v1 to v6, plain or gzip): how the last
// run of each model, seed and snapshot went, as statements about the assets of
// the manifest that they belong to. Results of tests, and those
// that name no entry, are about no asset and are left out. An error says what is wrong; nothing is returned with it.
func LoadRunResults(r io.Reader, manifest []Asset, opts ManifestOptions) ([]Asset, error) {
	var file runResultsFile
	if err := readArtifact(r, opts.SizeLimit, &file); err != nil {
		return nil, fmt.Errorf("read dbt run results: %w", err)
	}
	at, err := file.Metadata.check("run-results", newestRunResults, opts.SeenAt)
	if err != nil {
		return nil, fmt.Errorf("read dbt run results: %w", err)
	}
	b := newBeside(manifest, SourceRunResults, at)
	var out []Asset
	for _, result := range file.Results {
		a, ok, err := b.statement(string(result.UniqueID))
		if err != nil {
			return nil, fmt.Errorf("read dbt run results: %w", err)
		}
		if ok {
			a.Properties[lastRun] = result.text()
			out = append(out, a)
		}
	}
	return sortStatements(out), nil
}

// ended is when the run's last execution ended; zero where it does not say.
func (r runResult) ended() time.Time {
	var last time.Time
	for _, t := range r.Timing {
		if at, err := time.Parse(time.RFC3339Nano, string(t.CompletedAt)); err == nil && t.Name == "execute" {
			last = at.UTC()
		}
	}
	return last
}

// text says how a run went, and when it ended.
func (r runResult) text() string {
	out := cmp.Or(string(r.Status), "unknown")
	if at := r.ended(); !at.IsZero() {
		out += " at " + at.Format(time.RFC3339)
	}
	const cut = 200
	if message := strings.Join(strings.Fields(string(r.Message)), " "); r.Status == "error" && message != "" {
		if runes := []rune(message); len(runes) > cut {
			message = string(runes[:cut]) + "…"
		}
		out += ": " + message
	}
	return out
}
