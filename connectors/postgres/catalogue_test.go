package postgres_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dw/connectors/postgres"
)

func TestTables(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, "CREATE SCHEMA shop",
		"CREATE TABLE shop.customers (id int PRIMARY KEY, mail text UNIQUE NOT NULL)",
		"CREATE TABLE shop.orders (day date, id int, customer int REFERENCES shop.customers (id), PRIMARY KEY (id, day))",
		"COMMENT ON TABLE shop.orders IS 'What people bought'", "COMMENT ON COLUMN shop.orders.day IS 'of the order'",
		"INSERT INTO shop.customers SELECT g, g::text FROM generate_series(1, 500) g", "ANALYZE shop.customers",
		"CREATE VIEW shop.buyers AS SELECT c.mail FROM shop.customers c JOIN shop.orders o ON o.customer = c.id",
		"CREATE TABLE shop.events (at date) PARTITION BY RANGE (at)",
		"CREATE TABLE shop.events_2026 PARTITION OF shop.events FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')",
		"CREATE TABLE elsewhere (x int)")
	tables, err := w.open(postgres.Options{}).Tables(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"buyers":    "view; mail text; ; shop.customers shop.orders; rows unknown",
		"customers": "table; id integer required, mail text required; primary id, unique mail; ; rows 500",
		"events":    "partitioned table; at date; ; ; rows unknown",
		"orders":    "table; day date required of the order, id integer required, customer integer; primary id+day, foreign customer to shop.customers; ; rows unknown",
	}
	for _, table := range tables {
		if got := tableText(table); got != want[table.Name] || table.Schema != "shop" {
			t.Errorf("%s.%s is %s, want %s", table.Schema, table.Name, got, want[table.Name])
		}
		delete(want, table.Name)
		if table.Name == "orders" && (table.Comment != "What people bought" || table.Owner == "") {
			t.Errorf("orders: %+v", table)
		}
		if (table.Name == "customers") == table.Analyzed.IsZero() {
			t.Errorf("%s was analysed at %v", table.Name, table.Analyzed)
		}
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
	all, err := w.open(postgres.Options{}).Tables(t.Context())
	if err != nil || len(all) != 5 {
		t.Errorf("%d tables in all schemas, %v", len(all), err)
	}
}

func tableText(table postgres.Table) string {
	var columns, keys []string
	for _, c := range table.Columns {
		text := c.Name + " " + c.Type
		if c.NotNull {
			text += " required"
		}
		columns = append(columns, strings.TrimSpace(text+" "+c.Comment))
	}
	for _, k := range table.Keys {
		text := k.Kind + " " + strings.Join(k.Columns, "+")
		if k.To != "" {
			text += " to " + k.To
		}
		keys = append(keys, text)
	}
	rows := "unknown"
	if table.Rows != nil {
		rows = fmt.Sprint(*table.Rows)
	}
	return fmt.Sprintf("%s; %s; %s; %s; rows %s", table.Kind, strings.Join(columns, ", "), strings.Join(keys, ", "), strings.Join(table.Sources, " "), rows)
}

// TestFreshness: an index answers without a scan; without one only a hint is
// given, and said to be one.
func TestFreshness(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t,
		"CREATE TABLE indexed (at timestamptz, other timestamptz)", "CREATE INDEX indexed_at ON indexed (at)", "CREATE INDEX some_other ON indexed (other) WHERE other > '2026-01-01'",
		"INSERT INTO indexed SELECT '2026-10-01 11:00Z'::timestamptz - g * interval '1 minute', now() FROM generate_series(0, 999) g",
		"CREATE TABLE empty (at timestamptz)", "CREATE INDEX empty_at ON empty (at)", "ANALYZE indexed")
	db := w.open(postgres.Options{})
	f, err := db.Freshness(t.Context(), "indexed", "at")
	if err != nil || !f.Newest.Equal(time.Date(2026, 10, 1, 11, 0, 0, 0, time.UTC)) || f.Index != "indexed_at" || !strings.Contains(f.Source, "max(at) over index indexed_at") {
		t.Errorf("with an index: %+v, %v", f, err)
	}
	f, err = db.Freshness(t.Context(), "indexed", "other")
	if err != nil || !f.Newest.IsZero() || f.Index != "" || f.Analyzed.IsZero() || !strings.Contains(f.Source, "a hint only") {
		t.Errorf("a partial index: %+v, %v", f, err)
	}
	f, err = db.Freshness(t.Context(), "empty", "at")
	if err != nil || !f.Newest.IsZero() || f.Index != "empty_at" || f.Changed != 0 {
		t.Errorf("an empty table: %+v, %v", f, err)
	}
	if _, err := db.Freshness(t.Context(), "emty", "at"); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("a missing table: %v", err)
	}
	until(t, "the statistics tell of the rows", func() bool {
		f, err := db.Freshness(t.Context(), "indexed", "")
		return err == nil && f.Changed == 1000
	})
}
