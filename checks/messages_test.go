package checks_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dw/checks"
	"dw/connectors/sqlite"
)

// TestGoldenMessages compares what people read of every rule, good and bad, with
// testdata/messages.txt.
func TestGoldenMessages(t *testing.T) {
	t.Parallel()
	db := newWarehouse(t, ruleTables...).open(sqlite.Options{})
	cases := ruleCases()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		r := cases[name].run(t, db)
		fmt.Fprintf(&b, "# %s\n%s: %s\n", name, r.Status, r.Message)
		if r.Problem != "" {
			fmt.Fprintf(&b, "problem: %s\n", strings.ReplaceAll(r.Problem, "\n", " "))
		}
	}
	path := filepath.Join("testdata", "messages.txt")
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The path of the file differs from run to run.
	if got := b.String(); withoutPaths(got) != withoutPaths(string(want)) {
		t.Errorf("%s differs (go test -run Golden -update writes it anew):\n%s", path, got)
	}
}

// withoutPaths drops words that name the temporary file.
func withoutPaths(text string) string {
	words := strings.Split(text, " ")
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return strings.Contains(w, os.TempDir()) }), " ")
}

// run asks one case of a database.
func (c ruleCase) run(t *testing.T, q checks.Querier) checks.Result {
	t.Helper()
	spec := c.spec
	spec.Name, spec.Connection = "check", "warehouse"
	if spec.Table == "" {
		spec.Table = "sales"
	}
	spec.Threshold, spec.Warn, spec.Fail, spec.Length = threshold(t, c.pass), threshold(t, c.warn), threshold(t, c.fail), threshold(t, c.length)
	return checks.Run(t.Context(), spec, q, nil, now)
}
