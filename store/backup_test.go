package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dw/receipts"
	"dw/store"
	"dw/workflows"
)

// TestBackupWhileWriting: copies taken between and during commits hold a whole
// log each, of at least what was committed before, and the writer is not
// disturbed.
func TestBackupWhileWriting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "dw.db")
	db, err := store.Open(t.Context(), path, store.Options{Instance: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the test's own
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	first := make(chan struct{})
	go func() { // ends with ctx
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		for n := 0; ctx.Err() == nil; n++ {
			err := db.Update(context.WithoutCancel(ctx), func(tx workflows.Tx) error {
				_, err := tx.AppendReceipt(ctx, receipts.Draft{Kind: receipts.KindClockJump, Actor: receipts.Actor{Kind: receipts.ActorDW}, At: at.Add(time.Duration(n) * time.Second)})
				return err
			})
			if err != nil && ctx.Err() == nil {
				ended <- err
				return
			}
			if n == 0 {
				close(first)
			}
		}
		ended <- nil
	}()
	<-first
	for _, name := range []string{"a", "b", "c"} {
		before := headOf(t, db)
		out := filepath.Join(dir, name)
		if err := store.Backup(t.Context(), path, out); err != nil {
			t.Fatal(err)
		}
		copied, err := store.OpenReadOnly(t.Context(), out)
		if err != nil {
			t.Fatal(err)
		}
		if got := headOf(t, copied); got < before {
			t.Errorf("the copy holds %d receipts, %d were committed before", got, before)
		}
		if err := copied.Close(); err != nil {
			t.Error(err)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the writer was disturbed: %v", err)
	}
}

func headOf(t *testing.T, db *store.DB) (seq int64) {
	t.Helper()
	err := db.View(t.Context(), func(tx workflows.ReadTx) error {
		head, err := tx.Head(t.Context())
		seq = head.Seq
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// TestBackupRefuses: what cannot be backed up so, or would be overwritten, is
// refused, and nothing is left behind.
func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := store.Backup(t.Context(), "postgres://dw:secret@db/dw", filepath.Join(dir, "out")); !errors.Is(err, store.ErrUsePgDump) {
		t.Errorf("PostgreSQL: %v", err)
	}
	taken := filepath.Join(dir, "taken")
	if err := os.WriteFile(taken, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte("this is no database, and it is long enough to be told from one"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ from, to string }{
		"taken": {text, taken}, "missing": {filepath.Join(dir, "gone.db"), filepath.Join(dir, "x")}, "no database": {text, filepath.Join(dir, "y")},
	} {
		if err := store.Backup(t.Context(), tc.from, tc.to); err == nil {
			t.Errorf("%s: backed up", name)
		}
	}
	if kept, err := os.ReadFile(taken); err != nil || string(kept) != "precious" {
		t.Errorf("a file was overwritten: %q, %v", kept, err)
	}
	if err := store.SettleFile(text, taken); err == nil {
		t.Error("a file was replaced by a finished copy")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("something was left behind: %v, %v", entries, err)
	}
}
