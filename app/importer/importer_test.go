package importer_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dw/app"
	"dw/app/importer"
	"dw/config"
)

var options = importer.Options{Connection: "warehouse", Schedule: "@daily"}

// good writes the checks into a configuration and holds that dw takes it.
func good(t *testing.T, r importer.Report, lineage string) {
	t.Helper()
	text, err := r.YAML()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "warehouse.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "config.yaml")
	head := "instance: test\nconnections:\n  warehouse: {kind: sqlite, path: warehouse.db}\npeople:\n  ann: {slack: U1}\ndomains:\n  shop: {owner: ann, channel: C1}\nlineage:\n" + lineage + "\n"
	if err := os.WriteFile(path, []byte(head+text), 0o600); err != nil {
		t.Fatal(err)
	}
	project, err := app.LoadProject(path, config.OS(), true)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(project.Specs) != len(r.Checks) {
		t.Errorf("%d checks of %d", len(project.Specs), len(r.Checks))
	}
	if err := project.Close(); err != nil {
		t.Error(err)
	}
}

// lines says each check in short, and each test that was left out.
func lines(r importer.Report) string {
	var out []string
	for _, c := range r.Checks {
		line := fmt.Sprint(c.Name, " ", c.Kind, " ", c.Table, " ", c.Columns, c.Values, c.Threshold, c.Warn, "|", c.Fail, c.MaxAge, c.By, c.Expression, c.Query, c.To, c.ToColumns, c.Length, c.Where, c.Severity, c.TimeColumn, c.Bucket, c.Dimensions, c.Forbidden)
		if c.Min != nil {
			line += fmt.Sprint(" from ", *c.Min)
		}
		if c.Max != nil {
			line += fmt.Sprint(" to ", *c.Max)
		}
		out = append(out, strings.Join(strings.Fields(strings.ReplaceAll(line, "[]", "")), " "))
	}
	for _, s := range r.Skipped {
		out = append(out, "- "+s.Name+": "+s.Why)
	}
	return strings.Join(out, "\n")
}

const sodaText = `checks for orders:
  - row_count > 0
  - row_count between 10 and 20:
      name: some orders
  - missing_percent(email) < 5%
  - missing_count(email):
      warn: when > 1
      fail: when > 10
  - duplicate_count(id, line) = 0
  - invalid_count(status) = 0:
      valid values: [open, paid]
  - invalid_percent(amount) < 1:
      valid min: 0
      valid max: 100
  - avg(amount) between 1 and 5
  - freshness(created_at) < 1d2h
  - values in (customer_id) must exist in customers (id)
  - failed rows:
      name: no negatives
      fail condition: amount < 0
  - schema:
      fail:
        when required column missing: [id]
        when forbidden column present: [password]
  - row_count same as customers
  - anomaly detection for row_count
  - change for row_count < 50
  - invalid_count(email) = 0:
      valid format: email
  - failed rows:
      name: writes
      fail query: delete from orders
checks for orders [today]:
  - row_count > 0
filter orders [today]:
  where: created_at > '${D}'
`

func TestSoda(t *testing.T) {
	t.Parallel()
	r, err := importer.Soda([]byte(sodaText), options)
	if err != nil {
		t.Fatal(err)
	}
	want := `orders: row_count > 0 row_count orders > 0|
some orders row_count orders between 10 and 20|
orders: missing_percent(email) < 5% missing orders [email] < 5%|
orders: missing_count(email) missing orders [email] <= 1|<= 10
orders: duplicate_count(id, line) = 0 unique orders [id line] = 0|
orders: invalid_count(status) = 0 accepted_values orders [status] [open paid] = 0|
orders: invalid_percent(amount) < 1 range orders [amount] < 1%| from 0 to 100
orders: avg(amount) between 1 and 5 metric orders between 1 and 5|avg(amount)
orders: freshness(created_at) < 1d2h freshness orders |93600s created_at
orders: values in (customer_id) must exist in customers (id) relationships orders [customer_id] | customers [id]
no negatives sql |select * from orders where (amount < 0)
orders: schema schema orders [id] | [password]
orders: row_count same as customers reconcile orders = 0| customers`
	got := lines(r)
	if !strings.HasPrefix(strings.Join(strings.Fields(got), ""), strings.Join(strings.Fields(want), "")) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, left := range []string{"anomaly detection", "change for", "valid format \"email\"", "- writes: its query is not one that dw may ask", "orders [today]", "filter orders"} {
		if !strings.Contains(got, left) {
			t.Errorf("nothing is said of %s:\n%s", left, got)
		}
	}
	if len(r.Skipped) != 6 {
		t.Errorf("%d left out:\n%s", len(r.Skipped), got)
	}
	good(t, r, "  assets:\n    - {id: \"warehouse://orders\", kind: table, name: orders, domain: shop}\n    - {id: \"warehouse://customers\", kind: table, name: customers, domain: shop}")
}

