package main_test

import "testing"

// TestImport: what became a check is on standard output, what did not is named.
func TestImport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "soda.yml", "checks for orders:\n  - row_count > 0\n  - change for row_count < 5\n")
	dw(t, dir, "import", "soda", "soda.yml").want(t, 0, "kind: row_count", "threshold: '> 0'", "1 checks, 1 tests left out", "left out: orders: change for row_count < 5: ")
	dw(t, dir, "import", "soda", "gone.yml").want(t, 2, "gone.yml")
	dw(t, dir, "import", "dbt", "soda.yml").want(t, 2, "read the tests of a dbt manifest")
}
