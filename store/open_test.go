package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"dw/store"
	"dw/store/storetest"
	"dw/workflows"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ dsn, instance, want string }{
		"PostgreSQL, away":  {"postgres://dw:secret@127.0.0.1:1/dw", "a", "connection refused"},
		"PostgreSQL, name":  {"postgresql://dw:secret@db", "a", "names no database"},
		"PostgreSQL, odd":   {"postgres://dw:sec/ret@secret:x/dw", "a", "cannot be read as one of PostgreSQL"},
		"another database":  {"mysql://dw:secret@db/dw", "a", `kind "mysql" is not supported`},
		"URI":               {"file:dw.db?mode=memory", "a", `kind "file" is not supported`},
		"memory":            {"sqlite::memory:", "a", "name a file"},
		"nothing":           {"", "a", "name a file"},
		"folder":            {dir, "a", "not a regular file"},
		"missing folder":    {filepath.Join(dir, "none", "dw.db"), "a", "no such file"},
		"not a database":    {text, "a", "not a database"},
		"no instance":       {filepath.Join(dir, "x.db"), "", "instance name"},
		"unusable instance": {filepath.Join(dir, "x.db"), "a b", "instance name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := store.Open(t.Context(), test.dsn, store.Options{Instance: test.instance})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got error %v, want %q", err, test.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error tells the password: %v", err)
			}
		})
	}
}

// Names that a URI would read otherwise must be the file's own name.
func TestOddPaths(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b.db", "100%41.db", "what?mode=memory.db", "#1.db", "größe.db"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), name)
			db := open(t, "sqlite:"+path)
			write(t, db, 1)
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
			reader, err := store.OpenReadOnly(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()
			if n := storetest.Verify(t, reader); n != 1 {
				t.Errorf("read %d receipts, want 1", n)
			}
		})
	}
}

func TestFilesAreTheirOwnersOnly(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	db := open(t, path)
	write(t, db, 1)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		wantMode(t, path+suffix)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	log := &strings.Builder{}
	open(t, path, func(o *store.Options) { o.Log = slog.New(slog.NewTextHandler(log, nil)) })
	wantMode(t, path)
	if !strings.Contains(log.String(), "others could read the database") {
		t.Errorf("the log does not say so: %s", log)
	}
}

func wantMode(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("%s has mode %04o, want 0600", filepath.Base(path), info.Mode().Perm())
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	onBoth(t, newerSchemaIsRefused)
}

func newerSchemaIsRefused(t *testing.T, newPath func(testing.TB) string) {
	t.Helper()
	for name, statement := range map[string]string{
		"own":       "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)",
		"the queue": "INSERT INTO river_migration (line, version) VALUES ('main', 9999)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			db := open(t, path)
			if _, err := db.Writer().ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			_, err := store.Open(t.Context(), path, store.Options{Instance: storetest.Instance})
			if !errors.Is(err, store.ErrNewerSchema) {
				t.Errorf("got error %v, want ErrNewerSchema", err)
			}
		})
	}
}

func TestDatabaseBelongsToOneInstance(t *testing.T) {
	t.Parallel()
	onBoth(t, databaseBelongsToOneInstance)
}

func databaseBelongsToOneInstance(t *testing.T, newPath func(testing.TB) string) {
	t.Helper()
	path := newPath(t)
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	_, err := store.Open(t.Context(), path, store.Options{Instance: "another"})
	if err == nil || !strings.Contains(err.Error(), `belongs to instance "conformance"`) {
		t.Errorf("got error %v, want that it belongs to another", err)
	}
}

func TestKeyOfAnotherInstanceIsRefused(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	_, err := store.Open(t.Context(), newPath(t), store.Options{Instance: "another", Signer: &signer})
	if err == nil || !strings.Contains(err.Error(), `is not instance "another"'s`) {
		t.Errorf("got error %v", err)
	}
}

// Two processes on one file wait for each other; neither fails, nothing forks.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	onBoth(t, twoProcesses)
}

