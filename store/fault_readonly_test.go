package store_test

import (
	"path/filepath"
	"strings"
	"testing"

	"dw/store"
	"dw/store/storetest"
)

// A database that cannot be written any more refuses every update, keeps what it
// has, can be read, and is got over.
func TestFault09ReadOnly(t *testing.T) {
	t.Parallel()
	db := open(t, newPath(t))
	write(t, db, 2)
	pragma := func(text string) {
		t.Helper()
		if _, err := db.Writer().ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	pragma("PRAGMA query_only = 1")
	for range 2 {
		if err := writeOne(t.Context(), db, 3); err == nil || !strings.Contains(err.Error(), "readonly") {
			t.Errorf("got error %v, want that the database is readonly", err)
		}
		wantAll(t, db, 2)
	}
	pragma("PRAGMA query_only = 0")
	if err := writeOne(t.Context(), db, 3); err != nil {
		t.Errorf("after it could be written again: %v", err)
	}
	wantAll(t, db, 3)
}

// A store does not open on a file system that has become read-only, and says so;
// what it holds can be read there, and nothing is lost when it can be written
// again.
func TestFault09ReadOnlyFileSystem(t *testing.T) {
	t.Parallel()
	dir := mounted(t, "4m")
	path := filepath.Join(dir, "dw.db")
	db := open(t, path)
	write(t, db, 2)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	remounted(t, dir, "ro")
	_, err := store.Open(t.Context(), path, store.Options{Instance: storetest.Instance})
	if err == nil || !strings.Contains(err.Error(), "readonly") && !strings.Contains(err.Error(), "read-only") {
		t.Errorf("got error %v, want that it is read-only", err)
	}
	read, _, err := store.OpenUntouched(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	if n := storetest.Verify(t, read); n != 2 {
		t.Errorf("%d receipts can be read, want 2", n)
	}
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	remounted(t, dir, "rw")
	again := open(t, path)
	if err := writeOne(t.Context(), again, 3); err != nil {
		t.Error(err)
	}
	wantAll(t, again, 3)
}

// The file system is full. What fails fails visibly and whole, and goes through
// when there is space again.
func TestFault07FullFileSystem(t *testing.T) {
	t.Parallel()
	dir := mounted(t, "1m")
	db := open(t, filepath.Join(dir, "dw.db"))
	stored := 0
	var err error
	for n := 1; err == nil && n < 5000; n++ {
		if err = writeOne(t.Context(), db, n); err == nil {
			stored++
		}
	}
	if err == nil || stored == 0 {
		t.Fatalf("got error %v after %d updates, want that the disk is full", err, stored)
	}
	if err := writeOne(t.Context(), db, stored+1); err == nil {
		t.Error("the second try on a full disk went through")
	}
	wantAll(t, db, stored)
	remounted(t, dir, "size=8m")
	if err := writeOne(t.Context(), db, stored+1); err != nil {
		t.Fatalf("after space came back: %v", err)
	}
	wantAll(t, db, stored+1)
}
