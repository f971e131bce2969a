// Package diagnosis gathers evidence about a failing asset, ranks the causes
// of its catalogue by that evidence, and fills each cause's step templates from
// the graph, the configuration and the files that are really deployed. "Nothing
// matches" is an answer.
package diagnosis

import (
	"time"

	"dw/lineage"
)

// Evidence is one fact that speaks for or against a cause.
type Evidence struct {
	System string    `json:"system"` // "warehouse", "dbt", "dagster", "pipeline file"
	What   string    `json:"what"`   // plain sentence without markup
	Value  string    `json:"value"`  // the number or state itself, with its unit
	At     time.Time `json:"at"`     // when the fact was true
	Source string    `json:"source"` // the check, query or file that said it

	Change string `json:"change,omitempty"` // id of the change event that this tells of
	Who    string `json:"who,omitempty"`    // who made that change, foreign text
}

// ChangeEvent is a deploy, merge, configuration or schema change that another
// system reported, by file or over HTTP.
type ChangeEvent struct {
	ID     string    `json:"id"`     // unique within System; repeats are dropped
	System string    `json:"system"` // "redpanda connect"
	Kind   string    `json:"kind"`   // "deploy", "merge", "config", "schema"
	Asset  string    `json:"asset"`  // a name that lineage resolves
	At     time.Time `json:"at"`
	Who    string    `json:"who,omitempty"`
	Text   string    `json:"text"` // foreign text, never trusted
	URL    string    `json:"url,omitempty"`
}

// Cause is a class of fault of the catalogue that the evidence supports.
type Cause struct {
	ID       string            `json:"id"` // stable, for example "missing_wire_format"
	Title    string            `json:"title"`
	Why      string            `json:"why"`   // one plain sentence that ties it to the evidence
	Score    float64           `json:"score"` // log-odds of checks.md 5.3, for ranking only
	Segment  map[string]string `json:"segment,omitempty"`
	Evidence []Evidence        `json:"evidence"`
	Missing  []string          `json:"missing,omitempty"` // evidence that would settle it and was not to be had
	Asset    lineage.AssetID   `json:"asset"`             // where it acts, for example the pipeline
	Renamed  []Renamed         `json:"renamed,omitempty"` // columns with another name, of a changed schema
}

// Rejected is a hypothesis with the fact that disproves it.
type Rejected struct {
	Title    string `json:"title"`
	Disproof string `json:"disproof"`
}

// Diagnosis is what is known about one incident at one time.
type Diagnosis struct {
	At       time.Time         `json:"at"`
	Subject  lineage.AssetID   `json:"subject"`
	Onset    time.Time         `json:"onset"`   // best estimate, zero if unknown
	Verdict  string            `json:"verdict"` // one plain sentence, also when nothing matches
	Segment  map[string]string `json:"segment,omitempty"`
	Normal   []string          `json:"normal,omitempty"` // elements that are on their baseline
	Causes   []Cause           `json:"causes"`           // best first; empty: nothing matches
	Evidence []Evidence        `json:"evidence"`
	Rejected []Rejected        `json:"rejected,omitempty"`
	Unknown  []string          `json:"unknown,omitempty"` // what could not be asked, and why
	Late     bool              `json:"late,omitempty"`    // the data is late, not lost
}

// Top returns the best cause, and false where nothing matches.
func (d Diagnosis) Top() (Cause, bool) {
	if len(d.Causes) == 0 {
		return Cause{}, false
	}
	return d.Causes[0], true
}
