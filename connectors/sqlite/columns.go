package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"dw/checks"
)

// Columns lists the columns of a table or view in order, generated ones too. The
// name is read as checks.SplitName does; a name that exists as it stands, dots
// and all, goes first. A missing table is a *checks.MissingTableError with the
// names that are near.
func (db *DB) Columns(ctx context.Context, table string) ([]string, error) {
	limited, cancel := context.WithTimeout(ctx, db.opts.Timeout)
	defer cancel()
	for _, name := range readings(table) {
		columns, err := db.columnsOf(limited, name)
		if err != nil || len(columns) > 0 {
			return columns, err
		}
	}
	near, err := db.near(limited, table)
	if err != nil {
		return nil, err
	}
	return nil, &checks.MissingTableError{Table: table, Near: near}
}

// readings returns the names that a table name can stand for in this file, which
// has one schema, main.
func readings(table string) []string {
	names := []string{table}
	parts, err := checks.SplitName(table)
	switch {
	case err != nil:
	case len(parts) == 1:
		names = append(names, parts[0])
	case len(parts) == 2 && strings.EqualFold(parts[0], "main"):
		names = append(names, parts[1])
	}
	return names
}

// columnsOf lists the columns of a table in the catalogue, none if it is not
// there. Only what sqlite_schema names counts: pragma functions are no tables.
func (db *DB) columnsOf(ctx context.Context, name string) ([]string, error) {
	return db.names(ctx, `SELECT c.name FROM sqlite_schema AS s, pragma_table_xinfo(s.name, 'main') AS c
		WHERE s.type IN ('table', 'view') AND s.name = ? COLLATE NOCASE AND c.hidden <> 1 ORDER BY c.cid`, name)
}

// near returns table names that are close to one.
func (db *DB) near(ctx context.Context, table string) ([]string, error) {
	all, err := db.names(ctx, `SELECT name FROM sqlite_schema
		WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name LIMIT 10000`)
	if err != nil {
		return nil, err
	}
	asked := table
	if parts, err := checks.SplitName(table); err == nil {
		asked = parts[len(parts)-1]
	}
	return checks.Near(asked, all), nil
}

// names runs a catalogue query that answers one column of text.
func (db *DB) names(ctx context.Context, text string, args ...any) (names []string, err error) {
	rows, err := db.pool.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, fmt.Errorf("read the catalogue of %s: %w", db.path, explain(err))
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, fmt.Errorf("read the catalogue of %s: %w", db.path, err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the catalogue of %s: %w", db.path, explain(err))
	}
	return names, nil
}
