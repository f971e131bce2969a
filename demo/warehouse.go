package demo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the warehouse's driver
)

// timeText is how the warehouse writes times, in UTC.
const timeText = "2006-01-02 15:04:05"

// warehouse is the story's warehouse with a connection that writes. Writers take
// turns on it; dw reads the file through a connection of its own.
type warehouse struct {
	db    *sql.DB
	names Names
	day   storyDay
}

func openWarehouse(path string, names Names, day storyDay) (*warehouse, error) {
	options := url.Values{"_pragma": {"busy_timeout(10000)", "synchronous(0)", "cache_size(-65536)", "temp_store(2)"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: path}).String()+"?"+options.Encode())
	if err != nil {
		return nil, fmt.Errorf("open the warehouse: %w", err)
	}
	db.SetMaxOpenConns(1)
	db.SetConnMaxIdleTime(0) // the numbers live as long as the connection
	return &warehouse{db: db, names: names, day: day}, nil
}

// Close closes the connection.
func (w *warehouse) Close() error { return w.db.Close() }

func (w *warehouse) table(name string) string { return sqlName(w.names[name]) }

// build makes the tables and eight weeks of hourly history.
func (w *warehouse) build(ctx context.Context) error {
	for _, step := range []string{
		"PRAGMA journal_mode=OFF",
		"CREATE TABLE " + w.table(tableOrders) + " (order_id INTEGER, channel TEXT, device TEXT, amount_cents INTEGER, organizer_id INTEGER, ordered_at TEXT)",
		"CREATE TABLE " + w.table(tableEvents) + " (order_id INTEGER, channel TEXT, device TEXT, amount_cents INTEGER, organizer_id INTEGER, event_time TEXT)",
		"CREATE TABLE " + w.table(tableDead) + ` (partition INTEGER, "offset" INTEGER, event_time TEXT, value BLOB)`,
		"CREATE TEMP TABLE dw_hours (first_id INTEGER, hour TEXT, channel TEXT, device TEXT, rows INTEGER)",
	} {
		if _, err := w.db.ExecContext(ctx, step); err != nil {
			return fmt.Errorf("build the warehouse: %w", err)
		}
	}
	if err := w.numbers(ctx); err != nil {
		return err
	}
	if err := w.planHistory(ctx); err != nil {
		return fmt.Errorf("plan the history: %w", err)
	}
	for _, step := range []string{
		w.historyStatement(),
		"CREATE INDEX dw_demo_ordered ON " + w.table(tableOrders) + " (ordered_at)",
		"CREATE INDEX dw_demo_event ON " + w.table(tableEvents) + " (event_time)",
		"CREATE INDEX dw_demo_order ON " + w.table(tableEvents) + " (order_id)",
		"CREATE INDEX dw_demo_dead ON " + w.table(tableDead) + " (event_time)",
		"DROP TABLE dw_hours",
		"PRAGMA journal_mode=WAL",
	} {
		if _, err := w.db.ExecContext(ctx, step); err != nil {
			return fmt.Errorf("fill the warehouse: %w", err)
		}
	}
	return nil
}

// numbers makes a table of 0 to 20000 for statements that make many rows. It is
// gone with the connection.
func (w *warehouse) numbers(ctx context.Context) error {
	for _, step := range []string{
		"CREATE TEMP TABLE IF NOT EXISTS dw_numbers (n INTEGER PRIMARY KEY)",
		"WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r WHERE n < 20000) INSERT OR IGNORE INTO dw_numbers SELECT n FROM r",
	} {
		if _, err := w.db.ExecContext(ctx, step); err != nil {
			return fmt.Errorf("prepare the warehouse: %w", err)
		}
	}
	return nil
}

// planHistory writes how many rows each hour, channel and device has.
func (w *warehouse) planHistory(ctx context.Context) error {
	tx, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to take back
	insert, err := tx.PrepareContext(ctx, "INSERT INTO dw_hours VALUES (?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(20261124, 8)) //nolint:gosec // the same history in each run
	next := 1
	midnight := w.day.at(0, 0)
	for hour := midnight.AddDate(0, 0, -7*weeksOfHistory-1).UTC(); hour.Before(midnight); hour = hour.Add(time.Hour) {
		for _, s := range segments() {
			rows := noisy(hourRows(hour.In(w.day.zone), s), random)
			for i, device := range s.devices {
				part := pace(rows, len(s.devices), i+1) - pace(rows, len(s.devices), i)
				if _, err := insert.ExecContext(ctx, next, hour.Format("2006-01-02 15"), w.names[s.channel], w.names[device], part); err != nil {
					return err
				}
				next += part
			}
		}
	}
	return errors.Join(insert.Close(), tx.Commit()) //nolint:sqlclosecheck // closed before the commit, on errors by the rollback
}

// historyStatement turns the plan into rows, spread evenly over each hour.
func (w *warehouse) historyStatement() string {
	second := func(expr string) string {
		return "substr('" + twoDigits() + "', 2 * (" + expr + ") + 1, 2)"
	}
	at := "(n * 3600 / h.rows)"
	return "INSERT INTO " + w.table(tableOrders) +
		" SELECT first_id + n, channel, device, 1500 + (n * 7919) % 9000, 1000 + (n * 31) % 900, hour || ':' || " +
		second(at+" / 60") + " || ':' || " + second(at+" % 60") +
		" FROM dw_hours h CROSS JOIN dw_numbers ON n < h.rows"
}

// twoDigits is "000102…59".
func twoDigits() string {
	var text strings.Builder
	for n := range 60 {
		fmt.Fprintf(&text, "%02d", n)
	}
	return text.String()
}

// count answers one number.
func (w *warehouse) count(ctx context.Context, query string, args ...any) (int, error) {
	var n int
	if err := w.db.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count in the warehouse: %w", err)
	}
	return n, nil
}
