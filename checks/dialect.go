package checks

import "strings"

// The SQL dialects that checks are written in. A connection names its own
// through Querier.Dialect.
const (
	DialectSQLite   = "sqlite"
	DialectPostgres = "postgres"
)

// postgresText reports whether a column of a PostgreSQL table holds text, which
// that database compares by the rules of a language unless told otherwise.
func postgresText(dialect, typ string) bool {
	typ = strings.ToLower(typ)
	return dialect == DialectPostgres &&
		(typ == "text" || typ == "citext" || typ == "name" || strings.HasPrefix(typ, "char") || strings.HasPrefix(typ, "bpchar") || strings.HasPrefix(typ, "varchar"))
}

// isDate reports whether a column of PostgreSQL holds days without a time of
// day. SQLite has no such type: what is declared so holds what was written.
func isDate(dialect, typ string) bool {
	return dialect == DialectPostgres && strings.EqualFold(typ, "date")
}
