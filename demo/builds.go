package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// builds does the work of the orchestrator's jobs: it runs the model's SQL file
// as it stands, then the model's tests.
type builds struct {
	warehouse *warehouse
	model     string // file of the model
	mapping   string // file of the nightly load
	revenue   string // file of the model that the nightly load builds
}

// errUnknownJob says that the orchestrator has no such job.
var errUnknownJob = errors.New("no such job")

// run meets the stand-in's Runner.
func (b *builds) run(ctx context.Context, job string) error {
	switch job {
	case b.warehouse.names[jobBuild]:
		return b.buildOrders(ctx)
	case b.warehouse.names[jobPayout]:
		return b.payOut(ctx)
	case b.warehouse.names[jobRevenue]:
		return b.loadRevenue(ctx, b.warehouse.day.at(24, 0))
	}
	return fmt.Errorf("run job %s: %w", job, errUnknownJob)
}

// buildOrders rebuilds today's rows of the model in one transaction with its
// tests: a build whose tests fail changes nothing.
func (b *builds) buildOrders(ctx context.Context) error {
	content, err := os.ReadFile(b.model)
	if err != nil {
		return fmt.Errorf("read the model: %w", err)
	}
	query, err := renderModel(string(content))
	if err != nil {
		return fmt.Errorf("compile %s: %w", b.model, err)
	}
	w := b.warehouse
	tx, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("build %s: %w", w.names[tableOrders], err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to take back
	columns := "order_id, channel, device, amount_cents, organizer_id, ordered_at"
	since := sqlText(w.day.at(0, 0).UTC().Format(timeText))
	for _, step := range []string{
		"DELETE FROM " + w.table(tableOrders) + " WHERE ordered_at >= " + since,
		"INSERT INTO " + w.table(tableOrders) + " (" + columns + ") SELECT " + columns + " FROM (\n" + query + "\n) WHERE ordered_at >= " + since,
	} {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return fmt.Errorf("build %s: %w", w.names[tableOrders], err)
		}
	}
	today := " FROM " + w.table(tableOrders) + " WHERE ordered_at >= " + since
	for test, question := range map[string]string{
		"unique order_id":   "SELECT count(order_id) - count(DISTINCT order_id)" + today,
		"not_null order_id": "SELECT count(*)" + today + " AND (order_id IS NULL OR channel IS NULL OR amount_cents IS NULL)",
	} {
		var failing int
		if err := tx.QueryRowContext(ctx, question).Scan(&failing); err != nil {
			return fmt.Errorf("test %s: %w", test, err)
		}
		if failing > 0 {
			return fmt.Errorf("test %s of %s: %d rows fail", test, w.names[tableOrders], failing)
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("build %s: %w", w.names[tableOrders], err)
	}
	return nil
}

// payOut sums what each organizer is owed for yesterday. Nobody is paid by a
// demo; a query that fails makes the run fail.
func (b *builds) payOut(ctx context.Context) error {
	w := b.warehouse
	_, err := w.count(ctx, "SELECT count(*) FROM (SELECT organizer_id, sum(amount_cents) FROM "+w.table(tableOrders)+
		" WHERE ordered_at >= "+sqlText(w.day.at(0, 0).UTC().Format(timeText))+" GROUP BY organizer_id)")
	return err
}

var (
	configCall = regexp.MustCompile(`\{\{-?\s*config\s*\([^)]*\)\s*-?\}\}`)
	sourceCall = regexp.MustCompile(`\{\{\s*source\(\s*'[^']*'\s*,\s*'([^']*)'\s*\)\s*\}\}`)
	refCall    = regexp.MustCompile(`\{\{\s*ref\(\s*'([^']*)'\s*\)\s*\}\}`)
)

// renderModel replaces what the templates of a model mean: a source or another
// model becomes its table.
func renderModel(text string) (string, error) {
	text = configCall.ReplaceAllString(text, "")
	for _, call := range []*regexp.Regexp{sourceCall, refCall} {
		text = call.ReplaceAllStringFunc(text, func(match string) string { return sqlName(call.FindStringSubmatch(match)[1]) })
	}
	if at := strings.Index(text, "{{"); at >= 0 {
		return "", fmt.Errorf("this stand-in does not know the template %.40q", text[at:])
	}
	return text, nil
}
