package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"dw/workflows"
)

var _ workflows.Store = (*DB)(nil)

// ErrReadOnly says that the store was opened for reading only.
var ErrReadOnly = errors.New("the store is open for reading only")

// Update runs do in a transaction and commits what it wrote, durably, or
// nothing if do or the commit fails. Writers take turns: do must not call
// Update again nor wait for anything slow. On PostgreSQL do runs again after a
// lost connection or race in which nothing was committed, so it must keep nothing
// between runs; where even that cannot be told the error is ErrUnknownOutcome.
func (db *DB) Update(ctx context.Context, do func(workflows.Tx) error) error {
	return db.update(ctx, func(t *writer) error { return do(t) })
}

func (db *DB) update(ctx context.Context, do func(*writer) error) error {
	switch {
	case db.write == nil:
		return ErrReadOnly
	case db.server != nil:
		return db.server.update(ctx, db, do)
	}
	sqlTx, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin update: %w", err)
	}
	// After a commit this does nothing; it is here for errors and panics.
	defer func() { _ = sqlTx.Rollback() }()
	t := &writer{reader: reader{tx: sqlTx, sql: db.sql}, db: db}
	if err := t.perform(do); err != nil {
		return err
	}
	db.crash(CrashBeforeCommit)
	if err := sqlTx.Commit(); err != nil {
		return fmt.Errorf("commit update: %w", err)
	}
	db.crash(CrashAfterCommit)
	return nil
}

// perform runs do and refuses to go on where a write in it failed.
func (t *writer) perform(do func(*writer) error) error {
	if err := do(t); err != nil {
		return err
	}
	if t.failed != nil {
		return fmt.Errorf("update refused, a write in it failed: %w", t.failed)
	}
	return nil
}

func (db *DB) crash(point string) {
	if db.opts.Crash != nil {
		db.opts.Crash(point)
	}
}

// View runs do on one consistent state: the one after some Update, unchanged
// while do reads.
func (db *DB) View(ctx context.Context, do func(workflows.ReadTx) error) error {
	sqlTx, err := db.beginView(ctx)
	if err != nil {
		return fmt.Errorf("begin view: %w", err)
	}
	defer func() { _ = sqlTx.Rollback() }()
	return do(&reader{tx: sqlTx, sql: db.sql})
}

func (db *DB) beginView(ctx context.Context) (*sql.Tx, error) {
	if db.server != nil {
		return db.server.view(ctx, db)
	}
	return db.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
}

// reader reads within one transaction.
type reader struct {
	tx  *sql.Tx
	sql queries
}

// writer also writes.
type writer struct {
	reader
	db     *DB
	failed error // first write that failed; the transaction must not commit
}

func (r *reader) text(name string) (string, error) {
	text, ok := r.sql[name]
	if !ok {
		return "", fmt.Errorf("no query is named %q", name)
	}
	return text, nil
}

// scan calls row for each row of the named query.
func (r *reader) scan(ctx context.Context, name string, row func(*sql.Rows) error, args ...any) (err error) {
	text, err := r.text(name)
	if err != nil {
		return err
	}
	rows, err := r.tx.QueryContext(ctx, text, args...)
	if err != nil {
		return fmt.Errorf("query %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := row(rows); err != nil {
			return fmt.Errorf("read row of %s: %w", name, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("query %s: %w", name, err)
	}
	return nil
}

// exec runs the named statement and returns how many rows it changed.
func (t *writer) exec(ctx context.Context, name string, args ...any) (int64, error) {
	text, err := t.text(name)
	if err != nil {
		return 0, t.fail(err)
	}
	res, err := t.tx.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, t.fail(fmt.Errorf("statement %s: %w", name, err))
	}
	n, err := res.RowsAffected()
	if err != nil {
		return 0, t.fail(fmt.Errorf("statement %s: %w", name, err))
	}
	return n, nil
}

// fail remembers the first failed write: a caller that ignores it must not get
// half of a transaction committed.
func (t *writer) fail(err error) error {
	if t.failed == nil {
		t.failed = err
	}
	return err
}

// limitOf makes zero and below mean no limit.
func limitOf(limit int) int {
	if limit <= 0 {
		return -1
	}
	return limit
}
