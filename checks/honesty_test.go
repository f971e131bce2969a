package checks_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/sqlite"
)

// broken reads a real file, and its question number at goes wrong in one way.
type broken struct {
	*sqlite.DB
	rowsOnly bool // look-ups of the catalogue are left alone
	at       int
	asked    int
	ruin     func(checks.Rows) (checks.Rows, error)
}

func (b *broken) Select(ctx context.Context, text string, args ...any) (checks.Rows, error) {
	rows, err := b.DB.Select(ctx, text, args...)
	b.asked++
	if b.asked == b.at {
		return b.ruin(rows)
	}
	return rows, err
}

func (b *broken) Columns(ctx context.Context, table string) ([]checks.Column, error) {
	if b.rowsOnly {
		return b.DB.Columns(ctx, table)
	}
	b.asked++
	if b.asked == b.at {
		if _, err := b.ruin(checks.Rows{}); err != nil {
			return nil, err
		}
	}
	return b.DB.Columns(ctx, table)
}

// TestNeverPassesWhatWasNotAnswered breaks every question of every kind in every
// way, one at a time. Nothing but error and skipped may come of it.
func TestNeverPassesWhatWasNotAnswered(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	w.fill(rfc3339, 8, same)
	w.exec("CREATE TABLE dlq (created_at TEXT)")
	w.exec("INSERT INTO dlq VALUES ('2026-10-01T11:00:00Z')")
	db := w.open(sqlite.Options{})
	for name, ruin := range map[string]func(checks.Rows) (checks.Rows, error){
		"error":     func(checks.Rows) (checks.Rows, error) { return checks.Rows{}, errors.New("connection lost") },
		"cancelled": func(checks.Rows) (checks.Rows, error) { return checks.Rows{}, context.Canceled },
		"refused": func(checks.Rows) (checks.Rows, error) {
			return checks.Rows{}, &checks.RefusedError{Guard: "time limit", Why: "slow"}
		},
		"cut":   func(r checks.Rows) (checks.Rows, error) { r.Truncated = true; return r, nil },
		"panic": func(checks.Rows) (checks.Rows, error) { panic("a driver's defect") },
	} {
		for _, spec := range everyKind() {
			for at := 1; ; at++ {
				// A look-up of the catalogue has no answer that could be cut.
				q := &broken{DB: db, rowsOnly: name == "cut", at: at, ruin: ruin}
				r := checks.Run(t.Context(), spec, q, nil, now)
				if q.asked < at {
					break
				}
				if r.Status != checks.Error && r.Status != checks.Skipped {
					t.Errorf("%s of question %d of %s gave %s: %s", name, at, spec.Kind, r.Status, r.Message)
				}
				if r.Problem == "" || r.Message == "" || r.Observed != nil {
					t.Errorf("%s of question %d of %s: %+v", name, at, spec.Kind, r)
				}
			}
		}
	}
}

// everyKind is a passing check of each kind on the orders.
func everyKind() []checks.Spec {
	volume := volumeSpec()
	dlq := deadLetterSpec()
	dlq.Table, dlq.TimeColumn, dlq.MainTable, dlq.Share = "dlq", "created_at", "orders", 50
	return []checks.Spec{
		volume, dlq,
		{Name: "c", Kind: "row_count", Table: "orders"},
		{Name: "c", Kind: "freshness", Table: "orders", TimeColumn: "created_at", MaxAge: time.Hour, Where: "channel = 'web'"},
		{Name: "c", Kind: "missing", Table: "orders", Columns: []string{"channel"}},
		{Name: "c", Kind: "unique", Table: "orders", Columns: []string{"id"}},
		{Name: "c", Kind: "sql", Query: "SELECT * FROM orders WHERE channel IS NULL"},
		{Name: "c", Kind: "accepted_values", Table: "orders", Columns: []string{"channel"}, Values: []string{"web", "app", "boxoffice"}},
		{Name: "c", Kind: "range", Table: "orders", Columns: []string{"id"}, Low: new(1.0), PartitionColumn: "created_at", PartitionLast: time.Hour},
		{Name: "c", Kind: "relationships", Table: "orders", Columns: []string{"id"}, To: "orders"},
		{Name: "c", Kind: "metric", Table: "orders", Expression: "count(*)", Threshold: checks.Threshold{Op: ">"}},
		{Name: "c", Kind: "metric", Table: "orders", TimeColumn: "created_at", Expression: "count(*)"},
		{Name: "c", Kind: "dimension", Table: "orders", TimeColumn: "created_at", Dimensions: []string{"channel"}},
		{Name: "c", Kind: "reconcile", Table: "orders", To: "orders"},
		{Name: "c", Kind: "reconcile", Table: "orders", TimeColumn: "created_at", To: "orders"},
	}
}

func TestEveryKindPassesWhenAllIsWell(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	w.fill(rfc3339, 8, same)
	w.exec("CREATE TABLE dlq (created_at TEXT)")
	db := w.open(sqlite.Options{})
	for _, spec := range everyKind() {
		if r := checks.Run(t.Context(), spec, db, nil, now); r.Status != checks.Pass {
			t.Errorf("%s gave %s: %s %s", spec.Kind, r.Status, r.Message, r.Problem)
		}
	}
}

func TestCancelledByTheCaller(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, small...)
	db := w.open(sqlite.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	spec := checks.Spec{Name: "c", Kind: "row_count", Table: "orders", Timeout: time.Minute}
	if r := checks.Run(ctx, spec, db, nil, now); r.Status != checks.Error {
		t.Errorf("%s: %s", r.Status, r.Message)
	}
}
