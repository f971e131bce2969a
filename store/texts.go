package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"dw/receipts"
	"dw/workflows"
)

// ErrNotFolded says that texts are deleted and their old pages still lie in SQLite's
// write-ahead log, because another process reads.
var ErrNotFolded = errors.New("the texts are deleted, but the database's -wal file holds their old pages until dw folds it, at the latest when it stops")

// ErrNoText says that no free text is kept for the receipts that were named.
var ErrNoText = errors.New("no text is kept for these receipts")

// KeptTexts lists the free texts that are kept, by receipt and field: those of the
// receipt seq, or of all where seq is 0.
func (db *DB) KeptTexts(ctx context.Context, seq int64) (list []receipts.KeptText, err error) {
	err = db.View(ctx, func(tx workflows.ReadTx) error {
		r, ok := tx.(*reader)
		if !ok {
			return fmt.Errorf("a view of %T keeps no texts", tx)
		}
		list, err = r.keptTexts(ctx, seq)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("load the texts of receipts: %w", err)
	}
	return list, nil
}

func (r *reader) keptTexts(ctx context.Context, seq int64) (list []receipts.KeptText, err error) {
	add := func(rows *sql.Rows) error {
		var t receipts.KeptText
		var salt, text []byte
		if err := rows.Scan(&t.Seq, &t.Field, &salt, &text); err != nil {
			return err
		}
		if len(salt) != len(t.Salt) {
			return fmt.Errorf("a stored salt has %d bytes, not %d", len(salt), len(t.Salt))
		}
		copy(t.Salt[:], salt)
		t.Text.Text = string(text)
		list = append(list, t)
		return nil
	}
	if seq == 0 {
		err = r.scan(ctx, "text_all", add)
		return list, err
	}
	err = r.scan(ctx, "text_list", add, seq)
	return list, err
}

func (t *writer) storeTexts(ctx context.Context, seq int64, texts []receipts.Text) error {
	for _, text := range texts {
		if _, err := t.exec(ctx, "text_insert", seq, text.Field, text.Salt[:], []byte(text.Text)); err != nil {
			return fmt.Errorf("keep the text %q: %w", text.Field, err)
		}
	}
	return nil
}

// Shred deletes the texts and salts of the receipts seqs, writes the receipt of it
// by who with why, and returns how many texts went. with, which may be nil, runs
// in the same transaction. It fails with ErrNoText where nothing is kept. On SQLite the
// pages that held them are overwritten and folded into the file before it returns;
// PostgreSQL keeps dead rows until it vacuums.
func (db *DB) Shred(ctx context.Context, seqs []int64, who receipts.Actor, why string, now time.Time, with func(workflows.Tx) error) (int, error) {
	gone := 0
	if db.write == nil {
		return 0, ErrReadOnly
	}
	if err := db.eraseWell(ctx); err != nil {
		return 0, err
	}
	err := db.updateAlone(ctx, func(t *writer) error {
		gone = 0
		var err error
		if gone, err = t.shred(ctx, seqs, who, why, now); err == nil && with != nil {
			err = with(t)
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("shred texts: %w", err)
	}
	return gone, db.settleErased(ctx)
}

func (t *writer) shred(ctx context.Context, seqs []int64, who receipts.Actor, why string, now time.Time) (int, error) {
	var of []receipts.Value
	gone := 0
	for _, seq := range seqs {
		n, err := t.exec(ctx, "text_delete", seq)
		if err != nil {
			return 0, fmt.Errorf("delete the texts of receipt %d: %w", seq, err)
		}
		if n > 0 {
			of = append(of, seq)
			gone += int(n)
		}
	}
	if gone == 0 {
		return 0, ErrNoText
	}
	_, err := t.AppendReceipt(ctx, receipts.Draft{
		Kind: receipts.KindTextShredded, Actor: who, At: now,
		Body: receipts.Object{"receipts": of, "texts": gone, "why": why},
	})
	return gone, err
}

// eraseWell makes SQLite overwrite what is deleted from now on; the connection
// that writes is one.
func (db *DB) eraseWell(ctx context.Context) error {
	if db.server != nil {
		return nil
	}
	if _, err := db.write.ExecContext(ctx, "PRAGMA secure_delete = ON"); err != nil {
		return fmt.Errorf("make SQLite overwrite deleted pages: %w", err)
	}
	return nil
}

// settleErased folds the write-ahead log, which still holds the old pages, into
// the file.
func (db *DB) settleErased(ctx context.Context) error {
	if db.server != nil {
		return nil
	}
	var busy, pages, moved int
	if err := db.write.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved); err != nil {
		return fmt.Errorf("the texts are deleted; fold the write-ahead log that still holds them: %w", err)
	}
	if busy != 0 {
		return ErrNotFolded
	}
	return nil
}
