package checks

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldenTarget is a table with an awkward name, as the catalogue would give it.
func goldenTarget(t *testing.T, dialect, typ string) target {
	t.Helper()
	quoted, err := quotePath(dialect, []string{"main", `odd "orders"`})
	if err != nil {
		t.Fatal(err)
	}
	return target{name: "orders", quoted: quoted, dialect: dialect, columns: []Column{
		{Name: "id"}, {Name: "channel"}, {Name: "device"}, {Name: "created_at", Type: typ},
	}}
}

// goldenStatements returns every statement that the kinds ask, by name.
func goldenStatements(t *testing.T, dialect, format, typ string) map[string]*statement {
	t.Helper()
	table := goldenTarget(t, dialect, typ)
	columns, err := table.columnList([]string{"id", "channel"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := table.timeColumn("created_at", format)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 10, 1, 12, 20, 0, 0, time.UTC)
	bucket := Bucket{Start: now.Truncate(time.Hour).Add(-time.Hour), End: now.Truncate(time.Hour)}
	week, _ := weeksBefore(bucket, 1, time.UTC)
	spans := []Bucket{bucket, week}
	f := filter{condition: "id > 0"}
	part := filter{condition: "id > 0", column: c, from: now.Add(-48 * time.Hour)}
	low, high := 0.5, 10.0
	accepted := acceptedRule(columns[1], Spec{Values: []string{"web", "app"}, Length: Threshold{Op: "between", Low: 1, High: 9}})
	ref := reference{child: table, parent: goldenTarget(t, dialect, typ), columns: columns, keys: columns, filter: part}
	all := map[string]*statement{
		"accepted_values":         invalidStatement(table, f, accepted),
		"accepted_values_samples": samplesStatement(table, part, accepted),
		"range":                   invalidStatement(table, part, rangeRule(columns[0], &low, &high)),
		"relationships":           ref.statement(),
		"relationships_samples":   ref.samples(),
		"metric":                  metricStatement(table, "avg(id) -- all", part),
		"metric_buckets":          bucketsStatement(table, "avg(id)", c, spans, f),
		"grouped":                 missingStatement(table, columns, part).grouped(columns),
		"scan":                    planned(t, missingStatement(table, columns, f), countStatement(table, f), metricStatement(table, "avg(id) -- all", f), invalidStatement(table, f, accepted)),
		"scan_partition":          planned(t, countStatement(table, part), invalidStatement(table, part, rangeRule(columns[0], &low, &high))),
		"scan_grouped":            planned(t, countStatement(table, part).grouped(columns), metricStatement(table, "max(id)", part).grouped(columns)),
		"scan_freshness":          planned(t, extentStatement(table, c), countStatement(table, filter{})),
		"scan_buckets":            planned(t, bucketsStatement(table, "avg(id)", c, spans, f), bucketsStatement(table, "count(*)", c, spans, f)),
		"empty":                   anyRowStatement(table),
		"freshness_future":        newestOfAll(table, c, "id > 0"),
		"partition":               countStatement(table, part),
		"row_count":               countStatement(table, filter{condition: "id > 0 -- all"}),
		"missing":                 missingStatement(table, columns, filter{condition: "id > 0"}),
		"unique":                  uniqueStatement(table, columns, filter{condition: "id > 0"}),
		"unique_samples":          duplicatesStatement(table, columns, filter{condition: "id > 0"}),
		"freshness":               extentStatement(table, c),
		"freshness_where":         c.newestStatement(table, "id > 0", now),
		"volume":                  historyStatement(table, c, "id > 0", mergeSpans(spans), false, measureRows),
		"volume_quarters":         historyStatement(table, c, "", mergeSpans(spans), true, measureRows),
		"dead_letter_first":       lettersStatement(table, c, "", time.Time{}),
		"dead_letter":             lettersStatement(table, c, "id > 0", now),
		"sql":                     failingStatement(dialect, "SELECT * FROM t WHERE id = 3 -- bad"),
		"segments":                leavesStatement(table, c, columns, "id > 0", append(spans, Bucket{Start: week.Start.AddDate(0, 0, -7), End: week.End.AddDate(0, 0, -7)})),
		"segments_chosen":         distinctStatement(table, c, columns, "id > 0", spans),
	}
	if dialect == DialectPostgres {
		all["accepted_values_regex"] = invalidStatement(table, f, acceptedRule(columns[1], Spec{Regex: "^w"}))
	} else {
		all["range_only_numbers"] = textValuesStatement(table, f, columns[0])
	}
	return all
}

// planned is the SELECT in which the planner puts several questions.
func planned(t *testing.T, questions ...*statement) *statement {
	t.Helper()
	open := make([]*seat, len(questions))
	for i, question := range questions {
		open[i] = &seat{open: question}
	}
	sorted := groups(open)
	if len(sorted) != 1 {
		t.Fatalf("%d groups, want one", len(sorted))
	}
	whole, _ := combined(sorted[0])
	return whole
}

// TestGoldenSQL compares the text of every statement with testdata, one file per
// dialect and time format, and sees that the guard lets each through.
func TestGoldenSQL(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ dialect, format, typ string }{
		"sqlite_rfc3339":   {DialectSQLite, FormatRFC3339, "TEXT"},
		"sqlite_datetime":  {DialectSQLite, FormatDatetime, "DATETIME"},
		"sqlite_unix":      {DialectSQLite, FormatUnix, "INTEGER"},
		"postgres_native":  {DialectPostgres, FormatNative, "timestamp with time zone"},
		"postgres_unix":    {DialectPostgres, FormatUnix, "bigint"},
		"postgres_rfc3339": {DialectPostgres, FormatRFC3339, "character varying(30)"},
	} {
		statements := goldenStatements(t, c.dialect, c.format, c.typ)
		for kind, st := range statements {
			if err := Guard(st.String()); err != nil {
				t.Errorf("%s %s: %v", name, kind, err)
			}
		}
		compareGolden(t, filepath.Join("testdata", name+".sql"), renderGolden(statements))
	}
}

// renderGolden writes the statements in order of their names.
func renderGolden(statements map[string]*statement) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(statements)) {
		b.WriteString("-- " + name + "\n" + statements[name].render() + ";\n\n")
	}
	return b.String()
}

func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -run Golden -update writes it anew):\n%s", path, got)
	}
}
