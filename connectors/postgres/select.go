package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"dw/checks"
)

// Select runs one SELECT with bound arguments. Text that is not a single SELECT,
// and a statement over the limits of time, cost or size, are a
// *checks.RefusedError. An answer over the row limit comes back cut, with
// Truncated set. When ctx ends, the server is told to stop the statement.
func (db *DB) Select(ctx context.Context, text string, args ...any) (checks.Rows, error) {
	single, err := checks.Single(text)
	if err != nil {
		return checks.Rows{}, err
	}
	var rows checks.Rows
	err = db.read(ctx, func(ctx context.Context, s *session) error {
		whole := db.whole(single)
		if err := s.affordable(ctx, whole, args); err != nil {
			return err
		}
		found, err := s.run(ctx, whole, db.opts.MaxRows, args...)
		if err != nil {
			return err
		}
		rows, err = rowsOf(found)
		return err
	})
	return rows, err
}

// whole wraps a statement so that it ends one row after the limit.
func (db *DB) whole(single string) string {
	return "SELECT * FROM (\n" + single + "\n) AS answer LIMIT " + strconv.Itoa(db.opts.MaxRows+1)
}

// read runs work in a session and says why it failed. The time limit holds once
// for the wait for a connection and once for the work.
func (db *DB) read(ctx context.Context, work func(context.Context, *session) error) error {
	late := false
	err := db.inside(ctx, func(s *session) error {
		// The server's own limit comes first, so that it can say what it stopped.
		limited, cancel := context.WithTimeout(ctx, db.opts.Timeout+goodbye/5)
		defer cancel()
		err := s.begin(limited)
		if err == nil {
			err = work(limited, s)
		}
		late = limited.Err() != nil
		return err
	})
	if err == nil {
		return nil
	}
	if cause := ctx.Err(); cause != nil {
		return fmt.Errorf("read %s: %w", db.name, cause)
	}
	if _, ok := errors.AsType[*checks.RefusedError](err); ok {
		return err
	}
	if _, ok := errors.AsType[*checks.MissingTableError](err); ok {
		return err
	}
	return db.explain(err, late)
}

func rowsOf(found answer) (checks.Rows, error) {
	rows := checks.Rows{Truncated: found.cut, Columns: make([]string, len(found.fields))}
	for i, field := range found.fields {
		rows.Columns[i] = field.Name
	}
	for _, row := range found.rows {
		values := make([]any, len(row))
		for i, text := range row {
			value, err := decode(found.fields[i].DataTypeOID, text)
			if err != nil {
				return checks.Rows{}, fmt.Errorf("column %s: %w", rows.Columns[i], err)
			}
			values[i] = value
		}
		rows.Values = append(rows.Values, values)
	}
	return rows, nil
}
