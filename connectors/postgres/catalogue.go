package postgres

import (
	"context"
	"slices"
	"time"
)

// Table is what the catalogue says of a table or view.
type Table struct {
	Schema, Name string
	Kind         string // "table", "partitioned table", "view", "materialized view", "foreign table"
	Owner        string // the role that owns it
	Comment      string
	Columns      []Column
	Keys         []Key
	Sources      []string // of a view: schema.name of what it reads
	// Rows is the estimate of the last ANALYZE or VACUUM, nil where there was none.
	Rows *int64
	// Analyzed is when that was, in UTC; zero where it is not known.
	Analyzed time.Time
}

// Column is one column of a Table, in order.
type Column struct {
	Name    string
	Type    string // as PostgreSQL writes it: "numeric(12,2)", "timestamp with time zone"
	NotNull bool
	Comment string
}

// Key is a constraint that names columns.
type Key struct {
	Kind    string // "primary", "unique", "foreign"
	Columns []string
	To      string // of a foreign key: schema.name
}

// Tables reads the tables and views of schemas, ordered by schema and name; with
// none named, of all but PostgreSQL's own. Partitions are left out: their parent
// stands for them. No table is read, only the catalogue.
func (db *DB) Tables(ctx context.Context, schemas ...string) ([]Table, error) {
	var tables []Table
	err := db.read(ctx, func(ctx context.Context, s *session) error {
		r := catalogueReader{session: s, schemas: schemas, at: map[int64]*Table{}}
		for _, step := range []func(context.Context) error{r.relations, r.columns, r.keys, r.sources} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		for _, oid := range r.order {
			tables = append(tables, *r.at[oid])
		}
		return nil
	})
	return tables, err
}

type catalogueReader struct {
	*session
	schemas []string
	order   []int64
	at      map[int64]*Table
}

const allRelations = `SELECT c.oid, n.nspname, c.relname,
	CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' ELSE 'foreign table' END,
	pg_catalog.pg_get_userbyid(c.relowner), pg_catalog.obj_description(c.oid, 'pg_class'),
	CASE WHEN c.relkind <> 'v' AND (c.reltuples > 0 OR c.reltuples = 0 AND (t.last_analyze IS NOT NULL OR t.last_autoanalyze IS NOT NULL)) THEN c.reltuples::float8::bigint END,
	greatest(t.last_analyze, t.last_autoanalyze)
	FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
	LEFT JOIN pg_catalog.pg_stat_all_tables AS t ON t.relid = c.oid
	WHERE c.relkind IN ` + relations + ` AND NOT c.relispartition
	AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_toast%' AND n.nspname NOT LIKE 'pg\_temp%'
	ORDER BY n.nspname, c.relname`

func (r *catalogueReader) relations(ctx context.Context) error {
	rows, err := r.rows(ctx, allRelations)
	if err != nil {
		return err
	}
	for _, row := range rows {
		var oid int64
		t := &Table{}
		estimate := int64(-1)
		if err := scan(row, &oid, &t.Schema, &t.Name, &t.Kind, &t.Owner, &t.Comment, &estimate, &t.Analyzed); err != nil {
			return err
		}
		if estimate >= 0 {
			t.Rows = &estimate
		}
		if r.wanted(t.Schema) {
			r.order, r.at[oid] = append(r.order, oid), t
		}
	}
	return nil
}

func (r *catalogueReader) wanted(schema string) bool {
	return len(r.schemas) == 0 || slices.Contains(r.schemas, schema)
}

func (r *catalogueReader) columns(ctx context.Context) error {
	rows, err := r.rows(ctx, `SELECT a.attrelid, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull,
		pg_catalog.col_description(a.attrelid, a.attnum::int) FROM pg_catalog.pg_attribute AS a
		JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid AND c.relkind IN `+relations+` AND NOT c.relispartition
		WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
		ORDER BY a.attrelid, a.attnum`)
	if err != nil {
		return err
	}
	for _, row := range rows {
		var oid int64
		var c Column
		if err := scan(row, &oid, &c.Name, &c.Type, &c.NotNull, &c.Comment); err != nil {
			return err
		}
		if t, ok := r.at[oid]; ok {
			t.Columns = append(t.Columns, c)
		}
	}
	return nil
}

// keys reads one row for each column of each constraint.
func (r *catalogueReader) keys(ctx context.Context) error {
	rows, err := r.rows(ctx, `SELECT k.conrelid, k.oid, CASE k.contype WHEN 'p' THEN 'primary' WHEN 'u' THEN 'unique' ELSE 'foreign' END,
		a.attname, n.nspname || '.' || f.relname
		FROM pg_catalog.pg_constraint AS k
		CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY AS u (num, place)
		JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = u.num
		LEFT JOIN pg_catalog.pg_class AS f ON f.oid = k.confrelid
		LEFT JOIN pg_catalog.pg_namespace AS n ON n.oid = f.relnamespace
		WHERE k.contype IN ('p', 'u', 'f') ORDER BY k.conrelid, position(k.contype::text IN 'puf'), k.conname, u.place`)
	if err != nil {
		return err
	}
	last := int64(0)
	for _, row := range rows {
		var table, constraint int64
		var kind, column, to string
		if err := scan(row, &table, &constraint, &kind, &column, &to); err != nil {
			return err
		}
		t, ok := r.at[table]
		if !ok {
			continue
		}
		if constraint != last {
			t.Keys, last = append(t.Keys, Key{Kind: kind, To: to}), constraint
		}
		key := &t.Keys[len(t.Keys)-1]
		key.Columns = append(key.Columns, column)
	}
	return nil
}

// sources reads what each view's rule depends on, which PostgreSQL keeps itself:
// no SQL is parsed.
func (r *catalogueReader) sources(ctx context.Context) error {
	rows, err := r.rows(ctx, `SELECT DISTINCT w.ev_class, n.nspname || '.' || c.relname
		FROM pg_catalog.pg_rewrite AS w
		JOIN pg_catalog.pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> w.ev_class
		JOIN pg_catalog.pg_class AS c ON c.oid = d.refobjid AND c.relkind IN `+relations+`
		JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace ORDER BY 1, 2`)
	if err != nil {
		return err
	}
	for _, row := range rows {
		var oid int64
		var source string
		if err := scan(row, &oid, &source); err != nil {
			return err
		}
		if t, ok := r.at[oid]; ok {
			t.Sources = append(t.Sources, source)
		}
	}
	return nil
}
