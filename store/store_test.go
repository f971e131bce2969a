package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"dw/store"
	"dw/store/storetest"
	"dw/workflows"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	crashIfAsked()
	code := store.Postgres.Main(m)
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, "goroutines were left:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// migrated is a database that holds dw's empty tables.
var migrated struct {
	once sync.Once
	dsn  string
	err  error
}

// newPostgres makes a new, empty store on PostgreSQL and returns its DSN.
func newPostgres(t testing.TB) string {
	t.Helper()
	server := store.Postgres.Server(t)
	migrated.once.Do(func() {
		migrated.dsn = server.Database(t)
		db, err := store.Open(context.Background(), migrated.dsn, store.Options{Instance: storetest.Instance})
		if err == nil {
			err = db.Close()
		}
		migrated.err = err
	})
	if migrated.err != nil {
		t.Fatal(migrated.err)
	}
	return server.Copy(t, migrated.dsn)
}

// databases makes new databases of each kind and returns their DSNs.
func databases() map[string]func(testing.TB) string {
	return map[string]func(testing.TB) string{
		"SQLite":     newPath,
		"PostgreSQL": newPostgres,
	}
}

// onBoth runs a test on each kind of database; newPath makes a new one.
func onBoth(t *testing.T, test func(t *testing.T, newPath func(testing.TB) string)) {
	t.Helper()
	for kind, newPath := range databases() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, newPath)
		})
	}
}

const keepResults = 20

// open opens a new store and closes it at the end of the test.
func open(t *testing.T, path string, change ...func(*store.Options)) *store.DB {
	t.Helper()
	o := store.Options{Instance: storetest.Instance, KeepResults: keepResults}
	for _, c := range change {
		c(&o)
	}
	db, err := store.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "dw.db") }

// queued reads the queue's own table, whatever the state of the jobs.
func queued(ctx context.Context, db *store.DB) ([]workflows.Effect, error) {
	query := "SELECT json(args) FROM river_job WHERE kind = '" + workflows.EffectJobKind + "' ORDER BY id"
	if db.Postgres() {
		query = strings.Replace(query, "json(args)", "args::text", 1)
	}
	rows, err := db.Writer().QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []workflows.Effect
	for rows.Next() {
		var raw []byte
		if err := rows.Scan(&raw); err != nil {
			return nil, err
		}
		var job workflows.EffectJob
		if err := json.Unmarshal(raw, &job); err != nil {
			return nil, err
		}
		list = append(list, job.Effect)
	}
	return list, rows.Err()
}

func mustQueued(t *testing.T, db *store.DB) []workflows.Effect {
	t.Helper()
	list, err := queued(t.Context(), db)
	if err != nil {
		t.Fatalf("read the queue: %v", err)
	}
	return list
}

func TestConformance(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, newPath func(testing.TB) string) {
		storetest.Run(t, func(t *testing.T) storetest.Subject { return subject(t, newPath(t)) })
	})
}

func subject(t *testing.T, at string) storetest.Subject {
	t.Helper()
	db := open(t, at)
	return storetest.Subject{
		Store:       db,
		Another:     func(t *testing.T) workflows.Store { return open(t, at) },
		Queued:      func(t *testing.T) []workflows.Effect { return mustQueued(t, db) },
		KeepResults: keepResults,
	}
}
