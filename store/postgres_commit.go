package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// ErrUnknownOutcome says that a commit was sent, its answer was lost, and the
// server cannot be asked whether it was carried out. Who gets it must read the
// state again; a repeated click or effect is told from the first by its key.
var ErrUnknownOutcome = errors.New("it is not known whether the update was committed")

// settleWithin is how long the server is asked for the outcome of a commit; it is
// longer than an idle transaction may last.
const settleWithin = 20 * time.Second

// settle finds out what a commit that failed has done: the server keeps the
// outcome of each transaction under its id.
func (s *server) settle(ctx context.Context, db *DB, id string, cause error) (repeat bool, err error) {
	if refusedCommit(cause) {
		return raced(cause), fmt.Errorf("commit update: %w", cause)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.settleWithin)
	defer cancel()
	committed, err := s.outcome(ctx, db, id)
	switch {
	case err != nil:
		return false, fmt.Errorf("commit update: %w: %w; asked for its outcome: %w", ErrUnknownOutcome, cause, err)
	case !committed:
		return true, fmt.Errorf("commit update: nothing was changed: %w", cause)
	}
	db.opts.Log.WarnContext(ctx, "the answer to a commit was lost; the server says that it was carried out", "error", cause)
	return false, nil
}

var errInProgress = errors.New("the server still has the transaction in progress")

// outcome asks the server until it knows whether the transaction was committed.
func (s *server) outcome(ctx context.Context, db *DB, id string) (committed bool, err error) {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		var status sql.NullString
		err = db.write.QueryRowContext(ctx, db.sql["update_status"], id).Scan(&status)
		switch {
		case err == nil && status.String == "committed":
			return true, nil
		case err == nil && status.String == "aborted":
			return false, nil
		case err == nil && !status.Valid:
			return false, fmt.Errorf("the server no longer knows transaction %s", id)
		case err == nil:
			err = errInProgress
		case !transient(err):
			return false, err
		}
		if !rest(ctx, pause) {
			return false, err
		}
	}
}
