// Package lineage is the context graph: assets, edges with provenance, owners
// and deadlines. It answers what an asset is, what feeds it, and who is harmed
// first, and when, if it is wrong. It imports no other package of dw.
package lineage

import (
	"strings"
	"time"
)

// AssetID is an asset's canonical name, `system://path`, for example
// `dbt://shop/model.shop.orders`.
type AssetID string

// Kind says what an asset is.
type Kind string

// The kinds of asset. A job is something that runs on a schedule.
const (
	KindTable     Kind = "table"
	KindView      Kind = "view"
	KindModel     Kind = "model"
	KindSource    Kind = "source"
	KindTopic     Kind = "topic"
	KindPipeline  Kind = "pipeline"
	KindJob       Kind = "job"
	KindDashboard Kind = "dashboard"
	KindExplore   Kind = "explore"
	KindExposure  Kind = "exposure" // a declared use that is no dashboard: a notebook, an application, a model of ML
)

// Money classes say what an asset moves; lineage.md section 6 gives the points.
const (
	MovesMoney    = "money"
	MovesCustomer = "customer"
	MovesExec     = "executive"
	MovesInternal = "internal"
)

// The names of the sources that this package knows. Config is what a person
// wrote down for dw, so it is trusted before any other.
const (
	SourceConfig   = "config"
	SourceManifest = "dbt manifest"
	// SourceCodeOwners says who reviews the file that defines an asset: who it is
	// declared to belong to comes first.
	SourceCodeOwners = "CODEOWNERS"
)

// How a source knows what it states, strongest first. Empty means declared.
const (
	HowObserved = "observed" // seen in a run or a query
	HowDeclared = "declared" // written down by people: dbt, LookML, the configuration
	HowParsed   = "parsed"   // read out of SQL without a catalogue
)

// How an edge is used by what it feeds. Empty means known at table level only.
const (
	UseValue  = "value"  // a column feeds a value
	UseFilter = "filter" // a column only filters or joins
)

// Provenance says which source stated a fact and when that source was made.
type Provenance struct {
	Source string    `json:"source"` // for example "dbt manifest" or "config"
	SeenAt time.Time `json:"seen_at"`
	How    string    `json:"how,omitempty"` // HowObserved, HowDeclared or HowParsed
	// FirstAt is when the source first stated it; zero where that is not kept.
	FirstAt time.Time `json:"first_seen,omitzero"`
}

// Fact is a stated value with the source that stated it.
type Fact struct {
	Value string     `json:"value"`
	From  Provenance `json:"from"`
}

// Schedule is when a job runs or a dashboard is read: a cron expression or an
// interval, in a named zone.
type Schedule struct {
	Spec string `json:"spec"` // "0 2 * * *", "@every 1h"
	Zone string `json:"zone"` // IANA name, empty means UTC
}

// Harm is a guarded, read-only query whose single number says how many units
// (people, invoices) are harmed when the asset runs on wrong data.
type Harm struct {
	Connection string `json:"connection"`
	Query      string `json:"query"`
	Unit       string `json:"unit"`
}

// SLA is by when, on the asset's own clock, it must be right.
type SLA struct {
	By   string `json:"by"` // "07:00"
	Zone string `json:"zone"`
}

// Asset is one thing of the estate.
type Asset struct {
	ID          AssetID           `json:"id"`
	Kind        Kind              `json:"kind"`
	Name        string            `json:"name"`               // the short name people type
	Aliases     []string          `json:"aliases,omitempty"`  // other names: relation, topic, file
	Relation    string            `json:"relation,omitempty"` // what a dbt entry is in its warehouse: "postgres:///db.schema.table"
	Description string            `json:"description,omitempty"`
	Domain      string            `json:"domain,omitempty"`
	Owners      []Fact            `json:"owners,omitempty"` // ordered, first is the one to ask
	Columns     []string          `json:"columns,omitempty"`
	Schedule    *Schedule         `json:"schedule,omitempty"`
	SLA         *SLA              `json:"sla,omitempty"`
	Moves       string            `json:"moves,omitempty"` // a money class, empty if not declared
	Readers     int               `json:"readers,omitempty"`
	Paused      bool              `json:"paused,omitempty"`
	Harm        *Harm             `json:"harm,omitempty"`
	File        string            `json:"file,omitempty"` // the file that defines it, relative to Root
	Root        string            `json:"root,omitempty"`
	Properties  map[string]string `json:"properties,omitempty"` // system-specific: "iceberg.mode": "value_schema_id_prefix"
	From        []Provenance      `json:"from"`
	Claims      []Claim           `json:"claims,omitempty"` // what each source stated, filled by Builder
}

// Edge says that From feeds To.
type Edge struct {
	From AssetID    `json:"from"`
	To   AssetID    `json:"to"`
	Seen Provenance `json:"seen"`
	// Also holds the other sources of the same edge, newest first.
	Also []Provenance `json:"also,omitempty"`
	Use  string       `json:"use,omitempty"` // UseValue or UseFilter, empty at table level
	// Columns are the columns that are known to feed one another, if any are.
	Columns []ColumnLink `json:"columns,omitempty"`
}

// AnyColumn stands in a ColumnLink for every column: as From where it is not known
// which feed To, as From and To where all go on under their own names. An empty
// From says that only the rows count.
const AnyColumn = "*"

// ColumnLink says that a column of an edge's From feeds a column of its To.
type ColumnLink struct {
	From string `json:"from"`
	To   string `json:"to,omitempty"`  // empty: it affects every row of To, by a filter or a join
	Use  string `json:"use,omitempty"` // UseValue or UseFilter
	// By says how the source knows, for links that are read out of SQL: "engine with
	// catalog".
	By string `json:"by,omitempty"`
	// Unsure says that the link is one of several that may be meant: it is kept, so
	// that nothing is missed.
	Unsure bool `json:"unsure,omitempty"`
}

// carries reports whether a column passes the link, and the column that it comes
// out as; "" is every row.
func (l ColumnLink) carries(column string) (string, bool) {
	switch {
	case l.From == AnyColumn && l.To == AnyColumn:
		return column, true
	case l.From == AnyColumn || l.From != "" && fold(l.From) == fold(column):
		return fold(l.To), true
	}
	return "", false
}

// System returns the part of the id before "://", or "" where there is none.
func (id AssetID) System() string {
	system, _, found := strings.Cut(string(id), "://")
	if !found {
		return ""
	}
	return system
}
