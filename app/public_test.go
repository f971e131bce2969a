package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"dw/app"
	"dw/blocks"
	"dw/config"
	"dw/internal/testpg"
	"dw/receipts"
)

// The loop on data that was not made for dw: the public project jaffle_shop, its
// tables made in PostgreSQL from its own catalog. The grid's topic and relay are
// put before it; the records of one store cannot be translated from 10:00 on.

// publicPath finds a file of the public dbt artifacts, which lie outside of the
// repository, in DW_SHARED or ../shared beside its root.
func publicPath(t *testing.T, name string) string {
	t.Helper()
	root := os.Getenv("DW_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	path, err := filepath.Abs(filepath.Join(root, "fixtures", "dbt", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil && os.Getenv("CI") != "true" {
		t.Skipf("no public dbt artifacts: set DW_SHARED (%v)", err)
	}
	return path
}

// catalogTable is what a dbt catalog says of a table.
type catalogTable struct {
	Metadata struct{ Schema, Name string }
	Columns  map[string]catalogColumn
}

type catalogColumn struct {
	Type, Name string
	Index      int
}

// publicDatabase makes the tables of the catalog in a database of the name that
// the project has, with rows, and the role of the documentation, whose DSN it
// returns.
func publicDatabase(t *testing.T) string {
	t.Helper()
	server := testpg.Start(t)
	run := func(dsn, statement string) {
		t.Helper()
		conn, err := pgx.Connect(context.Background(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background()) //nolint:errcheck // the statement's error tells
		if _, err := conn.Exec(context.Background(), statement); err != nil {
			t.Fatalf("%v: %s", err, statement)
		}
	}
	run(server.DSN("postgres"), "CREATE DATABASE dev")
	exec := func(statement string) { t.Helper(); run(server.DSN("dev"), statement) }
	var catalog struct{ Nodes, Sources map[string]catalogTable }
	text, err := os.ReadFile(publicPath(t, "colibri/redshift_catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &catalog); err != nil {
		t.Fatal(err)
	}
	exec("CREATE SCHEMA raw; CREATE SCHEMA dbt")
	made := 0
	for _, tables := range []map[string]catalogTable{catalog.Nodes, catalog.Sources} {
		for _, id := range slices.Sorted(maps.Keys(tables)) {
			exec(tables[id].create())
			made++
		}
	}
	exec(`CREATE TABLE raw.order_events_dlq (event_time timestamptz, value bytea)`)
	exec(breakStore)
	for _, block := range sqlOfDocs(t, "../docs/connectors/postgres.md") {
		exec(block)
	}
	t.Logf("%d tables made from the catalog", made)
	u, err := url.Parse(server.DSN("dev"))
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("dw_reader", "canary-reader-pw")
	return u.String()
}

// create returns the statements that make a table and fill it: 500 rows, or, for
// the orders, eight weeks of an order every half minute, of two stores in turn.
func (c catalogTable) create() string {
	columns := slices.SortedFunc(maps.Values(c.Columns), func(a, b catalogColumn) int { return a.Index - b.Index })
	var defined, values []string
	for _, column := range columns {
		defined = append(defined, fmt.Sprintf("%q %s", column.Name, column.Type))
		value := generated(column.Type)
		if c.Metadata.Name == "orders" {
			switch column.Name {
			case "order_id":
				value = "'order-' || n"
			case "location_id":
				value = "'store-' || n % 2"
			case "ordered_at":
				value = "timestamp '2026-06-10 23:59' - n * interval '30 seconds'"
			}
		}
		values = append(values, value)
	}
	rows := 500
	if c.Metadata.Name == "orders" {
		rows = 57 * 24 * 120
	}
	table := fmt.Sprintf("%q.%q", c.Metadata.Schema, c.Metadata.Name)
	return fmt.Sprintf("CREATE TABLE %s (%s); INSERT INTO %s SELECT %s FROM generate_series(0, %d) AS n; ANALYZE %s",
		table, strings.Join(defined, ", "), table, strings.Join(values, ", "), rows-1, table)
}

var typeLength = regexp.MustCompile(`\((\d+)\)$`)

// generated returns an expression of a type that differs from row n to row n.
func generated(typ string) string {
	switch {
	case strings.HasPrefix(typ, "character varying"):
		length := "32"
		if found := typeLength.FindStringSubmatch(typ); found != nil {
			length = found[1]
		}
		return "left(md5(n::text), " + length + ")"
	case typ == "text":
		return "md5(n::text)"
	case typ == "boolean":
		return "n % 2 = 0"
	case typ == "date":
		return "date '2026-06-10' - n"
	case strings.HasPrefix(typ, "timestamp"):
		return "timestamp '2026-06-10 09:00' - n * interval '1 hour'"
	}
	return "n::" + typ
}

// breakStore moves the orders of one store from 10:00 on to the dead letter.
const breakStore = `
INSERT INTO raw.order_events_dlq SELECT ordered_at AT TIME ZONE 'UTC', convert_to(json_build_object('order_id', order_id, 'location_id', location_id)::text, 'UTF8')
	FROM dbt.orders WHERE location_id = 'store-1' AND ordered_at >= '2026-06-10 10:00' AND ordered_at < '2026-06-10 11:10';
DELETE FROM dbt.orders WHERE location_id = 'store-1' AND ordered_at >= '2026-06-10 10:00'`

// sqlOfDocs returns the blocks of SQL of a page.
func sqlOfDocs(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, part := range strings.Split(string(text), "```sql\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		out = append(out, strings.ReplaceAll(block, "a long random text", "canary-reader-pw"))
	}
	if len(out) == 0 {
		t.Fatalf("%s has no SQL", page)
	}
	return out
}

// publicConfig reads the project's own manifest and checks its own tables.
const publicConfig = `
connections:
  warehouse: {kind: postgres, dsn: "{dsn}", schemas: [dbt, raw], timeout: 20s, max_cost: 1000000, max_rows_scanned: 10000000}
lineage:
  manifests:
    - {path: {manifest}, root: project, domain: grid}
  assets:
    - id: kafka://readings
      kind: topic
      name: readings
      aliases: [order_events]
      domain: grid
      feeds: ["dbt://jaffle_shop/source.jaffle_shop.ecom.raw_orders", "warehouse://raw.order_events_dlq"]
      properties: {iceberg.mode: value_schema_id_prefix, dead_letter: raw.order_events_dlq, schema_registry.url: "http://127.0.0.1:8081", schema_registry.raw_json: "true"}
    - {id: "warehouse://raw.order_events_dlq", kind: table, name: raw.order_events_dlq, domain: grid}
    - {id: "connect://relay", kind: pipeline, name: relay, domain: grid, file: relay.yaml, root: project, feeds: ["kafka://readings"]}
    - id: looker://sales
      kind: explore
      name: sales
      domain: grid
      fed_by: ["dbt://jaffle_shop/model.jaffle_shop.orders"]
      sla: "14:00"
checks:
  - {name: orders per hour, kind: volume, asset: model.jaffle_shop.orders, connection: warehouse, table: '"dev"."dbt"."orders"', time_column: ordered_at, dimensions: [location_id], delay: 10m, schedule: 20 * * * *}
  - {name: rejected orders, kind: dead_letter, asset: raw.order_events_dlq, connection: warehouse, table: raw.order_events_dlq, time_column: event_time, schedule: 15 * * * *}
  - {name: order ids are unique, kind: unique, asset: model.jaffle_shop.orders, connection: warehouse, table: orders, columns: [order_id], schedule: 40 * * * *}
  - {name: customers are there, kind: missing, asset: model.jaffle_shop.customers, connection: warehouse, table: customers, columns: [customer_id], schedule: 41 * * * *}
`

// TestPublicLoop: on a public project in PostgreSQL, read by a role that may only
// read, a check fails, its owner approves a request by a click, and the receipts
// of it verify.
func TestPublicLoop(t *testing.T) {
	t.Parallel()
	manifest := publicPath(t, "colibri/redshift_manifest.json.gz")
	dsn := publicDatabase(t)
	r := start(t, func(text string) string {
		head, rest, _ := strings.Cut(text, "connections:\n")
		_, people, _ := strings.Cut(rest, "people:\n")
		people, _, _ = strings.Cut(people, "lineage:\n")
		return head + "people:\n" + people + strings.NewReplacer("{dsn}", dsn, "{manifest}", manifest).Replace(strings.TrimPrefix(publicConfig, "\n"))
	})
	r.at("11:15")
	r.see("new dead-letter rows", "without the schema registry", blocks.ActionAcknowledge)
	r.at("11:20")
	r.see("location_id=store-1", blocks.ActionAcknowledge)
	r.at("11:26")
	r.card(changeTitle, blocks.ActionApprove)
	r.placed()
	r.told(owner, r.click(owner, r.card(changeTitle), blocks.ActionApprove), "is recorded")
	r.card(changeTitle, "approved by", "waits for the owner")
	r.stop()
	r.verify()
	decisions := r.receipts(receipts.KindDecisionRecorded)
	if len(decisions) != 1 || decisions[0].Predicate.Actor["user"] != owner || decisions[0].Predicate.Body["verdict"] != "approve" {
		t.Errorf("decisions %+v", decisions)
	}
	if strings.Contains(r.log.String(), "canary-reader-pw") {
		t.Error("the password stands in the log")
	}
	r.publicChecks()
}

// publicChecks: the checks that are not about the fault pass, and the role needs
// no advice.
func (r *rig) publicChecks() {
	r.t.Helper()
	project, err := app.LoadProject(r.path("config.yaml"), config.OS(), true)
	if err != nil {
		r.t.Fatal(err)
	}
	defer project.Close() //nolint:errcheck // only read
	advice, err := project.Advise(context.Background(), "warehouse")
	if err != nil || len(advice) > 0 {
		r.t.Errorf("the role of the documentation is advised: %q, %v", advice, err)
	}
	results, err := project.RunChecks(context.Background(), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	var said []string
	for _, result := range results {
		said = append(said, result.Check+" "+string(result.Status))
	}
	if got := strings.Join(said, ", "); got != "orders per hour fail, rejected orders fail, order ids are unique pass, customers are there pass" {
		r.t.Errorf("the checks say: %s", got)
	}
}
