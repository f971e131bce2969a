package checks

import "testing"

// TestAdditive: what is asked beside other aggregates must mean what it means
// alone.
func TestAdditive(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"count(*)":                            true,
		"sum(a) / count(*) * 1.5":             true,
		"coalesce(max(a) - min(b), 0)":        true,
		"avg(CASE WHEN s = 'x' THEN a END)":   true,
		"round(sum(a * (b + 1)), 2)":          true,
		"SUM(replace(a, 'x', ''))":            true,
		"a":                                   false,
		"1":                                   false,
		"coalesce(1, 2)":                      false,
		"sum(a) + b":                          false,
		"min(a, 3)":                           false,
		"count(DISTINCT a)":                   false,
		"count(*), count(a)":                  false,
		"sum(a) OVER ()":                      false,
		"sum(a) FILTER (WHERE b)":             false,
		"sum((SELECT max(c) FROM t))":         false,
		"sum(max(a))":                         false,
		"string_agg(a, ',')":                  false,
		"(SELECT count(*) FROM t)":            false,
		"sum(a":                               false,
		"percentile_cont(0.5) WITHIN GROUP (": false,
		"count()":                             false,
		"":                                    false,
	} {
		if got := additive(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestPlannedApart: a statement to which something was added is no longer what
// its parts say, and asked alone.
func TestPlannedApart(t *testing.T) {
	t.Parallel()
	table := goldenTarget(t, DialectSQLite, "TEXT")
	whole, some := countStatement(table, filter{}), countStatement(table, filter{}).add(" WHERE id > 3")
	if got := groups([]*seat{{open: whole}, {open: some}, {open: countStatement(table, filter{})}}); len(got) != 2 || len(got[0]) != 2 {
		t.Errorf("%d groups, want the two that ask for all rows, and the other", len(got))
	}
}
