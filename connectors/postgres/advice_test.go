package postgres_test

import (
	"strings"
	"testing"

	"dw/connectors/postgres"
)

// TestAdvice: each right that a reader does not need is named; the role of the
// documentation has none.
func TestAdvice(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, "CREATE TABLE a (x int)", "CREATE TABLE b (x int)", "CREATE SCHEMA finance", "CREATE TABLE finance.c (x int)", "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
	const limit = "; ALTER ROLE %r SET statement_timeout = '60s'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO %r"
	for name, c := range map[string]struct {
		attributes, grants string
		schemas            []string
		want               []string // nil: nothing is said
	}{
		"reader":      {"", limit, nil, nil},
		"superuser":   {"SUPERUSER", limit, nil, []string{"is a superuser"}},
		"bypass":      {"BYPASSRLS", limit, nil, []string{"BYPASSRLS: row security does not hold"}},
		"makes":       {"CREATEROLE CREATEDB REPLICATION", limit, nil, []string{"may make roles", "may make databases", "may replicate"}},
		"no_limit":    {"", "; GRANT SELECT ON a TO %r", nil, []string{"no statement_timeout of its own"}},
		"writer":      {"", limit + "; GRANT INSERT ON a TO %r; GRANT DELETE ON b TO %r", nil, []string{"may write to public.a, public.b:"}},
		"write_all":   {"IN ROLE pg_write_all_data", limit, nil, []string{"pg_write_all_data", "may write to finance.c, public.a, public.b"}},
		"creator":     {"", limit + "; GRANT CREATE ON SCHEMA finance TO %r", nil, []string{"may make tables in schema finance"}},
		"no_schema":   {"", limit, []string{"public", "fynance"}, []string{"schema fynance does not exist"}},
		"no_usage":    {"", limit, []string{"finance"}, []string{"may not look into schema finance"}},
		"row_secured": {"", limit + "; ALTER TABLE b ENABLE ROW LEVEL SECURITY", nil, []string{"row security hides rows of public.b"}},
	} {
		t.Run(name, func(t *testing.T) {
			// Not parallel: row security is the table's, not the role's.
			dsn := w.as("advice_"+name, c.attributes)
			for grant := range strings.SplitSeq(strings.ReplaceAll(strings.TrimPrefix(c.grants, "; "), "%r", "advice_"+name), "; ") {
				w.exec(grant)
			}
			lines, err := w.open(postgres.Options{DSN: dsn, Schemas: c.schemas}).Advice(t.Context())
			w.exec("ALTER TABLE b DISABLE ROW LEVEL SECURITY")
			if err != nil {
				t.Fatal(err)
			}
			if len(lines) != len(c.want) {
				t.Errorf("it says %d things, want %d:\n%s", len(lines), len(c.want), strings.Join(lines, "\n"))
			}
			for _, want := range c.want {
				if !strings.Contains(strings.Join(lines, "\n"), want) {
					t.Errorf("it does not say %q:\n%s", want, strings.Join(lines, "\n"))
				}
			}
		})
	}
}
