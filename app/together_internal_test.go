package app

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dw/checks"
	"dw/config"
	"dw/connectors/sqlite"
	"dw/store"
	"dw/workflows"
)

// counted is a database that counts its statements; each waits while held.
type counted struct {
	*sqlite.DB
	mu    sync.Mutex
	texts []string
	held  chan struct{}
}

func (c *counted) Select(ctx context.Context, text string, args ...any) (checks.Rows, error) {
	<-c.held
	c.mu.Lock()
	c.texts = append(c.texts, text)
	c.mu.Unlock()
	return c.DB.Select(ctx, text, args...)
}

func (c *counted) asked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.texts)
}

// tick is a runner over a real table and a real store.
type tick struct {
	*runner
	warehouse *counted
	db        *store.DB
	now       time.Time
}

func newTick(t *testing.T) *tick {
	t.Helper()
	path := filepath.Join(t.TempDir(), "warehouse.db")
	file, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"CREATE TABLE readings (id INTEGER, site TEXT)", "CREATE TABLE other (id INTEGER)",
		"INSERT INTO readings VALUES (1, 'a'), (2, NULL), (3, 'c')", "INSERT INTO other VALUES (1)",
	} {
		if _, err := file.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	opened, err := sqlite.Open(path, sqlite.Options{MaxRows: 100, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "dw.db"), store.Options{Instance: "app-test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	k := &tick{warehouse: &counted{DB: opened, held: make(chan struct{})}, db: db, now: time.Date(2026, 6, 10, 9, 0, 0, 0, time.UTC)}
	close(k.warehouse.held)
	k.runner = &runner{store: db, project: &Project{
		Config: &config.Config{}, Zone: time.UTC, Now: func() time.Time { return k.now }, databases: map[string]database{"w": k.warehouse},
		Specs: []checks.Spec{
			{Name: "rows", Kind: "row_count", Table: "readings", Connection: "w"},
			{Name: "sites", Kind: "missing", Table: "readings", Connection: "w", Columns: []string{"site"}},
			{Name: "least", Kind: "metric", Table: "readings", Connection: "w", Expression: "min(id)", Threshold: checks.Threshold{Op: ">", Low: 0}},
			{Name: "later", Kind: "metric", Table: "readings", Connection: "w", Expression: "max(id)", Threshold: checks.Threshold{Op: ">", Low: 0}},
			{Name: "elsewhere", Kind: "row_count", Table: "other", Connection: "w"},
		},
	}}
	k.setDue(t, k.now, "rows", "sites", "least", "elsewhere")
	k.setDue(t, k.now.Add(time.Hour), "later")
	return k
}

func (k *tick) setDue(t *testing.T, at time.Time, names ...string) {
	t.Helper()
	err := k.db.Update(t.Context(), func(tx workflows.Tx) error {
		for _, name := range names {
			if err := tx.SetDeadline(t.Context(), workflows.Deadline{Kind: workflows.DeadlineCheck, Subject: name, DueAt: at}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fires runs due checks at the same time and returns how each ended.
func (k *tick) fires(t *testing.T, at time.Time, names ...string) map[string]checks.Result {
	t.Helper()
	var mu sync.Mutex
	var done sync.WaitGroup
	out := map[string]checks.Result{}
	for _, name := range names {
		done.Go(func() {
			result, err := k.RunCheck(t.Context(), name, at)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			out[name] = result
		})
	}
	done.Wait()
	return out
}

// TestDueChecksShareAScan: what is due at one time over one table costs one
// statement, and says what each check says alone.
func TestDueChecksShareAScan(t *testing.T) {
	t.Parallel()
	k := newTick(t)
	results := k.fires(t, k.now, "rows", "sites", "least")
	if n := k.warehouse.asked(); n != 1 {
		t.Errorf("%d statements, want 1: %s", n, strings.Join(k.warehouse.texts, "\n"))
	}
	if text := strings.Join(k.warehouse.texts, ""); strings.Contains(text, "max(id)") || strings.Contains(text, "other") {
		t.Errorf("it asks for what is not due or of another table: %s", text)
	}
	for name, result := range results {
		spec, err := k.project.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		alone := k.project.RunCheck(t.Context(), spec, memory{store: k.db, now: k.now}, k.now)
		if result.Message != alone.Message || result.Status != alone.Status || result.SQL != alone.SQL || !result.At.Equal(k.now) {
			t.Errorf("%s: %+v, alone %+v", name, result, alone)
		}
	}
	if results["sites"].Status != checks.Fail || results["rows"].Status != checks.Pass {
		t.Errorf("%+v", results)
	}
}

// TestOldScansAreNotTaken: what was read for a check before it fell due, or more
// than a minute ago, is read again, and so is what a person asks for.
func TestOldScansAreNotTaken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		due, at time.Duration
		asked   int // statements for "sites", after the first
	}{
		"read a moment ago":       {0, 30 * time.Second, 0},
		"read two minutes ago":    {0, 2 * time.Minute, 1},
		"read before it fell due": {10 * time.Second, 20 * time.Second, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newTick(t)
			k.fires(t, k.now, "rows")
			k.setDue(t, k.now.Add(c.due), "sites")
			before := k.warehouse.asked()
			result := k.fires(t, k.now.Add(c.at), "sites")["sites"]
			if n := k.warehouse.asked() - before; n != c.asked || result.Status != checks.Fail {
				t.Errorf("%d statements, want %d: %+v", n, c.asked, result)
			}
			k.fires(t, k.now.Add(c.at), "sites")
			if n := k.warehouse.asked() - before; n != c.asked+1 {
				t.Errorf("a scan was taken twice: %d statements", n)
			}
		})
	}
}

// TestScanOfAnotherIsWaitedFor: a check whose scan is on its way asks nothing, and
// does not outstay its own end.
func TestScanOfAnotherIsWaitedFor(t *testing.T) {
	t.Parallel()
	k := newTick(t)
	k.warehouse.held = make(chan struct{})
	first := make(chan checks.Result)
	go func() {
		result, _ := k.RunCheck(context.Background(), "rows", k.now)
		first <- result
	}()
	for deadline := time.Now().Add(time.Minute); ; {
		k.together.mu.Lock()
		begun := k.together.scans["sites"] != nil
		k.together.mu.Unlock()
		if begun {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no scan began")
		}
		time.Sleep(time.Millisecond)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.RunCheck(ended, "sites", k.now); err == nil {
		t.Error("a check that has ended got an answer")
	}
	close(k.warehouse.held)
	if result := <-first; result.Status != checks.Pass {
		t.Errorf("%+v", result)
	}
}
