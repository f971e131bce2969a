package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"dw/receipts"
)

// ErrShrunk says that the log holds fewer receipts than a checkpoint signed
// before: an old backup was restored, or receipts were cut off.
var ErrShrunk = errors.New("the log is shorter than its newest checkpoint")

// Checkpoint returns the newest signed note, nil before the first.
func (r *reader) Checkpoint(ctx context.Context) ([]byte, error) {
	_, note, err := r.lastCheckpoint(ctx)
	if err != nil {
		return nil, fmt.Errorf("load the newest checkpoint: %w", err)
	}
	return note, nil
}

func (r *reader) lastCheckpoint(ctx context.Context) (size int64, note []byte, err error) {
	err = r.scan(ctx, "checkpoint_last", func(rows *sql.Rows) error { return rows.Scan(&size, &note) })
	return size, note, err
}

// WriteCheckpoint signs the log as it stands and stores the note. It does
// nothing where the newest checkpoint covers every receipt, and fails with
// ErrShrunk where it covers more.
func (db *DB) WriteCheckpoint(ctx context.Context) error {
	signer := db.signer.Load()
	if signer == nil {
		return errors.New("write checkpoint: the store has no signing key")
	}
	if err := db.update(ctx, func(t *writer) error { return t.checkpoint(ctx, signer) }); err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	return nil
}

func (t *writer) checkpoint(ctx context.Context, signer *receipts.Signer) error {
	head, err := t.Head(ctx)
	if err != nil {
		return err
	}
	size, _, err := t.lastCheckpoint(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("load the newest checkpoint: %w", err)
	case size == head.Seq:
		return nil
	case size > head.Seq:
		return fmt.Errorf("%w: %d receipts, the checkpoint says %d", ErrShrunk, head.Seq, size)
	}
	root, err := receipts.Root(head.Seq, treeReader{ctx, &t.reader})
	if err != nil {
		return err
	}
	note, err := signer.Checkpoint(head.Seq, root)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, "checkpoint_insert", head.Seq, note)
	return err
}

// signNow signs what a person did in the transaction in which they did it: one commit
// makes both durable. Only a write that failed is an error of the transaction.
func (t *writer) signNow(ctx context.Context) error {
	if t.db.opts.SignerNow == nil {
		return nil
	}
	signer, err := t.db.opts.SignerNow()
	if err == nil {
		err = t.checkpoint(ctx, &signer)
	}
	if err != nil && t.failed == nil {
		t.db.opts.Log.ErrorContext(ctx, "the receipts could not be signed", "error", err)
	}
	return t.failed
}

// UseSigner signs the checkpoints to come with s.
func (db *DB) UseSigner(s receipts.Signer) { db.signer.Store(&s) }

// RotateKey appends the receipt of a rotation and signs the log with both keys,
// in one transaction, so that no checkpoint stands between them.
func (db *DB) RotateKey(ctx context.Context, d receipts.Draft, both receipts.Signer) error {
	err := db.updateAlone(ctx, func(t *writer) error {
		if _, err := t.AppendReceipt(ctx, d); err != nil {
			return err
		}
		return t.checkpoint(ctx, &both)
	})
	if err != nil {
		return fmt.Errorf("record the rotation of the key: %w", err)
	}
	db.UseSigner(both)
	return nil
}
