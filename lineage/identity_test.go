package lineage_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dw/lineage"
)

// named is a statement of a source about an id.
func named(id lineage.AssetID, kind lineage.Kind, source string, change ...func(*lineage.Asset)) lineage.Asset {
	a := lineage.Asset{ID: id, Kind: kind, From: []lineage.Provenance{seen(source)}}
	for _, c := range change {
		c(&a)
	}
	return a
}

func relation(name string) func(*lineage.Asset) {
	return func(a *lineage.Asset) { a.Relation = name }
}

func also(names ...string) func(*lineage.Asset) {
	return func(a *lineage.Asset) { a.Aliases = append(a.Aliases, names...) }
}

// TestIdentity: which ids are one asset, and which stay apart. Groups are written
// with the id that stands for them first.
func TestIdentity(t *testing.T) {
	t.Parallel()
	model := func(project, rel string) lineage.Asset {
		return named(lineage.AssetID("dbt://"+project+"/model."+project+".orders"), lineage.KindModel, lineage.SourceManifest, relation(rel))
	}
	source := func(project, rel string) lineage.Asset {
		return named(lineage.AssetID("dbt://"+project+"/source."+project+".raw.orders"), lineage.KindSource, lineage.SourceManifest, relation(rel))
	}
	event := func(id lineage.AssetID, names ...string) lineage.Asset {
		return named(id, lineage.KindTable, "OpenLineage", also(names...))
	}
	for name, tc := range map[string]struct {
		stated []lineage.Asset
		want   string
	}{
		"a model and the table of an event": {
			[]lineage.Asset{model("p", `postgres:///"shop"."mart"."orders"`), event("postgres://db:5432/shop.mart.orders")},
			"dbt://p/model.p.orders = postgres://db:5432/shop.mart.orders",
		},
		"case counts for nothing in Snowflake": {
			[]lineage.Asset{model("p", "snowflake:///SHOP.MART.ORDERS"), event("snowflake://acme/shop.mart.orders")},
			"dbt://p/model.p.orders = snowflake://acme/shop.mart.orders",
		},
		"and for everything in BigQuery": {
			[]lineage.Asset{model("p", "bigquery:///`shop`.`mart`.`Orders`"), event("bigquery://shop.mart.orders")}, "",
		},
		"a table of LookML, without a system": {
			[]lineage.Asset{model("p", "bigquery:///`shop`.`mart`.`orders`"), named("table://mart.orders", lineage.KindTable, "LookML")},
			"dbt://p/model.p.orders = table://mart.orders",
		},
		"with and without the database": {
			[]lineage.Asset{event("postgres://db:5432/public.t"), event("postgres://db:5432/shop.public.t")},
			"postgres://db:5432/shop.public.t = postgres://db:5432/public.t",
		},
		"a bare name is of nothing": {
			[]lineage.Asset{event("postgres://db:5432/t"), event("postgres://db:5432/shop.public.t"), named("table://t", lineage.KindTable, "LookML")}, "",
		},
		"another server is another table": {
			[]lineage.Asset{event("postgres://a/shop.mart.orders"), event("postgres://b/shop.mart.orders")}, "",
		},
		"which server cannot be told": {
			[]lineage.Asset{model("p", `postgres:///"shop"."mart"."orders"`), event("postgres://a/shop.mart.orders"), event("postgres://b/shop.mart.orders")},
			"? dbt://p/model.p.orders may be [postgres://a/shop.mart.orders postgres://b/shop.mart.orders]",
		},
		"another schema is another table": {
			[]lineage.Asset{model("p", `postgres:///"shop"."mart"."orders"`), event("postgres://a/shop.raw.orders")}, "",
		},
		"another system is another table": {
			[]lineage.Asset{model("p", `postgres:///"shop"."mart"."orders"`), event("mysql://a/shop.mart.orders")}, "",
		},
		"a symlink": {
			[]lineage.Asset{event("hive://m:9083/test.t", "file:///warehouse/t"), event("file:///warehouse/t")},
			"hive://m:9083/test.t = file:///warehouse/t",
		},
		"the configuration's word": {
			[]lineage.Asset{named("warehouse://orders", lineage.KindTable, lineage.SourceConfig, also("postgres://db/shop.mart.orders")), event("postgres://db/shop.mart.orders")},
			"warehouse://orders = postgres://db/shop.mart.orders",
		},
		"a topic with and without its cluster": {
			[]lineage.Asset{named("kafka://orders.v1", lineage.KindTopic, lineage.SourceConfig), named("kafka://k:9092/orders.v1", lineage.KindTopic, "OpenLineage")},
			"kafka://orders.v1 = kafka://k:9092/orders.v1",
		},
		"a topic is no table": {
			[]lineage.Asset{named("kafka://orders", lineage.KindTopic, lineage.SourceConfig), named("table://s.orders", lineage.KindTable, "LookML")}, "",
		},
		"two projects, one table: an edge": {
			[]lineage.Asset{model("a", `postgres:///"shop"."mart"."orders"`), source("b", `postgres:///"shop"."mart"."orders"`), event("postgres://db/shop.mart.orders")},
			"dbt://a/model.a.orders = postgres://db/shop.mart.orders\ndbt://a/model.a.orders -> dbt://b/source.b.raw.orders",
		},
		"two projects, equal names": {
			[]lineage.Asset{model("a", `postgres:///"shop"."a"."orders"`), model("b", `postgres:///"shop"."b"."orders"`)}, "",
		},
		"names with dots and quotes": {
			[]lineage.Asset{model("p", `postgres:///"shop"."mart"."or""d.ers"`), event(`postgres://db/shop.mart."ord.ers"`)},
			`dbt://p/model.p.orders = postgres://db/shop.mart."ord.ers"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := unified(t, tc.stated); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
			slices.Reverse(tc.stated)
			if got := unified(t, tc.stated); got != tc.want {
				t.Errorf("in another order:\n%s", got)
			}
		})
	}
}

// unified builds a graph and writes which ids are one, the edges, and what cannot
// be told.
func unified(t *testing.T, stated []lineage.Asset) string {
	t.Helper()
	b := lineage.NewBuilder()
	for _, a := range stated {
		b.AddAsset(a)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := b.Build(); err != nil || again.Len() != g.Len() {
		t.Errorf("built again it has %d assets, not %d: %v", again.Len(), g.Len(), err)
	}
	var out []string
	for _, a := range stated {
		found, ok := g.Asset(a.ID)
		if !ok {
			t.Errorf("%s is no longer found", a.ID)
		}
		if found.ID != a.ID {
			out = append(out, fmt.Sprintf("%s = %s", found.ID, a.ID))
		}
	}
	slices.Sort(out)
	for _, e := range g.Edges() {
		out = append(out, fmt.Sprintf("%s -> %s", e.From, e.To))
	}
	for _, c := range g.IdentityConflicts() {
		out = append(out, fmt.Sprintf("? %s may be %v", c.Name, c.May))
	}
	return strings.Join(out, "\n")
}

// TestOneAsset: the statements of all ids are one asset's, edges of any id are
// its edges, and it is what dbt says it is.
func TestOneAsset(t *testing.T) {
	t.Parallel()
	table := named("postgres://db/shop.mart.orders", lineage.KindTable, "OpenLineage", func(a *lineage.Asset) {
		a.From[0].SeenAt, a.Name, a.Columns = noon, "orders_table", []string{"id"}
	})
	b := lineage.NewBuilder()
	b.AddAsset(named("dbt://p/model.p.orders", lineage.KindModel, lineage.SourceManifest, relation(`postgres:///"shop"."mart"."orders"`), owner("ann")))
	b.AddAsset(table)
	b.AddAsset(named("job://j", lineage.KindJob, "OpenLineage"))
	b.AddEdge(lineage.Edge{From: table.ID, To: "job://j", Seen: seen("OpenLineage")})
	b.AddEdge(lineage.Edge{From: table.ID, To: "dbt://p/model.p.orders", Seen: seen("OpenLineage")})
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	a, err := g.Resolve("orders_table")
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%s %s %s %v %s", a.ID, a.Kind, a.Name, a.Columns, a.FirstOwner())
	if got != "dbt://p/model.p.orders model orders [id] ann" {
		t.Errorf("it is %s", got)
	}
	if down, err := g.Reach(table.ID, false); err != nil || len(down) != 1 || down[0] != "job://j" {
		t.Errorf("below the table's id: %v, %v", down, err)
	}
	if len(g.Edges()) != 1 {
		t.Errorf("edges %v: one leads from an asset to itself", g.Edges())
	}
}
