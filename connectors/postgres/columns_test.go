package postgres_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"dw/checks"
	"dw/connectors/postgres"
)

// TestColumns: names are looked up as PostgreSQL keeps them, however odd, and
// never made up.
func TestColumns(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, "CREATE DOMAIN amount AS numeric(12, 2) NOT NULL", "CREATE SCHEMA finance", `CREATE SCHEMA "Odd.Schema"`,
		"CREATE TABLE orders (id bigint PRIMARY KEY, at timestamptz, gone int, cost amount, name varchar(40))", "ALTER TABLE orders DROP gone",
		`CREATE TABLE "Orders" (upper int)`, `CREATE TABLE "a.b" (dotted int)`, `CREATE TABLE "o""; DROP TABLE orders--" ("c""ol" int)`,
		`CREATE TABLE "🎟 tickets" ("naïve 🎫" int)`, `CREATE TABLE "Odd.Schema"."T.x" (odd int)`,
		"CREATE TABLE finance.orders (invoice int)", "CREATE TABLE finance.ledger (entry int)",
		"CREATE VIEW seen AS SELECT id FROM orders", "CREATE MATERIALIZED VIEW kept AS SELECT at FROM orders",
		"CREATE TABLE parts (day date) PARTITION BY RANGE (day)", "CREATE INDEX an_index ON orders (at)", "CREATE SEQUENCE counter")
	database := one(t, w.open(postgres.Options{}), "SELECT current_database()")
	byDefault, inFinance := w.open(postgres.Options{}), w.open(postgres.Options{Schemas: []string{"finance", "public"}})
	for name, want := range map[string]string{
		"orders":                                "id bigint required, at timestamp with time zone, cost numeric(12,2) required, name character varying(40)",
		"public.orders":                         "id bigint required, at timestamp with time zone, cost numeric(12,2) required, name character varying(40)",
		"Orders":                                "upper integer",
		`"Orders"`:                              "upper integer",
		"finance.orders":                        "invoice integer",
		"a.b":                                   "dotted integer",
		`"a.b"`:                                 "dotted integer",
		`o"; DROP TABLE orders--`:               `c"ol integer`,
		`"o""; DROP TABLE orders--"`:            `c"ol integer`,
		"🎟 tickets":                             "naïve 🎫 integer",
		`"Odd.Schema"."T.x"`:                    "odd integer",
		"seen":                                  "id bigint",
		"kept":                                  "at timestamp with time zone",
		"parts":                                 "day date",
		fmt.Sprint(database, ".finance.ledger"): "entry integer",
	} {
		if got := columnsText(t, byDefault, name); got != want {
			t.Errorf("%s has %s, want %s", name, got, want)
		}
	}
	if got := columnsText(t, inFinance, "orders"); got != "invoice integer" {
		t.Errorf("schemas are searched in another order: %s", got)
	}
	for name, near := range map[string]string{
		"ORDERS": "orders", "order": "orders", "ledger": "finance.ledger", "public.ledger": "finance.ledger",
		"an_index": "", "counter": "", "other.finance.ledger": "finance.ledger", "pg_catalog.pg_nothing": "", `"broken`: "",
	} {
		_, err := byDefault.Columns(t.Context(), name)
		missing, ok := errors.AsType[*checks.MissingTableError](err)
		if !ok {
			t.Errorf("%s: error %v is not a missing table", name, err)
		} else if near != "" && (len(missing.Near) == 0 || !strings.EqualFold(missing.Near[0], near)) {
			t.Errorf("%s: near names %q, want %s", name, missing.Near, near)
		}
	}
}

func columnsText(t *testing.T, db *postgres.DB, table string) string {
	t.Helper()
	columns, err := db.Columns(t.Context(), table)
	if err != nil {
		return err.Error()
	}
	var parts []string
	for _, c := range columns {
		text := c.Name + " " + c.Type
		if !c.Nullable {
			text += " required"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// TestCheckOnOddNames: a check of the kinds asks tables with odd names and gets
// their numbers.
func TestCheckOnOddNames(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, `CREATE SCHEMA "Shop.EU"`)
	db := w.open(postgres.Options{})
	for i, name := range []string{`"a.b"`, `"o""; DROP TABLE x--"`, `"🎟 tickets"`, `"UPPER"`, `"Shop.EU"."Order.Items"`, `"select"`} {
		w.exec(fmt.Sprintf("CREATE TABLE %s (\"Key.\"\"1\" int)", name), fmt.Sprintf("INSERT INTO %s SELECT generate_series(1, %d)", name, i+1), fmt.Sprintf("INSERT INTO %s VALUES (1)", name))
		result := checks.Run(t.Context(), checks.Spec{Name: "c", Kind: checks.KindUnique, Asset: "x://y", Domain: "d", Table: name, Columns: []string{`Key."1`}, Schedule: "@every 1h"}, db, nil, noon)
		if result.Status != checks.Fail || result.Observed == nil || result.Observed.Value != 1 {
			t.Errorf("%s: %s: %s %s", name, result.Status, result.Message, result.Problem)
		}
	}
}
