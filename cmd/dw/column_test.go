package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dw/lineage/columns/enginetest"
	"dw/lineage/columns/polyglot"
)

const bakeryManifest = `{
  "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json", "generated_at": "2026-06-10T03:00:00Z", "project_name": "bakery", "adapter_type": "postgres"},
  "sources": {"source.bakery.raw.sales": {"unique_id": "source.bakery.raw.sales", "resource_type": "source", "name": "sales", "source_name": "raw",
    "relation_name": "\"db\".\"raw\".\"sales\""}},
  "nodes": {
    "model.bakery.loaves": {"unique_id": "model.bakery.loaves", "resource_type": "model", "name": "loaves", "relation_name": "\"db\".\"mart\".\"loaves\"",
      "depends_on": {"nodes": ["source.bakery.raw.sales"]},
      "compiled_code": "with s as (select * from \"db\".\"raw\".\"sales\") select s.id, s.price * 2 /* euro */ as paid from s where s.kind = 'loaf'"},
    "model.bakery.sums": {"unique_id": "model.bakery.sums", "resource_type": "model", "name": "sums", "relation_name": "\"db\".\"mart\".\"sums\"",
      "depends_on": {"nodes": ["model.bakery.loaves"]}, "compiled_code": "select sum(paid) as paid, count(*) as n from \"db\".\"mart\".\"loaves\""},
    "model.bakery.ids": {"unique_id": "model.bakery.ids", "resource_type": "model", "name": "ids", "relation_name": "\"db\".\"mart\".\"ids\"",
      "depends_on": {"nodes": ["model.bakery.loaves"]}, "compiled_code": "select id from \"db\".\"mart\".\"loaves\""},
    "model.bakery.odd": {"unique_id": "model.bakery.odd", "resource_type": "model", "name": "odd", "relation_name": "\"db\".\"mart\".\"odd\"",
      "depends_on": {"nodes": ["model.bakery.loaves"]}, "compiled_code": "selekt what from"}
  }
}`

const bakeryCatalog = `{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/catalog/v1.json", "generated_at": "2026-06-10T03:00:00Z"}, "nodes": {},
  "sources": {"source.bakery.raw.sales": {"columns": {"id": {"name": "id", "index": 1}, "price": {"name": "price", "index": 2}, "kind": {"name": "kind", "index": 3}}}}}`

// bakery is a project, and the folder of an engine that keeps its answers apart
// from the user's.
func bakery(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	write(t, dir, "manifest.json", bakeryManifest)
	write(t, dir, "catalog.json", bakeryCatalog)
	return dir
}

