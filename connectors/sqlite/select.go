package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"dw/checks"

	"modernc.org/sqlite"
)

const (
	maxValue = 1 << 20 // bytes of the longest value or row

	limitLength   = 0 // SQLITE_LIMIT_LENGTH
	limitAttached = 7 // SQLITE_LIMIT_ATTACHED
)

// Select runs one SELECT with bound arguments. Text that is not a single SELECT,
// and a statement over the time limit, are a *checks.RefusedError. An answer over
// the row limit comes back cut, with Truncated set. When ctx ends the statement
// is interrupted.
func (db *DB) Select(ctx context.Context, text string, args ...any) (checks.Rows, error) {
	single, err := checks.Single(text)
	if err != nil {
		return checks.Rows{}, err
	}
	limited, cancel := context.WithTimeout(ctx, db.opts.Timeout)
	defer cancel()
	rows, err := db.read(limited, db.whole(single), args)
	if err == nil {
		return rows, nil
	}
	if cause := ctx.Err(); cause != nil {
		return checks.Rows{}, fmt.Errorf("read %s: %w", db.path, cause)
	}
	if limited.Err() != nil {
		return checks.Rows{}, &checks.RefusedError{
			Guard: "time limit",
			Why:   fmt.Sprintf("the statement on %s took longer than %s and was stopped", db.path, db.opts.Timeout),
		}
	}
	return checks.Rows{}, fmt.Errorf("read %s: %w", db.path, explain(err))
}

// whole wraps a statement so that its first step makes the whole answer, up to
// one row over the limit. The driver interrupts only the first step: a statement
// that finds one row and then searches for ever could not be stopped otherwise.
func (db *DB) whole(single string) string {
	return "WITH answer AS MATERIALIZED (SELECT * FROM (\n" + single + "\n) LIMIT " +
		strconv.Itoa(db.opts.MaxRows+1) + ") SELECT * FROM answer"
}

// read runs a guarded statement on one connection.
func (db *DB) read(ctx context.Context, text string, args []any) (result checks.Rows, err error) {
	conn, err := db.pool.Conn(ctx)
	if err != nil {
		return checks.Rows{}, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := limit(conn); err != nil {
		return checks.Rows{}, err
	}
	rows, err := conn.QueryContext(ctx, text, asText(args)...)
	if err != nil {
		return checks.Rows{}, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	return db.collect(rows)
}

// limit bounds the size of values and forbids to attach other files.
func limit(conn *sql.Conn) error {
	if _, err := sqlite.Limit(conn, limitLength, maxValue); err != nil {
		return fmt.Errorf("limit the size of values: %w", err)
	}
	if _, err := sqlite.Limit(conn, limitAttached, 0); err != nil {
		return fmt.Errorf("forbid attached files: %w", err)
	}
	return nil
}

// asText writes the times among bound values as RFC 3339 in UTC: SQLite has no
// type for them.
func asText(args []any) []any {
	bound := make([]any, len(args))
	for i, arg := range args {
		if t, ok := arg.(time.Time); ok {
			arg = t.UTC().Format(time.RFC3339Nano)
		}
		bound[i] = arg
	}
	return bound
}

// collect reads rows up to the limit.
func (db *DB) collect(rows *sql.Rows) (checks.Rows, error) {
	columns, err := rows.Columns()
	if err != nil {
		return checks.Rows{}, err
	}
	result := checks.Rows{Columns: columns}
	for rows.Next() {
		if len(result.Values) == db.opts.MaxRows {
			result.Truncated = true
			break
		}
		values := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return checks.Rows{}, err
		}
		for i, value := range values {
			if t, ok := value.(time.Time); ok {
				values[i] = t.UTC()
			}
		}
		result.Values = append(result.Values, values)
	}
	return result, rows.Err()
}
