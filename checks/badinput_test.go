package checks_test

import (
	"context"
	"strings"
	"testing"

	"dw/checks"
	"dw/connectors/sqlite"
)

// TestDetectorOnBadInput: what cannot be judged is never a pass, and says why.
func TestDetectorOnBadInput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit   string
		status checks.Status
		says   string
	}{
		"a time column that is text":        {"UPDATE orders SET created_at = 'soon'", checks.Error, `"soon" is neither`},
		"times of two formats":              {"UPDATE orders SET created_at = replace(created_at, ' ', 'T') WHERE id % 2 = 0", checks.Error, "read the first time"},
		"times that are NULL":               {"UPDATE orders SET created_at = NULL", checks.Learning, "has no rows yet"},
		"all rows lie in the future":        {"UPDATE orders SET created_at = datetime(created_at, '+9 years')", checks.Error, "lie in the future, the newest at 2035"},
		"an empty table":                    {"DELETE FROM orders", checks.Learning, "has no rows yet"},
		"a table that vanished":             {"DROP TABLE orders", checks.Error, "does not exist"},
		"a time column that vanished":       {"ALTER TABLE orders RENAME COLUMN created_at TO made_at", checks.Error, "has no column created_at"},
		"a row of the future beside others": {"INSERT INTO orders (created_at) VALUES ('2099-01-01 00:00:00')", checks.Pass, "4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := steady(t, nil)
			w.exec(c.edit)
			r := newShelf().run(t, detectorSpec(), w.open(sqlite.Options{}), now)
			if r.Status != c.status || !strings.Contains(r.Message+r.Problem, c.says) {
				t.Errorf("%s: %s %s", r.Status, r.Message, r.Problem)
			}
		})
	}
}

// halved answers each question with half of its columns.
type halved struct{ *sqlite.DB }

func (h halved) Select(ctx context.Context, text string, args ...any) (checks.Rows, error) {
	rows, err := h.DB.Select(ctx, text, args...)
	for i, row := range rows.Values {
		rows.Values[i] = row[:len(row)/2]
	}
	return rows, err
}

// TestHalfOfAScanIsMissing: a scan whose answer lacks columns passes nothing.
func TestHalfOfAScanIsMissing(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	w.fill(rfc3339, 8, same)
	var all []checks.Asked
	for _, spec := range everyKind() {
		switch spec.Kind {
		case "dead_letter", "sql": // one has no table here, the other counts rows, not columns
		default:
			all = append(all, checks.Asked{Spec: spec})
		}
	}
	for i, r := range checks.RunTogether(t.Context(), all, halved{w.open(sqlite.Options{})}, newShelf(), now, nil) {
		if r.Status != checks.Error || r.Problem == "" || r.Observed != nil {
			t.Errorf("%s gave %s: %s", all[i].Spec.Kind, r.Status, r.Message)
		}
	}
}
