package checks_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/sqlite"
)

// sales makes thirty days of forty sales an hour: one in fifty has no buyer, and
// they cost 20 to 60. edit changes the last hours.
func sales(t *testing.T, edit ...string) *warehouse {
	t.Helper()
	w := newWarehouse(t, "CREATE TABLE sales (buyer TEXT, amount REAL, debt REAL, at TEXT)")
	w.exec(`WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 40 * 24 * 30)
		INSERT INTO sales SELECT CASE WHEN (n * 7919) % 50 = 0 THEN NULL ELSE 'b' || n END, 20 + (n * 31) % 41, -1, datetime(?, '-' || (n * 90) || ' seconds') FROM i`,
		now.Format(datetimeLayout))
	for _, statement := range edit {
		w.exec(statement)
	}
	return w
}

// TestAnomaly judges a percentage of NULLs, and an average, by the detector.
func TestAnomaly(t *testing.T) {
	t.Parallel()
	const eleven = " WHERE at >= '2026-10-01 11:00:00' AND at < '2026-10-01 12:00:00'"
	nulls := checks.Spec{Name: "buyers", Kind: "missing", Columns: []string{"amount", "buyer"}}
	average := checks.Spec{Name: "amount", Kind: "metric", Expression: "avg(amount)"}
	for name, c := range map[string]struct {
		spec   checks.Spec
		edit   string
		change func(*checks.Spec)
		status checks.Status
		says   string
	}{
		"as many NULLs as ever":         {spec: nulls, status: checks.Pass, says: "0 % NULL of amount in Thu 2026-10-01 11:00"},
		"half of an hour's buyers gone": {spec: nulls, edit: "UPDATE sales SET buyer = NULL" + eleven + " AND rowid % 2 = 0", status: checks.Fail, says: "% NULL of buyer in Thu 2026-10-01 11:00–12:00 UTC, usually 2"},
		"no rows are no answer":         {spec: nulls, edit: "DELETE FROM sales" + eleven, status: checks.Learning, says: "there is no row in Thu 2026-10-01 11:00"},
		"a young table": {
			spec: nulls, edit: "DELETE FROM sales WHERE at < '2026-09-20'", status: checks.Learning, says: "learning 11 of 14 days",
		},
		"by day": {
			spec: nulls, edit: "UPDATE sales SET buyer = NULL WHERE at >= '2026-09-30' AND at < '2026-10-01' AND rowid % 2 = 0",
			change: func(s *checks.Spec) { s.Bucket = checks.BucketDay }, status: checks.Fail, says: "52 % NULL of buyer in Wed 2026-09-30",
		},
		"an average as ever":          {spec: average, status: checks.Pass, says: "avg(amount) of sales is "},
		"an average of double":        {spec: average, edit: "UPDATE sales SET amount = 2 * amount" + eleven, status: checks.Fail, says: " %, since 2026-10-01 11:00:00 UTC"},
		"an average of no value":      {spec: average, edit: "UPDATE sales SET amount = NULL" + eleven, status: checks.Learning, says: "there is no row in Thu 2026-10-01 11:00"},
		"an average below zero":       {spec: average, change: func(s *checks.Spec) { s.Expression = "avg(debt)" }, status: checks.Error, says: "values from 0 up"},
		"an average by day":           {spec: average, change: func(s *checks.Spec) { s.Bucket = checks.BucketDay }, status: checks.Error, says: "by whole hours alone"},
		"an average that is text":     {spec: average, change: func(s *checks.Spec) { s.Expression = "max(buyer)" }, status: checks.Error, says: "max(buyer)"},
		"a time column that is text":  {spec: nulls, edit: "UPDATE sales SET at = 'yesterday'", status: checks.Error, says: "yesterday"},
		"a row from the future":       {spec: nulls, edit: "INSERT INTO sales VALUES ('b', 1, 1, '2026-12-24 00:00:00')", status: checks.Pass},
		"an empty table":              {spec: nulls, edit: "DELETE FROM sales", status: checks.Error, says: "nothing to judge"},
		"a table that vanished":       {spec: average, edit: "DROP TABLE sales", status: checks.Error, says: "does not exist"},
		"a column that vanished":      {spec: nulls, edit: "ALTER TABLE sales DROP COLUMN buyer", status: checks.Error, says: "has no column buyer"},
		"a column of the expression":  {spec: average, edit: "ALTER TABLE sales DROP COLUMN amount", status: checks.Error, says: "amount"},
		"a threshold beside":          {spec: nulls, change: func(s *checks.Spec) { s.Threshold = checks.Threshold{Op: "<", Low: 1} }, status: checks.Error, says: "beside a threshold"},
		"the hour is still to be due": {spec: average, edit: "UPDATE sales SET amount = 2 * amount" + eleven, change: func(s *checks.Spec) { s.Delay = time.Hour }, status: checks.Pass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := c.spec
			spec.Table, spec.TimeColumn, spec.Connection, spec.Anomaly = "sales", "at", "warehouse", true
			if c.change != nil {
				c.change(&spec)
			}
			var edits []string
			if c.edit != "" {
				edits = []string{c.edit}
			}
			s := newShelf()
			r := s.run(t, spec, sales(t, edits...).open(sqlite.Options{}), now)
			if r.Status != c.status || !strings.Contains(r.Message+r.Problem, c.says) {
				t.Fatalf("%s: %s %s", r.Status, r.Message, r.Problem)
			}
			if r.Status == checks.Fail && (!r.Found() || r.Since.IsZero() || *r.Expected <= 0 || *r.High >= r.Observed.Value) {
				t.Errorf("%+v, expected %v to %v", r.Detection, *r.Expected, *r.High)
			}
		})
	}
}

