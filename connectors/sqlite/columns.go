package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"dw/checks"
)

// Columns lists the columns of a table or view in order, generated ones too, with
// the types that were declared. The
// name is read as checks.SplitName does; a name that exists as it stands, dots
// and all, goes first. A missing table is a *checks.MissingTableError with the
// names that are near.
func (db *DB) Columns(ctx context.Context, table string) ([]checks.Column, error) {
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
//
// The primary key of an ordinary table may hold NULL unless it is the row id: an
// old defect that SQLite keeps (https://www.sqlite.org/quirks.html).
func (db *DB) columnsOf(ctx context.Context, name string) (columns []checks.Column, err error) {
	err = db.catalogue(ctx, func(rows *sql.Rows) error {
		var c checks.Column
		var required bool
		if err := rows.Scan(&c.Name, &c.Type, &required); err != nil {
			return err
		}
		c.Nullable = !required
		columns = append(columns, c)
		return nil
	}, `SELECT c.name, c.type, c."notnull" OR (c.pk = 1 AND upper(c.type) = 'INTEGER'
			AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(s.name, 'main') AS other WHERE other.pk = 2))
		FROM sqlite_schema AS s, pragma_table_xinfo(s.name, 'main') AS c
		WHERE s.type IN ('table', 'view') AND s.name = ? COLLATE NOCASE AND c.hidden <> 1 ORDER BY c.cid`, name)
	return columns, err
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
	err = db.catalogue(ctx, func(rows *sql.Rows) error {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		names = append(names, name)
		return nil
	}, text, args...)
	return names, err
}

// catalogue runs a query on the catalogue and hands each row to read.
func (db *DB) catalogue(ctx context.Context, read func(*sql.Rows) error, text string, args ...any) (err error) {
	rows, err := db.pool.QueryContext(ctx, text, args...)
	if err != nil {
		return fmt.Errorf("read the catalogue of %s: %w", db.path, explain(err))
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := read(rows); err != nil {
			return fmt.Errorf("read the catalogue of %s: %w", db.path, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read the catalogue of %s: %w", db.path, explain(err))
	}
	return nil
}