func test(id, rest string) string {
	return `"test.shop.` + id + `":{"unique_id":"test.shop.` + id + `","name":"` + id + `","resource_type":"test","attached_node":"model.shop.orders","depends_on":{"nodes":["model.shop.orders"]},` + rest + `}`
}

func manifest(tests ...string) []byte {
	model := func(name string) string {
		return `"model.shop.` + name + `":{"unique_id":"model.shop.` + name + `","name":"` + name + `","resource_type":"model","relation_name":"\"db\".\"main\".\"` + name + `\"","depends_on":{"nodes":[]},"config":{}}`
	}
	return []byte(`{"metadata":{"dbt_schema_version":"https://schemas.getdbt.com/dbt/manifest/v12.json","generated_at":"2026-03-04T12:00:00Z","project_name":"shop"},"nodes":{` +
		strings.Join(append([]string{model("orders"), model("users")}, tests...), ",") + `},"sources":{},"exposures":{}}`)
}

func kwargs(kind, pkg, args, config string) string {
	return `"test_metadata":{"name":"` + kind + `","namespace":"` + pkg + `","kwargs":{` + args + `}},"config":{` + config + `}`
}

func TestDBT(t *testing.T) {
	t.Parallel()
	m := manifest(
		test("a", kwargs("not_null", "", `"column_name":"id"`, `"severity":"WARN","where":"id > 0"`)),
		test("b", kwargs("not_null", "", `"column_name":"id"`, `"warn_if":">5","error_if":">10"`)),
		test("c", kwargs("unique_combination_of_columns", "dbt_utils", `"combination_of_columns":["a","b"]`, ``)),
		test("d", kwargs("accepted_range", "dbt_utils", `"column_name":"x","min_value":0,"inclusive":false`, ``)),
		test("e", kwargs("expression_is_true", "dbt_utils", `"expression":"x >= 0"`, ``)),
		test("f", kwargs("expect_table_row_count_to_be_between", "dbt_expectations", `"min_value":1`, ``)),
		test("g", kwargs("recency", "dbt_utils", `"field":"at","datepart":"day","interval":2`, ``)),
		test("h", kwargs("unique", "", `"column_name":"lower(email)"`, ``)),
		test("i", kwargs("sequential_values", "dbt_utils", `"column_name":"x"`, ``)),
		test("j", `"compiled_code":"select id from main.orders where x < 0;","config":{}`),
		test("k", `"raw_code":"select 1 from {{ ref('orders') }}","config":{}`),
		test("l", kwargs("relationships", "", `"column_name":"user_id","to":"ref('users')","field":"id"`, ``)[0:0]+
			`"test_metadata":{"name":"relationships","kwargs":{"column_name":"user_id","to":"ref('users')","field":"id"}},"config":{}`),
		test("m", kwargs("volume_anomalies", "elementary", `"timestamp_column":"at"`, ``)),
		test("n", kwargs("unique", "", `"column_name":"id"`, `"error_if":">3"`)),
	)
	m = []byte(strings.Replace(string(m), `"name":"l","resource_type":"test","attached_node":"model.shop.orders","depends_on":{"nodes":["model.shop.orders"]}`,
		`"name":"l","resource_type":"test","attached_node":"model.shop.orders","depends_on":{"nodes":["model.shop.users","model.shop.orders"]}`, 1))
	r, err := importer.DBT(m, options)
	if err != nil {
		t.Fatal(err)
	}
	want := `a missing main.orders [id] |id > 0 warn
b missing main.orders [id] <= 5|<= 10
c unique main.orders [a b] |
e sql |select * from main.orders where not (x >= 0)
f row_count main.orders >= 1|
g freshness main.orders |2880m at
j sql |select id from main.orders where x < 0
l relationships main.orders [user_id] | main.users [id]
- d: its bounds do not pass; those of a range check do
- h: it tests an expression, not a column: "lower(email)"
- i: no kind of dw's checks does what dbt_utils.sequential_values does
- k: a query that dbt has not compiled: run dbt compile and import its manifest
- m: a test of Elementary: dw import elementary
- n: error_if ">3" and warn_if "" count what a check of kind unique does not`
	if got := lines(r); strings.Join(strings.Fields(got), "") != strings.Join(strings.Fields(want), "") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), m, 0o600); err != nil {
		t.Fatal(err)
	}
	good(t, r, "  manifests:\n    - {path: "+filepath.Join(dir, "manifest.json")+", domain: shop}")
}