func ownEngine(t *testing.T) []string {
	t.Helper()
	installed, folder := enginetest.Folder(t), t.TempDir()
	for _, name := range []string{"polyglot-" + polyglot.Version + ".wasm", "compiled"} {
		if err := os.Symlink(filepath.Join(installed, name), filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"DW_SQL_ENGINE=" + folder}
}

// TestColumnQuestions: explain, trace and blast of a column, with the engine in
// its own process; a model that it does not understand is counted, and said to be
// unknown.
func TestColumnQuestions(t *testing.T) {
	t.Parallel()
	dir, env := bakery(t), ownEngine(t)
	for _, tc := range []struct {
		args   []string
		schema string
		code   int
		says   []string
	}{
		{[]string{"explain", "loaves.paid"}, "explain-column", 0, []string{"source.bakery.raw.sales.price  (dbt model SQL, engine with catalog, ", "model.bakery.sums.paid", "model.bakery.odd (which columns is not known), maybe"}},
		{[]string{"trace", "sums.paid", "--up"}, "trace-column", 0, []string{"comes from: ", "    dbt://bakery/source.bakery.raw.sales.price  (dbt model SQL, engine with catalog)", "raw.sales.kind, filter or join"}},
		{[]string{"trace", "raw.sales.price", "--down"}, "trace-column", 0, []string{"loaves.paid", "sums.paid"}},
		{[]string{"blast", "loaves.paid"}, "blast", 0, []string{"loaves.paid -> 2 models", "of 1 no source says which columns they read; they, and all below them, are counted"}},
		{[]string{"blast", "loaves.paid", "--drop"}, "change", 0, []string{"2 break, 0 change, 1 are unaffected; of 1 no source says", `unaffected model "ids"`, `breaks     model "odd"`}},
		{[]string{"blast", "loaves", "--column", "id", "--rename"}, "change", 0, []string{`breaks     model "ids"`, `unaffected model "sums"`}},
		{[]string{"explain", "loaves.ghost"}, "", 3, []string{`has no column "ghost"; it has id, paid`}},
		{[]string{"explain", "loafs.paid"}, "", 3, []string{"loafs"}},
	} {
		args := append(tc.args, "--manifest", "manifest.json", "--catalog", "catalog.json")
		dwWith(t, dir, env, args...).want(t, tc.code, tc.says...)
		if tc.schema != "" {
			asJSON := dwWith(t, dir, env, append(args, "--json")...)
			asJSON.want(t, 0)
			fits(t, tc.schema, asJSON.stdout)
		}
	}
}

// TestColumnsWithoutTheEngine: the tables answer, every model below is counted, and
// the answer says why.
func TestColumnsWithoutTheEngine(t *testing.T) {
	t.Parallel()
	dir := bakery(t)
	env := []string{"DW_SQL_ENGINE=" + t.TempDir()}
	from := []string{"--manifest", "manifest.json", "--catalog", "catalog.json"}
	dwWith(t, dir, env, append([]string{"explain", "raw.sales.price"}, from...)...).want(t, 0,
		"model.bakery.loaves (which columns is not known), maybe", "columns are not read out of SQL: the SQL engine is not installed (make sql-engine)")
	drop := dwWith(t, dir, env, append([]string{"blast", "raw.sales.price", "--drop"}, from...)...)
	drop.want(t, 0, "1 break, 3 change, 0 are unaffected; of 4 no source says which columns they read")
	if !strings.Contains(drop.stderr, "make sql-engine") {
		t.Errorf("it does not say why: %s", drop.stderr)
	}
	dwWith(t, dir, env, append([]string{"explain", "loaves"}, from...)...).want(t, 0, "fed by")
	dwWith(t, dir, env, append([]string{"explain", "loaves.paid"}, from...)...).want(t, 3, "no source states its columns")
	write(t, dir, "cases.jsonl", `{"id":"a/b::c#0","kind":"statement_columns","sql":"select a from t","expected_edges":[{"from":"t.a","to":"a"}]}`)
	dwWith(t, dir, env, "bench", "lineage", "cases.jsonl").want(t, 0, "1 cases, none answered: the SQL engine is not installed")
	dwWith(t, dir, env, "sqlworker").want(t, 2, "make sql-engine")
	write(t, dir, "other.wasm", "\x00asm")
	dwWith(t, dir, env, "sqlworker", "--install", "other.wasm").want(t, 2, "is not the SQL engine that dw runs")
}

// TestColumnsWithADamagedEngine: a module that is cut off or changed reads nothing,
// and the answer says so instead of only knowing less.
func TestColumnsWithADamagedEngine(t *testing.T) {
	t.Parallel()
	dir, folder := bakery(t), t.TempDir()
	write(t, folder, "polyglot-"+polyglot.Version+".wasm", "\x00asm")
	for _, command := range []string{"explain", "trace", "blast"} {
		got := dwWith(t, dir, []string{"DW_SQL_ENGINE=" + folder}, command, "raw.sales.price", "--manifest", "manifest.json", "--catalog", "catalog.json")
		got.want(t, 0, "model.bakery.loaves")
		if !strings.Contains(got.stderr, "columns are not read out of SQL: ") || !strings.Contains(got.stderr, "is not the SQL engine that dw runs") {
			t.Errorf("%s does not say why: %s", command, got.stderr)
		}
	}
}

// TestBenchColumns: what an answer says that it does not know is counted apart.
func TestBenchColumns(t *testing.T) {
	t.Parallel()
	dir, env := t.TempDir(), ownEngine(t)
	write(t, dir, "cases.jsonl", `{"id":"a/b::right#0","kind":"statement_columns","sql":"insert into u (b) select a from t","expected_edges":[{"from":"t.a","to":"u.b"}]}
{"id":"a/b::unknown#1","kind":"statement_columns","sql":"create view v as select a from t cross join u","expected_edges":[{"from":"t.a","to":"v.a"}]}
{"id":"a/b::wrong#2","kind":"statement_columns","sql":"select a from t","expected_edges":[{"from":"t.b","to":"a"}]}
`)
	dwWith(t, dir, env, "bench", "lineage", "cases.jsonl").want(t, 0, "1 of 3 exact (0.333); columns: 1 right, 2 wrong (of 1 it says that the table is not known), 2 missing")
}
