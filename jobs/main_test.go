package jobs_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"dw/internal/testpg"
	"dw/store"
	"dw/workflows"

	"go.uber.org/goleak"
)

// postgres is the server that this package's tests share.
var postgres testpg.Shared

func TestMain(m *testing.M) {
	crashIfAsked()
	code := postgres.Main(m)
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, "goroutines were left:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// databases makes new databases of each kind and returns their DSNs.
func databases() map[string]func(testing.TB) string {
	return map[string]func(testing.TB) string{"SQLite": newPath, "PostgreSQL": postgres.Database}
}

func open(t *testing.T, path string, change ...func(*store.Options)) *store.DB {
	t.Helper()
	o := store.Options{Instance: "jobs-test"}
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

func update(t *testing.T, s workflows.Store, do func(ctx context.Context, tx workflows.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), func(tx workflows.Tx) error { return do(t.Context(), tx) }); err != nil {
		t.Fatalf("update: %v", err)
	}
}

func enqueue(t *testing.T, s workflows.Store, effects ...workflows.Effect) {
	t.Helper()
	update(t, s, func(ctx context.Context, tx workflows.Tx) error {
		for _, e := range effects {
			if err := tx.Enqueue(ctx, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// logBuffer collects log lines of several goroutines.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logBuffer) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
