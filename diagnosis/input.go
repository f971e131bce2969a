package diagnosis

import (
	"context"
	"time"

	"dw/checks"
	"dw/lineage"
)

// Graph is what a diagnosis asks of the context graph. *lineage.Graph meets it.
type Graph interface {
	Asset(id lineage.AssetID) (lineage.Asset, bool)
	Trace(id lineage.AssetID, up bool, depth int) ([]lineage.Step, error)
}

// FileReader reads a file that is really deployed, by its root and its name
// below it. An error says why it could not be read.
type FileReader interface {
	ReadFile(root, name string) ([]byte, error)
}

// Prober asks one system for facts about an asset. An error says what could not
// be asked; it is never the fact that something is wrong.
//
// Two conventions let the catalogue read probes: System is the short name that a
// cause asks for ("metrics", "dead letter sample", "dbt"), and a Value that
// begins with "passed" says that a build, run or test went well.
type Prober interface {
	Probe(ctx context.Context, subject lineage.Asset) ([]Evidence, error)
}

// SegmentSplit is how a gap is shared out over the elements of one dimension.
type SegmentSplit struct {
	// None says why no single element explains the gap; then the numbers below
	// are not looked at.
	None         string
	Dimension    string
	Value        string       // the element with the largest part of the gap
	And          *checks.Part // a value of a second dimension, where it takes both
	Expected     float64      // rows of the element by its own baseline
	Actual       float64      // rows of the element
	Contribution float64      // its share of the whole gap, 0 to 1
	Normal       []string     // elements on their baseline, "dimension=value"
	SameRows     []string     // elements of other dimensions that are the same rows
	At           time.Time    // when it was read
	Source       string       // the check or query that said it
}

// Input is everything one diagnosis looks at. Signals, Results and Changes may
// come in any order.
type Input struct {
	Subject  lineage.AssetID
	Signals  []checks.Result // the failed results of the incident
	Results  []checks.Result // the newest result of every check
	Segments *SegmentSplit   // nil: the gap was not split
	Earlier  *Diagnosis      // of the same incident, nil for the first: a later look sees fewer new rows
	Changes  []ChangeEvent
	Graph    Graph
	Files    FileReader
	Probes   []Evidence
	Unknown  []string       // what could not be asked before, and why
	Zone     *time.Location // of the times in sentences, nil means UTC
}
