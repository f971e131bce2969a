package postgres

import (
	"context"
	"strings"
	"testing"
	"time"

	"dw/internal/testpg"
)

// TestSessions uses one server for what can only be seen from inside.
func TestSessions(t *testing.T) {
	t.Parallel()
	own := testpg.Start(t)
	t.Run("exhausted", func(t *testing.T) { poolExhausted(t, own.Database(t)) })
	t.Run("fence", func(t *testing.T) { fenceBehindTheGuard(t, own.Database(t)) })
}

// poolExhausted: who waits in vain for a connection is told why, and gets one
// once it is free.
func poolExhausted(t *testing.T, dsn string) {
	db, err := Open(Options{DSN: dsn, Connections: 2, Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the end of the test
	err = db.inside(t.Context(), func(*session) error {
		return db.inside(t.Context(), func(*session) error {
			_, err := db.Select(t.Context(), "SELECT 1")
			return err
		})
	})
	if err == nil || !strings.Contains(err.Error(), "all 2 connections were busy for 2s") {
		t.Errorf("error %v", err)
	}
	if _, err := db.Select(t.Context(), "SELECT 1"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// fenceBehindTheGuard: a statement that got past the guard could neither
// write, nor be two, nor leave anything on the connection.
func fenceBehindTheGuard(t *testing.T, dsn string) {
	db, err := Open(Options{DSN: dsn, Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the end of the test
	for text, want := range map[string]string{
		"CREATE TABLE t (x int)":         "25006",
		"SELECT 1; SELECT 2":             "42601",
		"COMMIT; CREATE TABLE t (x int)": "42601",
		"SET LOCAL statement_timeout=0":  "",
		"SET search_path = nowhere":      "",
	} {
		err := db.inside(t.Context(), func(s *session) error {
			if err := s.begin(t.Context()); err != nil {
				t.Fatal(err)
			}
			_, err := s.run(t.Context(), text, 10)
			return err
		})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s gave %v, want %q", text, err, want)
		}
	}
	var after answer
	err = db.read(t.Context(), func(ctx context.Context, s *session) error {
		var err error
		after, err = s.run(ctx, "SELECT current_setting('statement_timeout'), current_setting('search_path'), current_setting('transaction_read_only')", 1)
		return err
	})
	if err != nil || string(after.rows[0][0]) != "30s" || strings.Contains(string(after.rows[0][1]), "nowhere") || string(after.rows[0][2]) != "on" {
		t.Errorf("left on the connection: %s, %v", after.rows, err)
	}
}
