package checks_test

import (
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/sqlite"
)

func deadLetterSpec() checks.Spec {
	return checks.Spec{Name: "dlq", Kind: "dead_letter", Table: "orders_dlq", TimeColumn: "at"}
}

// TestDeadLetterOverTime runs one check again and again while rows arrive.
func TestDeadLetterOverTime(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, small...)
	db := w.open(sqlite.Options{})
	mem := memory{}
	step := func(name string, status checks.Status, count float64, says string) checks.Result {
		t.Helper()
		r := checks.Run(t.Context(), deadLetterSpec(), db, mem, now)
		if r.Status != status || r.Observed == nil || r.Observed.Value != count || !strings.Contains(r.Message, says) {
			t.Fatalf("%s: %s, observed %+v: %s %s", name, r.Status, r.Observed, r.Message, r.Problem)
		}
		mem["dlq"] = r
		return r
	}
	step("no table", checks.Pass, 0, "counts as no rows")
	w.exec("CREATE TABLE orders_dlq (at TEXT, reason TEXT)")
	step("empty table", checks.Pass, 0, "0 new")
	w.exec("INSERT INTO orders_dlq VALUES ('2026-10-01T11:02:00Z', 'x'), ('2026-10-01T11:40:00.25Z', 'x')")
	r := step("two rows", checks.Fail, 2, "first at 2026-10-01 11:02:00 UTC, last at 2026-10-01 11:40:00 UTC")
	if r.FirstRow.Format(time.TimeOnly) != "11:02:00" || r.LastRow.Format("15:04:05.00") != "11:40:00.25" || !r.Since.Equal(r.FirstRow) {
		t.Errorf("first %v, last %v, since %v", r.FirstRow, r.LastRow, r.Since)
	}
	step("nothing new", checks.Pass, 0, "0 new")
	w.exec("INSERT INTO orders_dlq VALUES ('2026-10-01T11:40:00.250Z', 'the same instant'), ('2026-10-01T12:01:00Z', 'new')")
	r = step("a new one and one of the same instant", checks.Fail, 2, "2 new")
	if r.FirstRow.Format(time.TimeOnly) != "12:01:00" {
		t.Errorf("first %v", r.FirstRow)
	}
	w.exec("INSERT INTO orders_dlq VALUES ('2026-10-01T10:00:00Z', 'an old time that came late')")
	step("an old time", checks.Fail, 1, "1 new")
	w.exec("DELETE FROM orders_dlq")
	step("emptied", checks.Pass, 0, "0 new")
	w.exec("INSERT INTO orders_dlq VALUES ('2026-10-01T12:15:00Z', 'x')")
	step("after it was emptied", checks.Fail, 1, "1 new")
	w.exec("DROP TABLE orders_dlq")
	step("gone", checks.Pass, 0, "counts as no rows")
}

func TestDeadLetterLimits(t *testing.T) {
	t.Parallel()
	tables := append([]string{
		"CREATE TABLE orders_dlq (at TEXT)", "INSERT INTO orders_dlq VALUES ('2026-10-01T11:02:00Z')",
	}, small...)
	for name, c := range map[string]struct {
		change func(*checks.Spec)
		mem    checks.Memory
		status checks.Status
		says   string
	}{
		"first check counts all":     {status: checks.Fail, says: "no earlier check: all rows are new"},
		"max":                        {change: func(s *checks.Spec) { s.Max = 1 }, status: checks.Pass},
		"severity warn":              {change: func(s *checks.Spec) { s.Severity = "warn" }, status: checks.Warn},
		"without a time column":      {change: func(s *checks.Spec) { s.TimeColumn = "" }, status: checks.Fail, says: "1 new"},
		"where":                      {change: func(s *checks.Spec) { s.Where = "at < '2026'" }, status: checks.Pass},
		"share passes":               {change: shared(20), status: checks.Pass, says: "16.667% of the rows"},
		"share fails":                {change: shared(10), status: checks.Fail, says: "allowed are 10%"},
		"share since the last check": {change: shared(20), mem: memory{"dlq": {Watermark: time.Date(2026, 10, 1, 10, 0, 0, 0, time.UTC)}}, status: checks.Fail, says: "33.333% of the rows"},
		"share without main table":   {change: func(s *checks.Spec) { shared(10)(s); s.MainTable = "nope" }, status: checks.Error},
		"unreadable memory":          {mem: forgetful{}, status: checks.Error},
		"wrong column":               {change: func(s *checks.Spec) { s.TimeColumn = "when" }, status: checks.Error},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := deadLetterSpec()
			if c.change != nil {
				c.change(&spec)
			}
			r := checks.Run(t.Context(), spec, newWarehouse(t, tables...).open(sqlite.Options{}), c.mem, now)
			if r.Status != c.status || !strings.Contains(r.Message, c.says) {
				t.Errorf("%s, want %s: %s %s", r.Status, c.status, r.Message, r.Problem)
			}
		})
	}
}

// shared counts dead letters as a share of the orders.
func shared(percent float64) func(*checks.Spec) {
	return func(s *checks.Spec) { s.Share, s.MainTable, s.MainTime = percent, "orders", "created_at" }
}
