// Package columns reads which columns a query's columns come from. It asks an SQL
// engine that runs in a process of its own, holds what it answers to what the
// query's tokens and the catalog say, and falls back rung by rung where it does
// not answer. What is not known is said, never guessed.
package columns

import "dw/lineage/sqltables"

// Rung is how an answer was found, the surest first.
type Rung string

// The rungs of the ladder.
const (
	Catalog  Rung = "engine with catalog"    // each table that is read was in the catalog
	NoSchema Rung = "engine without catalog" // some were not: a star may stay unresolved
	Tables   Rung = "tables only"            // the engine did not answer; the tables are read from the tokens
	Declared Rung = "declared"               // there is no SQL: what dbt says that it depends on
)

// Column is a column of a table. Table is as the query writes it, without quotes;
// "" where it cannot be told which of the query's tables has it. Column is "*"
// where it cannot be told which columns, or where all go on.
type Column struct {
	Table  string `json:"table"`
	Column string `json:"column"`
}

// Output is one column of a query's result. Name is "*" for columns that go on
// under their own names and that no catalog lists.
type Output struct {
	Name string   `json:"name"`
	From []Column `json:"from"` // empty: a constant
}

// Answer is what is known of one query.
type Answer struct {
	Rung    Rung     `json:"rung"`
	Outputs []Output `json:"outputs"` // nil on the lower rungs
	Filters []Column `json:"filters"` // what it filters, joins, groups and orders by
	Tables  []string `json:"tables"`  // what it reads, as written
	Why     string   `json:"why,omitempty"`
}

// Known reports whether the answer says anything of columns.
func (a Answer) Known() bool { return a.Rung == Catalog || a.Rung == NoSchema }

// Sure reports whether the table of each column is known.
func (o Output) Sure() bool {
	for _, c := range o.From {
		if c.Table == "" {
			return false
		}
	}
	return true
}

// Query is what is asked.
type Query struct {
	SQL     string
	Dialect string // as dbt's adapters and sqltables name it
	Schema  Schema // the columns of the tables that it may read
}

// tablesOnly is the answer of the third rung.
func tablesOnly(q Query, why string) Answer {
	return Answer{Rung: Tables, Tables: sqltables.Read(q.SQL, q.Dialect).Sources, Why: why}
}
