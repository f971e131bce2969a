package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
)

// The pauses between attempts of what failed because the server went away: they
// double, and a server that restarts is back within their sum, about three
// seconds.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 1600 * time.Millisecond
)

// again calls try until it succeeds, says that it is of no use to repeat it, or
// the pauses are used up.
func again(ctx context.Context, try func() (repeat bool, err error)) error {
	for pause := firstPause; ; pause *= 2 {
		repeat, err := try()
		if err == nil || !repeat || pause > lastPause || !rest(ctx, pause) {
			return err
		}
	}
}

// rest waits and reports false where ctx ended first.
func rest(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// update runs do under the lock of the log's head, which makes the updates of all
// processes take turns, as SQLite's one writer does: each reads what the one
// before committed, so READ COMMITTED is as good as serializable. do runs again
// only after an attempt of which the server says, or the broken connection
// proves, that nothing was committed.
func (s *server) update(ctx context.Context, db *DB, do func(*writer) error) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("begin update: %w", ctx.Err())
	case <-s.turn: // the database sees one update of this process at a time
		defer func() { s.turn <- struct{}{} }()
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("begin update: %w", err)
	}
	return again(ctx, func() (bool, error) { return s.tryUpdate(ctx, db, do) })
}

func (s *server) tryUpdate(ctx context.Context, db *DB, do func(*writer) error) (repeat bool, err error) {
	conn, err := db.write.Conn(ctx)
	if err != nil {
		return transient(err), fmt.Errorf("begin update: %w", err)
	}
	defer func() { _ = conn.Close() }() // back to the pool
	// A context that ends during the commit would leave its outcome open, so the
	// commit is seen through; before it, each statement heeds its own context.
	tx, err := conn.BeginTx(context.WithoutCancel(ctx), &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return transient(err) || broken(conn), fmt.Errorf("begin update: %w", err)
	}
	// After a commit this does nothing; it is here for errors and panics.
	defer func() { _ = tx.Rollback() }()
	t := &writer{reader: reader{queries: db.sql, run: (*statements)(nil).bind(tx)}, db: db}
	id, err := t.takeTurn(ctx)
	if err == nil {
		err = t.perform(do)
	}
	if err == nil && t.byPerson {
		err = t.signNow(ctx)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		// Nothing was committed. A broken connection or a lost race says nothing
		// about do, so that it may run again.
		return ctx.Err() == nil && (broken(conn) || raced(errors.Join(err, t.failed))), err
	}
	db.crash(CrashBeforeCommit)
	if err := tx.Commit(); err != nil {
		return s.settle(ctx, db, id, err)
	}
	db.crash(CrashAfterCommit)
	return false, nil
}

// takeTurn locks the log's head and returns the transaction's id, by which its
// outcome can be asked for.
func (t *writer) takeTurn(ctx context.Context) (id string, err error) {
	err = t.scan(ctx, "head_lock", func(rows *sql.Rows) error { return rows.Scan(&id) })
	switch {
	case err != nil && code(err) == lockNotAvailable:
		return "", fmt.Errorf("begin update: another process has held the log for too long: %w", err)
	case err != nil:
		return "", fmt.Errorf("begin update: %w", err)
	case id == "":
		return "", fmt.Errorf("begin update: %w", errNoHead)
	}
	return id, nil
}

// broken reports whether the connection can no longer be used, so that its
// transaction is over.
func broken(conn *sql.Conn) bool {
	closed := true
	err := conn.Raw(func(driver any) error {
		if c, ok := driver.(*stdlib.Conn); ok {
			closed = c.Conn().IsClosed()
		}
		return nil
	})
	return err != nil || closed
}

// view begins a transaction that sees one state. Only its beginning is repeated.
func (s *server) view(ctx context.Context, db *DB) (tx *sql.Tx, err error) {
	err = again(ctx, func() (bool, error) {
		tx, err = db.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead})
		return transient(err), err
	})
	return tx, err
}
