package checks_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"dw/checks"
	connector "dw/connectors/postgres"
)

// scanChecks are twenty checks of one table, of the kinds that people write first.
func scanChecks() []checks.Asked {
	var specs []checks.Spec
	add := func(s checks.Spec) { specs = append(specs, s) }
	add(checks.Spec{Kind: "row_count"})
	for _, column := range []string{"customer_id", "email", "status", "amount", "country", "updated_at"} {
		add(checks.Spec{Kind: "missing", Columns: []string{column}, Threshold: checks.Threshold{Op: "<", Low: 10, Percent: true}})
	}
	add(checks.Spec{Kind: "accepted_values", Columns: []string{"status"}, Values: []string{"paid", "open", "void", "refunded"}})
	add(checks.Spec{Kind: "accepted_values", Columns: []string{"channel"}, Values: []string{"web", "app", "partner"}})
	add(checks.Spec{Kind: "accepted_values", Columns: []string{"country"}, Length: checks.Threshold{Op: "=", Low: 2}})
	low, high, none := 0.0, 100000.0, 0.0
	for _, column := range []string{"id", "customer_id", "quantity", "amount"} {
		add(checks.Spec{Kind: "range", Columns: []string{column}, Low: &low})
	}
	add(checks.Spec{Kind: "range", Columns: []string{"fee"}, Low: &none, High: &high})
	for _, expression := range []string{"avg(amount)", "sum(quantity)", "max(fee)"} {
		add(checks.Spec{Kind: "metric", Expression: expression, Threshold: checks.Threshold{Op: ">", Low: 0}})
	}
	for _, column := range []string{"created_at", "updated_at"} {
		add(checks.Spec{Kind: "freshness", TimeColumn: column, MaxAge: 48 * time.Hour})
	}
	all := make([]checks.Asked, len(specs))
	for i, s := range specs {
		s.Name, s.Table, s.Connection = fmt.Sprint("c", i), "readings", "w"
		all[i] = checks.Asked{Spec: s}
	}
	return all
}

// scanTable fills a table of thirteen columns, some 130 bytes a row.
func scanTable(rows int) []string {
	return []string{
		`CREATE UNLOGGED TABLE readings (id bigint, customer_id bigint, email text, status text, channel text, device text, country text,
			amount double precision, fee double precision, quantity integer, note text, created_at timestamptz, updated_at timestamptz)`,
		fmt.Sprintf(`INSERT INTO readings SELECT i, i %% 99991, CASE WHEN i %% 50 > 0 THEN 'person' || i || '@example.com' END,
			(ARRAY['paid','open','void','refunded'])[1 + i %% 4], (ARRAY['web','app','partner'])[1 + i %% 3], 'device-' || i %% 20, 'DE',
			(i %% 10000) / 100.0, (i %% 300) / 100.0, 1 + i %% 5, 'a note of some length about row ' || i,
			timestamptz '2026-10-01 12:00Z' - (%d - i) * interval '1 second' / 20, timestamptz '2026-10-01 12:00Z'
			FROM generate_series(1, %d) AS i`, rows, rows),
		"VACUUM ANALYZE readings",
	}
}

// bareScan is what a person would write for the checks of scanChecks, in one
// SELECT.
const bareScan = `SELECT count(*), count(*) FILTER (WHERE customer_id IS NULL), count(*) FILTER (WHERE email IS NULL),
	count(*) FILTER (WHERE status IS NULL), count(*) FILTER (WHERE amount IS NULL), count(*) FILTER (WHERE country IS NULL),
	count(*) FILTER (WHERE updated_at IS NULL), count(*) FILTER (WHERE channel IS NULL), count(*) FILTER (WHERE id IS NULL),
	count(*) FILTER (WHERE quantity IS NULL), count(*) FILTER (WHERE fee IS NULL),
	count(*) FILTER (WHERE status NOT IN ('paid', 'open', 'void', 'refunded')), count(*) FILTER (WHERE channel NOT IN ('web', 'app', 'partner')),
	count(*) FILTER (WHERE length(country) <> 2), count(*) FILTER (WHERE id < 0), count(*) FILTER (WHERE customer_id < 0),
	count(*) FILTER (WHERE quantity < 0), count(*) FILTER (WHERE amount < 0), count(*) FILTER (WHERE fee < 0 OR fee > 100000),
	avg(amount), sum(quantity), max(fee), min(created_at), max(created_at), min(updated_at), max(updated_at) FROM readings`

// BenchmarkScan asks twenty checks of one table together, beside a scan that only
// counts, the same aggregates in a SELECT written by hand, and (once) one query
// per metric. DW_SCAN_ROWS sets the rows.
func BenchmarkScan(b *testing.B) {
	rows, err := strconv.Atoi(os.Getenv("DW_SCAN_ROWS"))
	if err != nil {
		rows = 100_000
	}
	q := postgresOf(b, connector.Options{Timeout: 10 * time.Minute}, scanTable(rows)...)
	all := scanChecks()
	took := map[string][]time.Duration{}
	timed := func(name string, do func()) {
		began := time.Now()
		do()
		took[name] = append(took[name], time.Since(began))
	}
	plain := func(text string) func() {
		return func() {
			if _, err := q.Select(context.Background(), text); err != nil {
				b.Fatal(err)
			}
		}
	}
	for b.Loop() {
		timed("plain", plain("SELECT count(*) FROM readings"))
		timed("bare", plain(bareScan))
		timed("together", func() { passed(b, checks.RunTogether(context.Background(), all, q, nil, now, nil)) })
		if len(took["alone"]) > 0 {
			continue // once is enough: it takes longest and is no floor
		}
		timed("alone", func() {
			for _, asked := range all {
				passed(b, []checks.Result{checks.Run(context.Background(), asked.Spec, q, nil, now)})
			}
		})
	}
	for name, times := range took {
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Milliseconds()), name+"-ms")
	}
	half := func(name string) float64 { return float64(took[name][len(took[name])/2]) }
	b.ReportMetric(half("together")/half("plain"), "x-plain")
	b.ReportMetric(half("together")/half("bare"), "x-bare")
	b.ReportMetric(half("alone")/half("together"), "x-saved")
	b.ReportMetric(0, "ns/op")
}

func passed(b *testing.B, results []checks.Result) {
	b.Helper()
	for _, result := range results {
		if result.Status != checks.Pass {
			b.Fatalf("%s: %s %s %s", result.Kind, result.Status, result.Message, result.Problem)
		}
	}
}
