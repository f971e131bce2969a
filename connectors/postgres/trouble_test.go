package postgres_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/postgres"
	"dw/internal/testpg"
)

var noon = time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)

// TestRestart: a server that goes away in mid-query is an error that says so, and
// the next statement finds it again.
func TestRestart(t *testing.T) {
	t.Parallel()
	own := testpg.Start(t)
	w := warehouse{t, own.Database(t)}
	w.exec("CREATE TABLE t AS SELECT 7 AS x")
	db := w.open(postgres.Options{})
	for _, mode := range []string{"fast", "immediate"} {
		ended := make(chan error, 1)
		go func() {
			_, err := db.Select(context.Background(), "SELECT count(*) AS endless FROM generate_series(1, 100000000000)")
			ended <- err
		}()
		watcher := w.connect()
		until(t, "the statement runs", func() bool {
			var n int
			err := watcher.QueryRow(context.Background(), "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%endless%' AND pid <> pg_backend_pid()").Scan(&n)
			return err == nil && n > 0
		})
		if err := own.Down(mode); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "the next run connects anew") {
			t.Errorf("%s: the broken statement says %v", mode, err)
		}
		if _, err := db.Select(t.Context(), "SELECT 1"); err == nil || !strings.Contains(err.Error(), "see that the server runs") {
			t.Errorf("%s: while it is down: %v", mode, err)
		}
		if err := own.Up(); err != nil {
			t.Fatal(err)
		}
		if one(t, db, "SELECT x FROM t") != int64(7) {
			t.Errorf("%s: it is not found again", mode)
		}
	}
	// An idle connection that a restart broke is not handed out.
	if err := own.Restart("immediate"); err != nil {
		t.Fatal(err)
	}
	if one(t, db, "SELECT 2") != int64(2) {
		t.Error("the restart is felt")
	}
}

// TestLock: a table that another session has locked gives an error after the
// lock's own limit, not after the statement's.
func TestLock(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, "CREATE TABLE t (x int)")
	blocker := w.connect()
	tx, err := blocker.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background()) //nolint:errcheck // the end of the test
	if _, err := tx.Exec(t.Context(), "LOCK TABLE t IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	db := w.open(postgres.Options{LockTimeout: 100 * time.Millisecond, Timeout: time.Minute})
	if _, err := db.Select(t.Context(), "SELECT count(*) FROM t"); err == nil || !strings.Contains(err.Error(), "another session has locked the table for longer than 100ms") {
		t.Errorf("error %v", err)
	}
	// The catalogue is no table of the operator: it is read beside the lock.
	if got := columnsText(t, db, "t"); got != "x integer" {
		t.Errorf("columns %s", got)
	}
	result := checks.Run(t.Context(), checks.Spec{Name: "c", Kind: checks.KindRowCount, Asset: "x://y", Domain: "d", Table: "t", Schedule: "@every 1h"}, db, nil, noon)
	if result.Status != checks.Error || !strings.Contains(result.Problem, "pg_locks") {
		t.Errorf("the check says %s: %s", result.Status, result.Problem)
	}
}

// TestErrorsSayWhatToDo covers rights, names and syntax.
func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, "CREATE TABLE secret (x int)", "CREATE TABLE t (x int, s text)", "INSERT INTO t VALUES (1, 'a')", "GRANT SELECT ON t TO PUBLIC")
	reader := w.open(postgres.Options{DSN: w.as("trouble_reader", "")})
	limited := w.as("trouble_limited", "CONNECTION LIMIT 0")
	for name, c := range map[string]struct {
		db   *postgres.DB
		text string
		want string
	}{
		"no right":         {reader, "SELECT * FROM secret", "GRANT SELECT ON"},
		"no table":         {reader, "SELECT * FROM nowhere", "does not exist; correct it"},
		"no column":        {reader, "SELECT y FROM t", "SQLSTATE 42703"},
		"no function":      {reader, "SELECT nope(x) FROM t", "no such function"},
		"syntax":           {reader, "SELECT FROM WHERE", "not SQL that PostgreSQL reads"},
		"not a number":     {reader, "SELECT s::int FROM t", "does not fit its column's type"},
		"no connection":    {w.open(postgres.Options{DSN: limited}), "SELECT 1", "CONNECTION LIMIT"},
		"no role":          {w.open(postgres.Options{DSN: strings.Replace(limited, "trouble_limited", "nobody_at_all", 1)}), "SELECT 1", "pg_hba.conf"},
		"no database":      {w.open(postgres.Options{DSN: strings.Replace(w.dsn, "?", "x?", 1)}), "SELECT 1", "no such database"},
		"division by zero": {reader, "SELECT x / 0 FROM t", "division by zero"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := c.db.Select(t.Context(), c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v does not say %q", err, c.want)
			}
		})
	}
}

// TestPasswordIsNeverPrinted: neither by a DSN that cannot be read nor by a
// server that does not answer.
func TestPasswordIsNeverPrinted(t *testing.T) {
	t.Parallel()
	const password = "canary-pw-77"
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ dsn, want string }{
		"refused":         {"postgres://dw:" + password + "@" + address + "/shop?sslmode=disable", "see that the server runs"},
		"bad port":        {"postgres://dw:" + password + "@localhost:port/shop", "cannot be read"},
		"bad escape":      {"postgres://dw:" + password + "%zz@localhost/shop", "cannot be read"},
		"bad mode":        {"postgres://dw:" + password + "@localhost/shop?sslmode=perhaps", "sslmode"},
		"another system":  {"mysql://dw:" + password + "@localhost/shop", "must begin with postgres://"},
		"key and value":   {"host=localhost password=" + password + " port=many", "cannot be read"},
		"no certificate":  {"postgres://dw:" + password + "@localhost/shop?sslmode=verify-full&sslrootcert=/gone.pem", "cannot be read"},
		"unfinished pair": {"host=localhost password='" + password, "cannot be read"},
		"empty":           {" ", "is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := postgres.Open(postgres.Options{DSN: c.dsn})
			if err == nil {
				_, err = db.Select(t.Context(), "SELECT 1")
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v does not say %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), password) {
				t.Errorf("the password stands in %v", err)
			}
			for inner := err; inner != nil; inner = errors.Unwrap(inner) {
				if strings.Contains(inner.Error(), password) {
					t.Errorf("the password stands in %v", inner)
				}
			}
		})
	}
}