func TestElementary(t *testing.T) {
	t.Parallel()
	m := manifest(
		test("a", kwargs("volume_anomalies", "elementary", `"timestamp_column":"at","time_bucket":{"period":"hour","count":1},"where_expression":"x > 0"`, ``)),
		test("b", kwargs("volume_anomalies", "elementary", ``, ``)),
		test("c", kwargs("dimension_anomalies", "elementary", `"timestamp_column":"at","dimensions":["channel"]`, ``)),
		test("d", kwargs("schema_changes", "elementary", ``, ``)),
		test("e", kwargs("freshness_anomalies", "elementary", `"timestamp_column":"at"`, ``)),
		test("f", kwargs("data_freshness_sla", "elementary", `"timestamp_column":"at","sla_time":"07:00","timezone":"Europe/Berlin"`, ``)),
		test("g", kwargs("not_null", "", `"column_name":"id"`, ``)),
	)
	r, err := importer.Elementary(m, options)
	if err != nil {
		t.Fatal(err)
	}
	want := `a volume main.orders |x > 0 at hour
c dimension main.orders |at day [channel]
d schema main.orders |
f freshness main.orders |07:00 at
- b: it names no timestamp_column; dw counts rows by time
- e: it learns how fresh the table is; write a check of kind freshness with max_age or by`
	if got := lines(r); strings.Join(strings.Fields(got), "") != strings.Join(strings.Fields(want), "") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), m, 0o600); err != nil {
		t.Fatal(err)
	}
	good(t, r, "  manifests:\n    - {path: "+filepath.Join(dir, "manifest.json")+", domain: shop}")
}

func TestWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	if _, err := importer.Soda([]byte("- a\n"), options); err == nil {
		t.Error("a list is taken for SodaCL")
	}
	if _, err := importer.Soda([]byte("a: ["), options); err == nil {
		t.Error("broken YAML is taken for SodaCL")
	}
	if _, err := importer.DBT([]byte("{}"), options); err == nil {
		t.Error("an empty object is taken for a manifest")
	}
}

// TestPublicManifests: on public projects every test becomes a check that dw
// takes, or is named with a reason.
func TestPublicManifests(t *testing.T) {
	t.Parallel()
	shared := os.Getenv("DW_SHARED")
	files, _ := filepath.Glob(filepath.Join(shared, "fixtures/dbt/*/*manifest*"))
	if shared == "" || len(files) == 0 {
		t.Skip("DW_SHARED names no folder of public manifests")
	}
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, ".gz") {
			unzipped, err := gzip.NewReader(bytes.NewReader(content))
			if err != nil {
				t.Fatal(err)
			}
			if content, err = io.ReadAll(unzipped); err != nil {
				t.Fatal(err)
			}
		}
		r, err := importer.DBT(content, options)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		t.Logf("%s: %d checks, %d left out", filepath.Base(path), len(r.Checks), len(r.Skipped))
		if len(r.Checks) > 0 {
			good(t, r, "  manifests:\n    - {path: "+path+", domain: shop}")
		}
	}
}
