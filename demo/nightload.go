package demo

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// The column that the source team renames, before and after.
const (
	columnBefore = "gross_cents"
	columnAfter  = "gross_amount_cents"
)

// buildNight makes the shop's table of settled sales, of two days until 23:30, and
// what the nightly loads before have made of it.
func (w *warehouse) buildNight(ctx context.Context) error {
	first, last := w.day.at(0, 0).AddDate(0, 0, -1), w.day.at(23, 30)
	minutes := int(last.Sub(first) / time.Minute)
	since := sqlText(first.UTC().Format(timeText))
	for _, step := range []string{
		"CREATE TABLE " + w.table(tableSettled) + " (sale_id INTEGER NOT NULL, organizer_id INTEGER NOT NULL, " + columnBefore + " INTEGER, settled_at TEXT)",
		fmt.Sprintf("INSERT INTO %s SELECT 9000000 + n, %d + n %% %d, 1500 + (n * 7919) %% 9000, datetime(%s, '+' || n || ' minutes') FROM dw_numbers WHERE n <= %d",
			w.table(tableSettled), firstOrganizer, boxOfficeOrganizers, since, minutes),
	} {
		if _, err := w.db.ExecContext(ctx, step); err != nil {
			return fmt.Errorf("build the shop's table: %w", err)
		}
	}
	return nil
}

// migrate is the source team's migration.
func (w *warehouse) migrate(ctx context.Context) error {
	if _, err := w.db.ExecContext(ctx, "ALTER TABLE "+w.table(tableSettled)+" RENAME COLUMN "+columnBefore+" TO "+columnAfter); err != nil {
		return fmt.Errorf("migrate the shop's table: %w", err)
	}
	return nil
}

// mapping is the file of the nightly load.
type mapping struct {
	Source  string   `yaml:"source"`
	Target  string   `yaml:"target"`
	Columns []string `yaml:"columns"`
}

func readMapping(path string) (mapping, error) {
	var m mapping
	content, err := os.ReadFile(path)
	if err != nil {
		return m, fmt.Errorf("read the mapping: %w", err)
	}
	if err := yaml.Unmarshal(content, &m); err != nil {
		return m, fmt.Errorf("the mapping %s cannot be read: %w", path, err)
	}
	for _, column := range m.Columns {
		if !identifierPattern.MatchString(column) {
			return m, fmt.Errorf("the mapping %s names column %q", path, column)
		}
	}
	return m, nil
}

// loadRevenue copies the mapped columns of what was settled before a time, and
// builds the model from them, in one transaction: a run that fails changes nothing.
func (b *builds) loadRevenue(ctx context.Context, before time.Time) error {
	m, err := readMapping(b.mapping)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(b.revenue)
	if err != nil {
		return fmt.Errorf("read the model: %w", err)
	}
	query, err := renderModel(string(content))
	if err != nil {
		return fmt.Errorf("compile %s: %w", b.revenue, err)
	}
	w := b.warehouse
	tx, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("load %s: %w", m.Target, err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to take back
	// Names without quotes: SQLite would read a quoted one that is gone as text.
	for _, step := range []string{
		"DROP TABLE IF EXISTS " + sqlName(m.Target),
		"CREATE TABLE " + sqlName(m.Target) + " AS SELECT " + strings.Join(m.Columns, ", ") + " FROM " + sqlName(m.Source) +
			" WHERE settled_at <= " + sqlText(before.UTC().Format(timeText)),
		"DROP TABLE IF EXISTS " + w.table(tableRevenue),
		"CREATE TABLE " + w.table(tableRevenue) + " AS " + query,
	} {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return fmt.Errorf("load %s: %w", m.Target, err)
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("load %s: %w", m.Target, err)
	}
	return nil
}
