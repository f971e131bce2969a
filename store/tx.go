package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"

	"dw/workflows"
)

var _ workflows.Store = (*DB)(nil)

// ErrReadOnly says that the store was opened for reading only.
var ErrReadOnly = errors.New("the store is open for reading only")

// Update runs do in a transaction and commits what it wrote, durably, or
// nothing if do or the commit fails. Writers take turns, and on SQLite those who
// wait share one commit: do must not call Update again nor wait for anything slow.
// do runs again where nothing was committed for no fault of its own, so it must keep
// nothing between runs: on PostgreSQL after a lost connection or race, on SQLite
// after a commit shared with others that failed. Where even that cannot be told the
// error is ErrUnknownOutcome.
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
	return db.updateInGroup(ctx, do)
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
	return do(&reader{queries: db.sql, run: db.reads.bind(sqlTx)})
}

func (db *DB) beginView(ctx context.Context) (*sql.Tx, error) {
	if db.server != nil {
		return db.server.view(ctx, db)
	}
	if err := db.reads.prepare(ctx); err != nil {
		return nil, err
	}
	return db.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
}

// reader reads within one transaction.
type reader struct {
	queries queries
	run     *bound
	turn    *turn // nil: the transaction is the reader's own
}

// writer also writes.
type writer struct {
	reader
	db       *DB
	failed   error // first write that failed; the transaction must not commit
	byPerson bool  // a receipt was appended of which a person is the actor
}

// turn is what an update has in a transaction that it shares.
type turn struct {
	log   *logEnd
	saved bool // its savepoint is set: it has written
	over  atomic.Bool
}

// heed returns the context for one statement. In a shared transaction the end of a
// context must not interrupt a statement, for SQLite would undo the others' work with
// it, so that it is looked at before each.
func (r *reader) heed(ctx context.Context) (context.Context, error) {
	if r.turn == nil {
		return ctx, nil
	}
	if r.turn.over.Load() {
		return nil, sql.ErrTxDone
	}
	return context.WithoutCancel(ctx), ctx.Err()
}

// ready is heed for a statement that writes. After a failed one nothing more is
// written, for SQLite may have ended the transaction with it; before the first one a
// savepoint is set in a shared transaction.
func (t *writer) ready(ctx context.Context) (context.Context, error) {
	if t.failed != nil {
		return nil, t.failed
	}
	ctx, err := t.heed(ctx)
	if err != nil || t.turn == nil || t.turn.saved {
		return ctx, err
	}
	if _, err := t.statement(ctx, "savepoint_set"); err != nil {
		return nil, err
	}
	t.turn.saved = true
	return ctx, nil
}

func (r *reader) text(name string) (string, error) {
	text, ok := r.queries[name]
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
	if ctx, err = r.heed(ctx); err != nil {
		return fmt.Errorf("query %s: %w", name, err)
	}
	rows, err := r.run.query(ctx, name, text, args)
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
	ctx, err := t.ready(ctx)
	if err != nil {
		return 0, t.fail(fmt.Errorf("statement %s: %w", name, err))
	}
	n, err := t.statement(ctx, name, args...)
	if err != nil {
		return 0, t.fail(err)
	}
	return n, nil
}

func (t *writer) statement(ctx context.Context, name string, args ...any) (int64, error) {
	text, err := t.text(name)
	if err != nil {
		return 0, err
	}
	res, err := t.run.exec(ctx, name, text, args)
	if err != nil {
		return 0, fmt.Errorf("statement %s: %w", name, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return 0, fmt.Errorf("statement %s: %w", name, err)
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

// leftOf returns what is left of a limit, negative for no limit.
func leftOf(limit, taken int) int {
	if limit <= 0 {
		return -1
	}
	return limit - taken
}
