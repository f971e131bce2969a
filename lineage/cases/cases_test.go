package cases_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dw/lineage/cases"
)

func TestRun(t *testing.T) {
	t.Parallel()
	report, err := cases.Run(strings.NewReader(`
{"id":"a/x::one#1","kind":"statement_tables","sql":"select * from T","expected_sources":["` + "`t`" + `"],"expected_targets":[]}
{"id":"a/x::two#2","kind":"statement_tables","sql":"insert into b select * from c","expected_sources":["d"],"expected_targets":["b"]}
{"id":"b/y::three","kind":"statement_columns","sql":"select 1"}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := "[{a statement_tables 2 1 true 2 1 1} {b statement_columns 1 0 false 0 0 0}] [{a/x::two#2 two [c] [d]}]"
	if got := fmt.Sprint(report.Scores, " ", report.Misses); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for line, problem := range map[string]string{"{": "line 1 is no case", `{"id":"a"}`: "no kind"} {
		if _, err := cases.Run(strings.NewReader(line)); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestSharedCases holds the bars of the tables: the share of exact cases, and how
// many tables may be wrong.
func TestSharedCases(t *testing.T) {
	t.Parallel()
	shared := os.Getenv("DW_SHARED")
	if shared == "" {
		t.Skip("set DW_SHARED to the folder that holds the public fixtures")
	}
	file, err := os.Open(filepath.Join(shared, "fixtures", "lineage", "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // only read
	report, err := cases.Run(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range report.Scores {
		t.Logf("%s %s: %d of %d exact, %d right, %d wrong, %d missing", s.Set, s.Kind, s.Exact, s.Cases, s.Right, s.Wrong, s.Missing)
		if s.Asked && (s.Share() < 0.94 || s.Wrong > 10) {
			t.Errorf("%s: %.2f exact, %d wrong", s.Set, s.Share(), s.Wrong)
		}
	}
	for _, m := range report.Misses {
		t.Logf("%s: wrong %q, missing %q", m.Class, m.Wrong, m.Missing)
	}
}
