// Package checks holds the kinds of check, their schedules and the rule that
// turns what a warehouse answers into a verdict. It reads data only through
// the Querier that it declares.
package checks

import "context"

// Querier reads from one connection under the guards of connectors-data.md:
// read-only, one SELECT, limits on time and rows.
type Querier interface {
	// Select runs one SELECT with bound arguments. Identifiers in text must
	// come from Quote. Times are bound and returned as time.Time in UTC where
	// the database has the type, else as the stored text.
	Select(ctx context.Context, text string, args ...any) (Rows, error)
	// Columns resolves a table name against the catalogue and lists its
	// columns in order. A missing table is a *MissingTableError.
	Columns(ctx context.Context, table string) ([]Column, error)
	// Dialect names the SQL dialect: DialectSQLite or DialectPostgres. The
	// session of a PostgreSQL connection has the time zone UTC.
	Dialect() string
}

// Column is one column of a table as the catalogue describes it.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type,omitempty"` // as the database writes it, "timestamp with time zone", "numeric(10,2)"; may be empty
	Nullable bool   `json:"nullable,omitempty"`
}

// Rows is a small answer: aggregates and samples, never a table.
type Rows struct {
	Columns   []string
	Values    [][]any // int64, float64, string, []byte, bool, time.Time or nil
	Truncated bool    // the row limit cut the answer
}

// MissingTableError says that a table is not in the catalogue, and which names
// are near.
type MissingTableError struct {
	Table string
	Near  []string
}

// Error names the table and the nearest name.
func (e *MissingTableError) Error() string {
	if len(e.Near) == 0 {
		return "table " + e.Table + " does not exist"
	}
	return "table " + e.Table + " does not exist; near names: " + e.Near[0]
}

// RefusedError says that a statement was not run because a guard refused it.
type RefusedError struct {
	Guard string // "single SELECT", "row limit", "time limit"
	Why   string
}

// Error names the guard and why it refused.
func (e *RefusedError) Error() string { return "refused by guard " + e.Guard + ": " + e.Why }