func twoProcesses(t *testing.T, newPath func(testing.TB) string) {
	t.Helper()
	const each = 20
	path := newPath(t)
	var wg sync.WaitGroup
	for k, db := range []*store.DB{open(t, path), open(t, path)} {
		wg.Go(func() {
			for n := range each {
				// All at one time: the order in which the two come is free.
				err := db.Update(t.Context(), func(tx workflows.Tx) error {
					_, err := tx.AppendReceipt(t.Context(), draft(0))
					return errors.Join(err, tx.Enqueue(t.Context(), workflows.Effect{Kind: "slack.note", Key: fmt.Sprint(k, n)}))
				})
				if err != nil {
					t.Errorf("process %d, update %d: %v", k, n, err)
				}
			}
		})
	}
	wg.Wait()
	db := open(t, path)
	if n, effects := storetest.Verify(t, db), len(mustQueued(t, db)); n != 2*each || effects != 2*each {
		t.Errorf("%d receipts and %d effects, want %d each", n, effects, 2*each)
	}
}

// The queue forgets its jobs; the store does not forget the keys.
func TestKeyOutlivesItsJob(t *testing.T) {
	t.Parallel()
	onBoth(t, keyOutlivesItsJob)
}

func keyOutlivesItsJob(t *testing.T, newPath func(testing.TB) string) {
	t.Helper()
	db := open(t, newPath(t))
	e := workflows.Effect{Kind: "slack.note", Key: "once"}
	enqueue := func() {
		t.Helper()
		if err := db.Update(t.Context(), func(tx workflows.Tx) error { return tx.Enqueue(t.Context(), e) }); err != nil {
			t.Fatal(err)
		}
	}
	enqueue()
	if n := len(mustQueued(t, db)); n != 1 {
		t.Fatalf("%d effects are queued, want 1", n)
	}
	if _, err := db.Writer().ExecContext(t.Context(), "DELETE FROM river_job"); err != nil {
		t.Fatal(err)
	}
	enqueue()
	if n := len(mustQueued(t, db)); n != 0 {
		t.Errorf("the effect was queued a second time")
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	onBoth(t, readOnly)
}

func readOnly(t *testing.T, newPath func(testing.TB) string) {
	t.Helper()
	path := newPath(t)
	writer := open(t, path)
	write(t, writer, 3)
	db, err := store.OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if n := storetest.Verify(t, db); n != 3 || db.Instance() != storetest.Instance {
		t.Errorf("read %d receipts of %q", n, db.Instance())
	}
	write(t, writer, 1)
	if n := storetest.Verify(t, db); n != 4 {
		t.Errorf("read %d receipts after the other wrote, want 4", n)
	}
	err = db.Update(t.Context(), func(workflows.Tx) error { return nil })
	if !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("update: got error %v, want ErrReadOnly", err)
	}
	if err := db.WriteCheckpoint(t.Context()); err == nil {
		t.Error("a checkpoint was written")
	}
}

func TestReadOnlyRefuses(t *testing.T) {
	t.Parallel()
	missing := newPath(t)
	if _, err := store.OpenReadOnly(t.Context(), missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: got error %v", err)
	}
	if _, err := os.Stat(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the missing file was made")
	}
	empty := newPath(t)
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.OpenReadOnly(t.Context(), empty); err == nil || !strings.Contains(err.Error(), "not a database of dw") {
		t.Errorf("empty file: got error %v", err)
	}
}

// A copy in a folder that nobody may write is how an auditor gets it.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	db := open(t, path)
	write(t, db, 2)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(path)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	sealed, err := store.OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer sealed.Close()
	if n := storetest.Verify(t, sealed); n != 2 {
		t.Errorf("read %d receipts, want 2", n)
	}
	if found, _ := filepath.Glob(path + "-*"); len(found) != 0 {
		t.Errorf("reading made %v", found)
	}
}

// Readers cannot write, whatever they are asked.
func TestViewCannotWrite(t *testing.T) {
	t.Parallel()
	onBoth(t, viewCannotWrite)
}

func viewCannotWrite(t *testing.T, newPath func(testing.TB) string) {
	t.Helper()
	db := open(t, newPath(t))
	err := db.View(t.Context(), func(tx workflows.ReadTx) error {
		if _, ok := tx.(workflows.Tx); ok {
			t.Error("a view's transaction has write methods")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestEndedContext(t *testing.T) {
	t.Parallel()
	onBoth(t, endedContext)
}

func endedContext(t *testing.T, newPath func(testing.TB) string) {
	t.Helper()
	db := open(t, newPath(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.Update(ctx, func(workflows.Tx) error { t.Error("called"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("update: got error %v", err)
	}
	if err := db.View(ctx, func(workflows.ReadTx) error { t.Error("called"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("view: got error %v", err)
	}
}
