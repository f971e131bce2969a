package postgres

import (
	"context"
	"fmt"
	"time"

	"dw/checks"
)

// Freshness is what can be said of a table's age without reading the table.
type Freshness struct {
	// Newest is the greatest value of the time column, in UTC; zero where no
	// index tells it, or the table is empty.
	Newest time.Time
	Index  string // the index that told it, "" where there is none
	// Changed counts the rows that were inserted, updated or deleted since Reset.
	// It says that something changed, not when, and is lost with a crash.
	Changed int64
	Reset   time.Time // zero: never, so since the database was made
	// Analyzed is when the statistics were last taken: a hint that there were
	// changes not long before.
	Analyzed time.Time
	Source   string // for people: which of these was used
}

// Freshness says how fresh a table is from an index on its time column, or else
// only that it changed, from the statistics that PostgreSQL keeps. It never scans
// the table; the empty column asks the statistics alone.
func (db *DB) Freshness(ctx context.Context, table, column string) (Freshness, error) {
	var f Freshness
	err := db.read(ctx, func(ctx context.Context, s *session) error {
		found, err := s.find(ctx, table)
		if err != nil {
			return err
		}
		if f, err = s.statistics(ctx, found); err != nil || column == "" {
			return err
		}
		return s.newest(ctx, found, column, &f)
	})
	return f, err
}

// statistics reads pg_stat_all_tables, of a partitioned table its partitions'.
func (s *session) statistics(ctx context.Context, found relation) (Freshness, error) {
	rows, err := s.rows(ctx, `SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::bigint, max(greatest(last_analyze, last_autoanalyze)),
		(SELECT stats_reset FROM pg_catalog.pg_stat_database WHERE datname = pg_catalog.current_database())
		FROM pg_catalog.pg_stat_all_tables
		WHERE relid = $1 OR relid IN (SELECT t.relid FROM pg_catalog.pg_partition_tree($1::oid) AS t)`, found.oid)
	if err != nil {
		return Freshness{}, err
	}
	f := Freshness{}
	if err := scan(rows[0], &f.Changed, &f.Analyzed, &f.Reset); err != nil {
		return Freshness{}, err
	}
	since := "since the database was made"
	if !f.Reset.IsZero() {
		since = "since the statistics were reset at " + f.Reset.Format(time.RFC3339)
	}
	f.Source = fmt.Sprintf("statistics of PostgreSQL, a hint only: %d rows changed %s", f.Changed, since)
	return f, nil
}

// newest asks the index whose first column is the time, if there is one that
// covers all rows.
func (s *session) newest(ctx context.Context, found relation, column string, f *Freshness) error {
	rows, err := s.rows(ctx, `SELECT i.relname FROM pg_catalog.pg_index AS x
		JOIN pg_catalog.pg_class AS i ON i.oid = x.indexrelid JOIN pg_catalog.pg_am AS m ON m.oid = i.relam
		JOIN pg_catalog.pg_attribute AS a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[0]
		WHERE x.indrelid = $1 AND m.amname = 'btree' AND x.indisvalid AND x.indpred IS NULL AND a.attname = $2 ORDER BY 1 LIMIT 1`, found.oid, column)
	if err != nil || len(rows) == 0 {
		return err
	}
	if err := scan(rows[0], &f.Index); err != nil {
		return err
	}
	table, err := quoteBoth(found.schema, found.name)
	if err != nil {
		return err
	}
	quoted, err := checks.Quote("postgres", column)
	if err != nil {
		return err
	}
	if rows, err = s.rows(ctx, "SELECT max("+quoted+") FROM "+table); err != nil {
		return err
	}
	at, ok := rows[0][0].(time.Time)
	if !ok && rows[0][0] != nil {
		return fmt.Errorf("column %s of %s.%s holds %v, which is no time", column, found.schema, found.name, rows[0][0])
	}
	f.Newest, f.Source = at, fmt.Sprintf("max(%s) over index %s", column, f.Index)
	return nil
}
