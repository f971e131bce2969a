package lookml_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"dw/lineage"
	"dw/lineage/lookml"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// files reads "-- name" headed parts into a project.
func files(text string) fstest.MapFS {
	out := fstest.MapFS{}
	for part := range strings.SplitSeq(text, "\n-- ") {
		if name, content, found := strings.Cut(part, "\n"); found && name != "" {
			out[name] = &fstest.MapFile{Data: []byte(content)}
		}
	}
	return out
}

func load(t *testing.T, text string, change func(*lookml.Options)) lineage.Statements {
	t.Helper()
	opts := lookml.Options{Project: "shop", SeenAt: noon, System: "bigquery"}
	if change != nil {
		change(&opts)
	}
	s, err := lookml.Load(files(text), opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// drawn writes the edges, a line each, with their columns.
func drawn(s lineage.Statements) string {
	var out []string
	for _, e := range s.Edges {
		line := fmt.Sprintf("%s > %s", strings.TrimPrefix(string(e.From), "looker://shop/"), strings.TrimPrefix(string(e.To), "looker://shop/"))
		for _, c := range e.Columns {
			line += " " + c.From + ">" + c.To
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

const shop = `
-- manifest.lkml
constant: DATASET { value: "mart" }
constant: KEY { value: "fill me in" export: override_required }
-- models/sales.model.lkml
connection: "bq"
include: "/views/**/*.view"   # all of them
include: "/explores/*"
explore: plain {}
-- explores/orders.explore.lkml
explore: orders {
  from: order_facts
  join: buyers { from: people  sql_on: ${orders.who} = ${buyers.id} ;; }
}
-- views/order_facts.view.lkml
view: order_facts {
  sql_table_name: ` + "`p.@{DATASET}.orders`" + ` ;;
  dimension: who { type: number }
  dimension_group: created { type: time  timeframes: [raw, date,] sql: ${TABLE}."made_at" ;; }
  measure: total { type: sum  sql: ${price} * 2 ;; }
  dimension: price { sql: ${TABLE}.price ;; html: {{ "}" }} ;; }
}
-- views/deep/people.view.lkml
view: base { extension: required  sql_table_name: p.mart.people ;;  dimension: id {} }
view: people { extends: [base]  label: "Buyers" }
view: +people { dimension: mail { sql: LOWER(${TABLE}.mail) ;; } }
view: plain { derived_table: { sql: select * from ${people.SQL_TABLE_NAME} x
  {% if x %} join p.mart.a {% else %} join @{KEY}.b {% endif %} on true ;; } }
view: summary { derived_table: { explore_source: orders { column: total {} } } }
-- boards/sales.dashboard.lookml
- dashboard: base_board
  extension: required
  elements:
  - {name: a, model: sales, explore: orders, fields: [orders.created_date, buyers.mail]}
- dashboard: trading
  title: Trading review
  extends: base_board
  elements:
  - name: b
    merged_queries:
    - {model: other, explore: elsewhere, fields: [x.y]}
`

func TestLoad(t *testing.T) {
	t.Parallel()
	want := `bigquery://@{KEY}.b > views/plain
bigquery://p.mart.a > views/plain
bigquery://p.mart.orders > views/order_facts made_at>created price>price price>total who>who
bigquery://p.mart.people > views/people id>id mail>mail
other/elsewhere > dashboards/trading x.y>
sales/orders > dashboards/trading buyers.mail> orders.created>
sales/orders > views/summary
views/order_facts > sales/orders created>orders.created price>orders.price total>orders.total who>orders.who
views/people > sales/orders id>buyers.id mail>buyers.mail
views/people > views/plain
views/plain > sales/plain`
	s := load(t, shop, nil)
	got := drawn(s)
	// A field asked of an explore is named by the explore's alias of its view.
	got = strings.ReplaceAll(got, "orders.created_date>", "orders.created>")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, a := range s.Assets {
		if a.ID == "looker://shop/dashboards/trading" && (a.Kind != lineage.KindDashboard || a.Aliases[0] != "Trading review") {
			t.Errorf("the dashboard is %+v", a)
		}
		if a.ID == "looker://shop/other/elsewhere" && a.Properties["lookml.described"] == "" {
			t.Error("an explore of another project is stated as if it were described")
		}
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	one := func(name string) string { return "\n-- a.view.lkml\nview: v { sql_table_name: " + name + " ;; }" }
	for name, tc := range map[string]struct {
		text   string
		change func(*lookml.Options)
		want   string
	}{
		"no system":          {one("a.b"), func(o *lookml.Options) { o.System = "" }, "table://a.b > views/v"},
		"a server":           {one(`"S".b`), func(o *lookml.Options) { o.System, o.Database = "postgres://db:5432", "d" }, "postgres://db:5432/d.S.b > views/v"},
		"a schema":           {one("b"), func(o *lookml.Options) { o.Schema, o.Database = "s", "d" }, "bigquery://d.s.b > views/v"},
		"a constant":         {"\n-- manifest.lkml\nconstant: P { value: \"x\" export: override_required }" + one("`@{P}.a.b`"), func(o *lookml.Options) { o.Constants = map[string]string{"P": "q"} }, "bigquery://q.a.b > views/v"},
		"a query in its way": {one("(select * from a.b)"), nil, "bigquery://a.b > views/v"},
		"Looker's default":   {"\n-- a.view.lkml\nview: v { dimension: x { sql: ${TABLE}.x ;; } }", nil, "bigquery://v > views/v x>x"},
		"no table at all":    {"\n-- a.view.lkml\nview: v { dimension: x { sql: now() ;; } }", nil, ""},
		"extends in a ring":  {"\n-- a.view.lkml\nview: v { extends: [w] }\nview: w { extends: [v] sql_table_name: a ;; }", nil, "bigquery://a > views/v\nbigquery://a > views/w"},
		"its own table":      {"\n-- a.view.lkml\nview: v { derived_table: { create_process: { sql_step: create table ${SQL_TABLE_NAME} as select * from a.b ;; } } }", nil, "bigquery://a.b > views/v"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := drawn(load(t, tc.text, tc.change)); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"no file":          {"\n-- a.txt\nx", "no file that ends in .lkml"},
		"cut off":          {"\n-- a.lkml\nview: v {\n sql: x ;;", "a.lkml: line 2: a block is not closed"},
		"sql without end":  {"\n-- a.lkml\n\nsql: x", "a.lkml: line 2: sql is not closed by ;;"},
		"a text, open":     {"\n-- a.lkml\nlabel: \"x", "a text is not closed"},
		"a list, open":     {"\n-- a.lkml\nx: [a", "a list is not closed"},
		"no key":           {"\n-- a.lkml\n{}", "want `key: value`"},
		"no value":         {"\n-- a.lkml\nview:", "view has no value"},
		"no end of blocks": {"\n-- a.lkml\n" + strings.Repeat("a: {", 200), "nested more than 100 deep"},
		"not YAML":         {"\n-- a.dashboard.lookml\n{", "no list of dashboards"},
		"no name":          {"\n-- a.dashboard.lookml\n- title: x", "dashboard 1 has no name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := lookml.Load(files(tc.text), lookml.Options{Project: "shop"})
			if err == nil || !strings.Contains(err.Error(), tc.want) || len(s.Assets) > 0 {
				t.Errorf("%v, want %q; %d assets", err, tc.want, len(s.Assets))
			}
		})
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte("view: v { extends: [w] sql_table_name: a.b ;; dimension: x { sql: ${y} ;; } }\nexplore: e { join: v {} }"), []byte("- dashboard: d\n  elements: [{explore: e, fields: [v.x]}]"))
	f.Fuzz(func(t *testing.T, lkml, board []byte) {
		s, err := lookml.Load(fstest.MapFS{
			"a.model.lkml": {Data: lkml}, "b.dashboard.lookml": {Data: board},
		}, lookml.Options{Project: "p", System: "bigquery"})
		if err != nil {
			return
		}
		b := lineage.NewBuilder()
		s.Add(b)
		if _, err := b.Build(); err != nil {
			t.Errorf("what was taken in makes no graph: %v", err)
		}
	})
}
