package store_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"testing"

	"dw/store"
	"dw/store/storetest"
	"dw/workflows"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	crashIfAsked()
	goleak.VerifyTestMain(m)
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

func newPath(t *testing.T) string { return filepath.Join(t.TempDir(), "dw.db") }

// queued reads the queue's own table, whatever the state of the jobs.
func queued(ctx context.Context, db *sql.DB) ([]workflows.Effect, error) {
	rows, err := db.QueryContext(ctx, "SELECT json(args) FROM river_job WHERE kind = ? ORDER BY id", workflows.EffectJobKind)
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
	list, err := queued(t.Context(), db.Writer())
	if err != nil {
		t.Fatalf("read the queue: %v", err)
	}
	return list
}

func TestConformance(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Subject {
		db := open(t, newPath(t))
		return storetest.Subject{
			Store:       db,
			Queued:      func(t *testing.T) []workflows.Effect { return mustQueued(t, db) },
			KeepResults: keepResults,
		}
	})
}
