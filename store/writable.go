package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"dw/workflows"
)

// probeWait is how long Writable waits for another's lock, in milliseconds.
const probeWait = "2000"

// Writable asks whether something could be written now, and writes nothing. On SQLite
// it asks over a connection of its own: while somebody else holds the database, what
// waits for the one that writes would keep whoever asks waiting for minutes.
func (db *DB) Writable(ctx context.Context) (err error) {
	if db.probe == "" {
		return db.Update(ctx, func(workflows.Tx) error { return nil })
	}
	own, err := sql.Open("sqlite", db.probe)
	if err != nil {
		return fmt.Errorf("open to ask for the lock: %w", err)
	}
	defer func() { err = errors.Join(err, own.Close()) }()
	tx, err := own.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("ask for the lock: %w", err)
	}
	return tx.Rollback()
}
