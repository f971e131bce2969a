package importer_test

import (
	"strings"
	"testing"

	"dw/app/importer"
)

// TestNoneIsImportedAsAnother: a test whose condition or column only its own tool
// can fill in becomes no check; without that part it would be another test.
func TestNoneIsImportedAsAnother(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		read func() (importer.Report, error)
		says string
	}{
		"dbt: a template in where": {func() (importer.Report, error) {
			return importer.DBT(manifest(test("a", kwargs("not_null", "", `"column_name":"id"`, `"where":"at > {{ var('since') }}"`))), options)
		}, "- a: its where is a template of dbt"},
		"Soda: a variable in a filter": {func() (importer.Report, error) {
			return importer.Soda([]byte("checks for orders:\n  - row_count > 0:\n      filter: at > '${SINCE}'\n"), options)
		}, "it holds a variable that Soda fills in"},
		"Elementary: dimensions by an expression": {func() (importer.Report, error) {
			return importer.Elementary(manifest(test("a", kwargs("dimension_anomalies", "elementary", `"timestamp_column":"at","dimensions":["lower(channel)"]`, ``))), options)
		}, "- a: it counts by an expression"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := c.read()
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Checks) != 0 || !strings.Contains(lines(r), c.says) {
				t.Errorf("%d checks, want none and %q:\n%s", len(r.Checks), c.says, lines(r))
			}
		})
	}
}
