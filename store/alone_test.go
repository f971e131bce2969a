package store_test

import (
	"errors"
	"path/filepath"
	"testing"

	"dw/store"
)

// TestAlone: one dw at a time works on a SQLite file, however its DSN is spelled,
// and the next may once the first has let go; PostgreSQL is for several.
func TestAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dw.db")
	release, err := store.Alone(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Alone("sqlite:" + path); !errors.Is(err, store.ErrInUse) {
		t.Errorf("the second taker got %v, want %v", err, store.ErrInUse)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	again, err := store.Alone(path)
	if err != nil {
		t.Fatalf("after the first let go: %v", err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if _, err := store.Alone("postgres://dw@db.example.com/dw"); err != nil {
			t.Errorf("PostgreSQL: %v", err)
		}
	}
}