// TestPreviewAnomaly says about what a check of NULLs would have spoken.
func TestPreviewAnomaly(t *testing.T) {
	t.Parallel()
	w := sales(t, "UPDATE sales SET buyer = NULL WHERE at >= '2026-09-26 11:00:00' AND at < '2026-09-26 12:00:00' AND rowid % 2 = 0")
	spec := checks.Spec{Name: "buyers", Kind: "missing", Columns: []string{"amount", "buyer"}, Table: "sales", TimeColumn: "at", Anomaly: true}
	p, err := checks.PreviewVolume(t.Context(), spec, w.open(sqlite.Options{}), now, 20)
	if err != nil || len(p.Messages) != 1 || p.Messages[0].At.Format("01-02 15") != "09-26 12" || !strings.Contains(p.Messages[0].Text, "% NULL of buyer") {
		t.Errorf("%v: %+v", err, p.Messages)
	}
	if p.Learning == 0 || p.Learning+p.Buckets != 2*20*24 {
		t.Errorf("%d buckets were judged, %d learned from; two columns have %d", p.Buckets, p.Learning, 2*20*24)
	}
}

// TestAnomalyIsCountedOnce: the history of a measure is kept as that of rows is,
// and is none of the rows'.
func TestAnomalyIsCountedOnce(t *testing.T) {
	t.Parallel()
	w, s := sales(t), newShelf()
	q := &counting{DB: w.open(sqlite.Options{})}
	spec := checks.Spec{Name: "amount", Kind: "metric", Expression: "avg(amount)", Table: "sales", TimeColumn: "at", Connection: "warehouse", Anomaly: true}
	first := s.run(t, spec, q, now)
	w.exec("UPDATE sales SET amount = 0 WHERE at < '2026-09-28'")
	second := s.run(t, spec, q, now)
	if first.Status != checks.Pass || second.Message != first.Message || len(s.kept) != 1 {
		t.Errorf("first %s, then %s; %d histories", first.Message, second.Message, len(s.kept))
	}
	spec.Expression = "max(amount)"
	if r := s.run(t, spec, q, now); r.Status != checks.Error && len(s.kept) != 2 {
		t.Errorf("another expression: %s: %s; %d histories", r.Status, r.Message, len(s.kept))
	}
	if len(q.from) != 3 || fmt.Sprint(q.from[0]) != fmt.Sprint(q.from[2]) || now.Sub(q.from[1]) > checks.DefaultLateness+2*time.Hour {
		t.Errorf("counted from %v on", q.from)
	}
}
