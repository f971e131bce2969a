package cases_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dw/lineage/cases"
	"dw/lineage/columns"
	"dw/lineage/columns/enginetest"
)

func TestRun(t *testing.T) {
	t.Parallel()
	report, err := cases.Run(t.Context(), strings.NewReader(`
{"id":"a/x::one#1","kind":"statement_tables","sql":"select * from T","expected_sources":["`+"`t`"+`"],"expected_targets":[]}
{"id":"a/x::two#2","kind":"statement_tables","sql":"insert into b select * from c","expected_sources":["d"],"expected_targets":["b"]}
{"id":"b/y::three","kind":"statement_columns","sql":"select 1"}
`), columns.Reader{})
	if err != nil {
		t.Fatal(err)
	}
	want := "[{a statement_tables 2 2 1 true 2 1 1 0} {b statement_columns 1 0 0 false 0 0 0 0}] [{a/x::two#2 two [c] [d]}]"
	if got := fmt.Sprint(report.Scores, " ", report.Misses); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for line, problem := range map[string]string{"{": "line 1 is no case", `{"id":"a"}`: "no kind"} {
		if _, err := cases.Run(t.Context(), strings.NewReader(line), columns.Reader{}); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestSharedCases holds the bars: the share of exact answers, and how many may be
// wrong in a way that a person would believe.
func TestSharedCases(t *testing.T) {
	t.Parallel()
	shared := os.Getenv("DW_SHARED")
	if shared == "" {
		t.Skip("set DW_SHARED to the folder that holds the public fixtures")
	}
	reader := enginetest.Reader(t)
	scores := map[string]cases.Score{}
	for _, name := range []string{"cases.jsonl", "dbt_models.jsonl"} {
		report := runFile(t, filepath.Join(shared, "fixtures", "lineage", name), reader)
		for _, s := range report.Scores {
			t.Logf("%s %s: %d of %d exact, %d right, %d wrong (%d said unknown), %d missing", s.Set, s.Kind, s.Exact, s.Answers, s.Right, s.Wrong, s.Unknown, s.Missing)
			scores[s.Set+" "+s.Kind] = s
		}
		for _, m := range report.Misses {
			t.Logf("%s: wrong %q, missing %q", m.Class, m.Wrong, m.Missing)
		}
	}
	for kind, bar := range map[string]struct {
		share    float64
		believed int // wrong ones that do not say that they are unknown
	}{
		"sqllineage statement_tables": {0.99, 0}, "openlineage statement_tables": {0.94, 9},
		"sqllineage statement_columns": {0.90, 9}, "openlineage statement_columns": {0.99, 0},
		"dbt model_columns": {0.99, 0}, "sqlglot column_sources": {0.40, 5},
	} {
		if s := scores[kind]; s.Share() < bar.share || s.Wrong-s.Unknown > bar.believed {
			t.Errorf("%s: %.3f exact, %d wrong, of which %d say that they are not known", kind, s.Share(), s.Wrong, s.Unknown)
		}
	}
}

func runFile(t *testing.T, path string, reader columns.Reader) cases.Report {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // only read
	report, err := cases.Run(t.Context(), file, reader)
	if err != nil {
		t.Fatal(err)
	}
	return report
}
