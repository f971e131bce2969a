package app

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/sqlite"
	"dw/store"
)

// TestRecheckReadsWhatWasRepaired: an hour of ten days ago is kept as it was lost,
// a scheduled run leaves it so, and the re-check of its incident finds the rows
// that were brought back.
func TestRecheckReadsWhatWasRepaired(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 1, 12, 20, 0, 0, time.UTC)
	onset := now.Truncate(time.Hour).AddDate(0, 0, -10)
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "dw.db"), store.Options{Instance: "app-test"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	path := ordersOf(t, now, onset)
	q, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	spec := checks.Spec{Name: "orders", Kind: "volume", Connection: "w", Table: "orders", TimeColumn: "at", Delay: 10 * time.Minute}
	at := onset.Add(time.Hour + 10*time.Minute)
	run := func(m memory, at time.Time) checks.Result { return checks.Run(t.Context(), spec, q, m, at) }
	if r := run(memory{store: db, now: at}, at); r.Status != checks.Fail {
		t.Fatalf("when it was lost: %s: %s %s", r.Status, r.Message, r.Problem)
	}
	run(memory{store: db, now: now}, now)
	bringBack(t, path, onset)
	run(memory{store: db, now: now}, now)
	if r := run(memory{store: db, now: now}, at); r.Status != checks.Fail {
		t.Errorf("as it is kept: %s: %s", r.Status, r.Message)
	}
	if r := run(memory{store: db, now: now, again: onset}, at); r.Status != checks.Pass {
		t.Errorf("asked again: %s: %s %s", r.Status, r.Message, r.Problem)
	}
}

// ordersOf makes forty days of forty orders an hour up to a time, and none in the
// hour that begins at another.
func ordersOf(t *testing.T, now, lost time.Time) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "warehouse.db")
	db := writing(t, path)
	defer db.Close()
	for _, statement := range []struct {
		text string
		args []any
	}{
		{"CREATE TABLE orders (at TEXT)", nil},
		{`WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 40 * 24 * 40)
			INSERT INTO orders SELECT datetime(?, '-' || (n * 90) || ' seconds') FROM i`, []any{now.Format(time.DateTime)}},
		{"DELETE FROM orders WHERE at >= ? AND at < ?", []any{lost.Format(time.DateTime), lost.Add(time.Hour).Format(time.DateTime)}},
	} {
		if _, err := db.ExecContext(t.Context(), statement.text, statement.args...); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// bringBack inserts the forty orders of an hour.
func bringBack(t *testing.T, path string, hour time.Time) {
	t.Helper()
	db := writing(t, path)
	defer db.Close()
	_, err := db.ExecContext(t.Context(), `WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 39)
		INSERT INTO orders SELECT datetime(?, '+' || (n * 90) || ' seconds') FROM i`, hour.Format(time.DateTime))
	if err != nil {
		t.Fatal(err)
	}
}

func writing(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	return db
}
