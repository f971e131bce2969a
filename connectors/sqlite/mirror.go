package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"dw/checks"
)

// Point is one value of a series.
type Point struct {
	Series string    // names its table
	At     time.Time // in UTC
	Value  float64
	Rev    int64 // grows with each point that arrives
}

// Points lists the points that arrived after a revision, in the order of their
// revisions, at most limit.
type Points func(ctx context.Context, rev int64, limit int) ([]Point, error)

// manyPoints is how many points are copied at once.
const manyPoints = 10_000

// Mirror makes series that are kept elsewhere readable as tables, one for each
// series, with the columns at (text, UTC) and value. It is a file of its own, which
// is brought up to date before each question. It meets checks.Querier and may be
// used by several goroutines.
type Mirror struct {
	*DB

	dir    string
	writer *sql.DB
	points Points

	mu  sync.RWMutex // written while points are copied
	rev int64
}

// NewMirror makes an empty mirror in the folder for temporary files.
func NewMirror(points Points, opts Options) (*Mirror, error) {
	dir, err := os.MkdirTemp("", "dw-series-")
	if err != nil {
		return nil, fmt.Errorf("make a file for series: %w", err)
	}
	m := &Mirror{dir: dir, points: points}
	if err := m.open(filepath.Join(dir, "series.db"), opts); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func (m *Mirror) open(path string, opts Options) (err error) {
	if m.writer, err = sql.Open("sqlite", "file:"+path+"?_pragma=synchronous(0)&_pragma=busy_timeout(5000)"); err != nil {
		return fmt.Errorf("make a file for series: %w", err)
	}
	m.writer.SetMaxOpenConns(1)
	// A file without anything in it is no database yet.
	if _, err := m.writer.ExecContext(context.Background(), "PRAGMA user_version = 1"); err != nil {
		return fmt.Errorf("make a file for series: %w", err)
	}
	m.DB, err = Open(path, opts)
	return err
}

// Close closes the file and removes it.
func (m *Mirror) Close() error {
	var errs []error
	if m.DB != nil {
		errs = append(errs, m.DB.Close())
	}
	if m.writer != nil {
		errs = append(errs, m.writer.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(m.dir))...)
}

// Select copies what is new, then answers as DB does.
func (m *Mirror) Select(ctx context.Context, text string, args ...any) (checks.Rows, error) {
	if err := m.sync(ctx); err != nil {
		return checks.Rows{}, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.DB.Select(ctx, text, args...)
}

// Columns copies what is new, then answers as DB does. A series of which nothing
// ever came is a *checks.MissingTableError with the names that are near.
func (m *Mirror) Columns(ctx context.Context, table string) ([]checks.Column, error) {
	if err := m.sync(ctx); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.DB.Columns(ctx, table)
}

// sync copies the points that arrived since the last time.
func (m *Mirror) sync(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for {
		points, err := m.points(ctx, m.rev, manyPoints)
		if err != nil {
			return fmt.Errorf("read the series: %w", err)
		}
		if len(points) == 0 {
			return nil
		}
		if err := m.copy(ctx, points); err != nil {
			return fmt.Errorf("copy the series: %w", err)
		}
		m.rev = points[len(points)-1].Rev
		if len(points) < manyPoints {
			return nil
		}
	}
}

// copy writes points, each to the table of its series.
func (m *Mirror) copy(ctx context.Context, points []Point) error {
	tx, err := m.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to take back
	made := map[string]bool{}
	for _, p := range points {
		name := `"` + strings.ReplaceAll(p.Series, `"`, `""`) + `"`
		if !made[name] {
			if _, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS "+name+" (at TEXT PRIMARY KEY, value REAL NOT NULL) STRICT, WITHOUT ROWID"); err != nil {
				return err
			}
			made[name] = true
		}
		if _, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO "+name+" VALUES (?, ?)", //nolint:gosec // the name is quoted
			p.At.UTC().Format("2006-01-02T15:04:05.000000Z"), p.Value); err != nil {
			return err
		}
	}
	return tx.Commit()
}
