package checks_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/sqlite"
)

// now is the instant of most runs: a Thursday, twenty minutes into an hour.
var now = time.Date(2026, 10, 1, 12, 20, 0, 0, time.UTC)

// warehouse is a SQLite file under construction.
type warehouse struct {
	t    *testing.T
	path string
	w    *sql.DB
}

func newWarehouse(t *testing.T, statements ...string) *warehouse {
	t.Helper()
	e := &warehouse{t: t, path: filepath.Join(t.TempDir(), "warehouse.db")}
	e.connect()
	for _, s := range statements {
		e.exec(s)
	}
	return e
}

// connect opens the file for writing.
func (e *warehouse) connect() {
	e.t.Helper()
	w, err := sql.Open("sqlite", "file:"+strings.ReplaceAll(e.path, "%", "%25")+"?_pragma=journal_mode(MEMORY)&_pragma=synchronous(OFF)")
	if err != nil {
		e.t.Fatal(err)
	}
	w.SetMaxOpenConns(1)
	e.t.Cleanup(func() { w.Close() })
	e.w = w
}

func (e *warehouse) exec(text string, args ...any) {
	e.t.Helper()
	if _, err := e.w.Exec(text, args...); err != nil {
		e.t.Fatalf("%s: %v", text, err)
	}
}

// open opens the file as dw does.
func (e *warehouse) open(opts sqlite.Options) *sqlite.DB {
	e.t.Helper()
	db, err := sqlite.Open(e.path, opts)
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { db.Close() })
	return db
}

// share is how many rows an hour one channel has, and the device it comes with.
type share struct {
	channel, device string
	rows            int
}

// channels are the ordinary shares of an hour: 400 rows.
func channels() []share {
	return []share{{"web", "browser", 160}, {"app", "phone", 120}, {"boxoffice", "pos", 120}}
}

// fill writes rows with the hours of weeks weeks before now, thirty hours each
// week and the first of them the current one. layout writes the times; change
// may alter the shares of an hour of the current week.
func (e *warehouse) fill(layout string, weeks int, change func(hour time.Time, s share) int) {
	e.t.Helper()
	if err := e.w.Close(); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(e.path, history(e.t, layout, weeks), 0o600); err != nil {
		e.t.Fatal(err)
	}
	e.connect()
	e.exec("BEGIN")
	for back := range 30 {
		hour := now.Truncate(time.Hour).Add(-time.Duration(back) * time.Hour)
		for _, s := range channels() {
			if change != nil {
				s.rows = change(hour, s)
			}
			e.hour(layout, hour, s, true)
		}
	}
	e.exec("COMMIT")
}

// histories holds the files of earlier weeks, by layout and number of weeks: they
// are the same for every test.
var histories struct {
	sync.Mutex
	files map[string][]byte
}

// history returns a file with the earlier weeks alone.
func history(t *testing.T, layout string, weeks int) []byte {
	t.Helper()
	histories.Lock()
	defer histories.Unlock()
	key := fmt.Sprint(layout, weeks)
	if data, known := histories.files[key]; known {
		return data
	}
	e := newWarehouse(t,
		"CREATE TABLE orders (id INTEGER PRIMARY KEY, channel TEXT, device TEXT, created_at)",
		"CREATE INDEX by_time ON orders (created_at)", "BEGIN")
	for week := 1; week <= weeks; week++ {
		for back := range 30 {
			hour := now.Truncate(time.Hour).AddDate(0, 0, -7*week).Add(-time.Duration(back) * time.Hour)
			for _, s := range channels() {
				// Weeks differ a little, so that there is a spread.
				s.rows += (week*7+back)%5 - 2
				e.hour(layout, hour, s, false)
			}
		}
	}
	e.exec("COMMIT")
	if err := e.w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(e.path)
	if err != nil {
		t.Fatal(err)
	}
	if histories.files == nil {
		histories.files = map[string][]byte{}
	}
	histories.files[key] = data
	return data
}

// hour writes the rows of one share evenly over an hour; of the current week only
// those up to now.
func (e *warehouse) hour(layout string, hour time.Time, s share, current bool) {
	e.t.Helper()
	if s.rows <= 0 {
		return
	}
	var value string
	switch layout {
	case "unix":
		value = fmt.Sprintf("%d + i * 3600 / %d", hour.Unix(), s.rows)
	default:
		value = fmt.Sprintf("strftime('%s', %d + i * 3600 / %d, 'unixepoch')", layout, hour.Unix(), s.rows)
	}
	limit := 3600
	if current && now.Before(hour.Add(time.Hour)) {
		limit = int(now.Sub(hour).Seconds())
	}
	e.exec(fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %d)
		INSERT INTO orders (channel, device, created_at) SELECT ?, ?, %s FROM n WHERE i * 3600 / %d < %d`,
		s.rows, value, s.rows, limit), s.channel, s.device)
}

const (
	rfc3339  = "%Y-%m-%dT%H:%M:%SZ"
	datetime = "%Y-%m-%d %H:%M:%S"
)

// same leaves the shares of the current week as they are.
func same(_ time.Time, s share) int { return s.rows }

// between reports whether an hour of the day of now lies in [from, to).
func between(hour time.Time, from, to int) bool {
	return hour.YearDay() == now.YearDay() && hour.Hour() >= from && hour.Hour() < to
}

func volumeSpec() checks.Spec {
	return checks.Spec{
		Name: "orders volume", Kind: "volume", Judge: checks.JudgeWeeks, Asset: "sqlite://orders", Domain: "sales", Connection: "warehouse",
		Table: "orders", TimeColumn: "created_at", Delay: 5 * time.Minute, Dimensions: []string{"channel", "device"},
	}
}

// memory is what earlier runs left.
type memory map[string]checks.Result

func (m memory) Last(_ context.Context, check string) (checks.Result, bool, error) {
	r, known := m[check]
	return r, known, nil
}

// forgetful is a memory that cannot be read.
type forgetful struct{}

func (forgetful) Last(context.Context, string) (checks.Result, bool, error) {
	return checks.Result{}, false, fmt.Errorf("the disk is gone")
}
