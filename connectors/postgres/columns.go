package postgres

import (
	"context"
	"fmt"

	"dw/checks"
)

// maxNames bounds how many names of the catalogue are compared with a wrong one.
const maxNames = 10_000

// relations are the kinds of pg_class that hold rows for a reader: tables,
// partitioned tables, views, materialized views, foreign tables.
const relations = "('r', 'p', 'v', 'm', 'f')"

// Columns lists the columns of a table or view in order, with their types; that
// of a domain is the type it is made of. The name is read as checks.SplitName
// does; a name that exists as it stands, dots and all, goes first, and one
// without a schema is looked for along the search path. Upper case counts, as it
// does between PostgreSQL's quotes. A missing table is a
// *checks.MissingTableError with the names that are near.
func (db *DB) Columns(ctx context.Context, table string) ([]checks.Column, error) {
	var columns []checks.Column
	err := db.read(ctx, func(ctx context.Context, s *session) error {
		found, err := s.find(ctx, table)
		if err != nil {
			return err
		}
		columns, err = s.columns(ctx, found.oid)
		return err
	})
	return columns, err
}

func (s *session) columns(ctx context.Context, oid int64) ([]checks.Column, error) {
	rows, err := s.rows(ctx, `SELECT a.attname, pg_catalog.format_type(coalesce(nullif(t.typbasetype, 0), a.atttypid),
		CASE WHEN t.typbasetype = 0 THEN a.atttypmod ELSE t.typtypmod END), NOT a.attnotnull AND NOT t.typnotnull
		FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
		WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`, oid)
	if err != nil {
		return nil, err
	}
	columns := make([]checks.Column, len(rows))
	for i, row := range rows {
		c := &columns[i]
		if err := scan(row, &c.Name, &c.Type, &c.Nullable); err != nil {
			return nil, err
		}
	}
	return columns, nil
}

// relation is a table that the catalogue knows.
type relation struct {
	oid          int64
	schema, name string
}

// find looks a table up.
func (s *session) find(ctx context.Context, table string) (relation, error) {
	for _, parts := range s.readings(table) {
		found, ok, err := s.lookUp(ctx, parts)
		if err != nil || ok {
			return found, err
		}
	}
	near, err := s.near(ctx, table)
	if err != nil {
		return relation{}, err
	}
	return relation{}, &checks.MissingTableError{Table: table, Near: near}
}

// readings returns what a table name can stand for: the whole as one name, a
// name, or a schema and a name, before which the database itself may stand.
func (s *session) readings(table string) [][]string {
	all := [][]string{{table}}
	parts, err := checks.SplitName(table)
	if err != nil {
		return all
	}
	if len(parts) == 3 && parts[0] == s.db.database {
		parts = parts[1:]
	}
	if len(parts) <= 2 {
		all = append(all, parts)
	}
	return all
}

func (s *session) lookUp(ctx context.Context, parts []string) (relation, bool, error) {
	text := `SELECT c.oid, n.nspname, c.relname FROM pg_catalog.pg_class AS c
		JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
		WHERE c.relkind IN ` + relations + ` AND c.relname = $1 AND `
	args := []any{parts[len(parts)-1]}
	if len(parts) == 1 {
		text += "pg_catalog.pg_table_is_visible(c.oid)"
	} else {
		text += "n.nspname = $2"
		args = append(args, parts[0])
	}
	rows, err := s.rows(ctx, text, args...)
	if err != nil || len(rows) == 0 {
		return relation{}, false, err
	}
	found := relation{}
	err = scan(rows[0], &found.oid, &found.schema, &found.name)
	return found, true, err
}

// near returns table names that are close to one, with their schema where they
// are not on the search path.
func (s *session) near(ctx context.Context, table string) ([]string, error) {
	rows, err := s.rows(ctx, `SELECT n.nspname, c.relname, pg_catalog.pg_table_is_visible(c.oid) FROM pg_catalog.pg_class AS c
		JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
		WHERE c.relkind IN `+relations+` AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
		ORDER BY 3 DESC, 1, 2 LIMIT `+fmt.Sprint(maxNames))
	if err != nil {
		return nil, err
	}
	asked := table
	if parts, err := checks.SplitName(table); err == nil {
		asked = parts[len(parts)-1]
	}
	names, shown := make([]string, 0, len(rows)), map[string]string{}
	for _, row := range rows {
		var schema, name string
		var visible bool
		if err := scan(row, &schema, &name, &visible); err != nil {
			return nil, err
		}
		if _, known := shown[name]; known {
			continue
		}
		names, shown[name] = append(names, name), name
		if !visible {
			shown[name] = schema + "." + name
		}
	}
	near := checks.Near(asked, names)
	for i, name := range near {
		near[i] = shown[name]
	}
	return near, nil
}
