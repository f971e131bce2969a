package lineage_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/lineage"
)

// twoSources states the same asset by dbt and by config, which disagree.
func twoSources() (dbt, config lineage.Asset) {
	dbtSeen := lineage.Provenance{Source: lineage.SourceManifest, SeenAt: noon.Add(-time.Minute)}
	dbt = lineage.Asset{
		ID: id("orders"), Kind: lineage.KindModel, Name: "fct_orders", Description: "all orders",
		Owners:  []lineage.Fact{{Value: "analytics", From: dbtSeen}, {Value: "finance", From: dbtSeen}},
		Columns: []string{"id", "total"}, Aliases: []string{"shop.fct_orders"}, From: []lineage.Provenance{dbtSeen},
		Properties: map[string]string{"dbt.group": "core", "tier": "2"},
	}
	config = lineage.Asset{
		ID: id("orders"), Name: "orders", Domain: "sales", Moves: lineage.MovesMoney,
		Owners:     []lineage.Fact{{Value: "finance", From: seen(lineage.SourceConfig)}},
		From:       []lineage.Provenance{seen(lineage.SourceConfig)},
		Properties: map[string]string{"tier": "1"},
	}
	return dbt, config
}

func TestBuildMergesSources(t *testing.T) {
	t.Parallel()
	dbt, config := twoSources()
	g := build(t, []lineage.Asset{dbt, config}, nil)
	a, ok := g.Asset(id("orders"))
	if !ok {
		t.Fatal("the asset is missing")
	}
	if a.Kind != lineage.KindModel || a.Description != "all orders" || a.Domain != "sales" || a.Moves != lineage.MovesMoney {
		t.Errorf("fields that one source states are lost: %+v", a)
	}
	if a.Name != "orders" || !slices.Contains(a.Aliases, "fct_orders") || !slices.Contains(a.Aliases, "shop.fct_orders") {
		t.Errorf("name %q, aliases %q: config names it, the other name stays an alias", a.Name, a.Aliases)
	}
	if len(a.Owners) != 2 || a.Owners[0].Value != "finance" || a.Owners[0].From.Source != lineage.SourceConfig || a.Owners[1].Value != "analytics" {
		t.Errorf("owners are %v, want config's first and every other kept", a.Owners)
	}
	if a.Properties["tier"] != "1" || a.Properties["dbt.group"] != "core" {
		t.Errorf("properties are %v", a.Properties)
	}
	if len(a.From) != 2 {
		t.Errorf("provenance is %v, want both sources", a.From)
	}
	if found, err := g.Resolve("fct_orders"); err != nil || found.ID != a.ID {
		t.Errorf("the name of the other source finds %q, %v", found.ID, err)
	}
}

func TestBuildKeepsConflicts(t *testing.T) {
	t.Parallel()
	dbt, config := twoSources()
	a, _ := build(t, []lineage.Asset{dbt, config}, nil).Asset(id("orders"))
	got := map[string][]string{}
	for _, conflict := range a.Conflicts() {
		for _, c := range conflict.Claims {
			got[conflict.Field] = append(got[conflict.Field], c.From.Source+": "+c.Value)
		}
	}
	want := map[string][]string{
		"name":          {"config: orders", "dbt manifest: fct_orders"},
		"owner":         {"config: finance", "dbt manifest: analytics, finance"},
		"property tier": {"config: 1", "dbt manifest: 2"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("conflicts are %v, want %v", got, want)
	}
}

// TestBuildDoesNotDependOnOrder holds that the same statements in another order
// give the same graph, and that a merged asset read back gives itself.
func TestBuildDoesNotDependOnOrder(t *testing.T) {
	t.Parallel()
	dbt, config := twoSources()
	g := build(t, []lineage.Asset{dbt, config, asset("b", lineage.KindJob)}, edges("orders > b"))
	other := build(t, []lineage.Asset{asset("b", lineage.KindJob), config, dbt}, edges("orders > b"))
	if !reflect.DeepEqual(g.Assets(), other.Assets()) {
		t.Errorf("graphs differ:\n%+v\n%+v", g.Assets(), other.Assets())
	}
	again := build(t, g.Assets(), g.Edges())
	if !reflect.DeepEqual(again.Assets(), g.Assets()) || !reflect.DeepEqual(again.Edges(), g.Edges()) {
		t.Errorf("a graph read back differs:\n%+v\n%+v", again.Assets(), g.Assets())
	}
}

func TestBuildMergesEdges(t *testing.T) {
	t.Parallel()
	link := func(source string, age time.Duration, use string) lineage.Edge {
		return lineage.Edge{From: id("a"), To: id("b"), Use: use, Seen: lineage.Provenance{Source: source, SeenAt: noon.Add(-age)}}
	}
	g := build(t, []lineage.Asset{asset("a", lineage.KindTable), asset("b", lineage.KindTable)}, []lineage.Edge{
		link("dbt manifest", 48*time.Hour, ""), link("query log", time.Hour, lineage.UseFilter),
		link("parser", 3*time.Hour, lineage.UseValue), link("query log", time.Hour, lineage.UseFilter),
	})
	all := g.Edges()
	if len(all) != 1 {
		t.Fatalf("%d edges, want one of the three statements", len(all))
	}
	e := all[0]
	if e.Seen.Source != "query log" || len(e.Also) != 2 || e.Also[1].Source != "dbt manifest" || e.Use != lineage.UseValue {
		t.Errorf("edge is %+v, want the newest first and the others kept", e)
	}
}

func TestBuildBoundsItsErrors(t *testing.T) {
	t.Parallel()
	b := lineage.NewBuilder()
	for i := range 1000 {
		b.AddEdge(edges(fmt.Sprintf("a%d > b", i))[0])
	}
	_, err := b.Build()
	if err == nil || strings.Count(err.Error(), "\n") > 25 || !strings.Contains(err.Error(), "more edges") {
		t.Errorf("error is %v, want the first few and a word about the rest", err)
	}
}

func TestBuildKeepsColumnsOnceInOrder(t *testing.T) {
	t.Parallel()
	var columns []string
	for i := range 100 {
		columns = append(columns, fmt.Sprintf("c%d", i))
	}
	wide := func(source string, columns []string) lineage.Asset {
		return asset("wide", lineage.KindTable, func(a *lineage.Asset) {
			a.Columns, a.From = columns, []lineage.Provenance{seen(source)}
		})
	}
	g := build(t, []lineage.Asset{wide("a", columns[:90]), wide("b", columns[10:])}, nil)
	if a, _ := g.Asset(id("wide")); !slices.Equal(a.Columns, columns) || len(a.Conflicts()) != 0 {
		t.Errorf("columns are %v with conflicts %v, want each once and no conflict", a.Columns, a.Conflicts())
	}
}

func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		assets []lineage.Asset
		edges  []lineage.Edge
		want   []string
	}{
		{
			"an id without a system",
			[]lineage.Asset{asset("a", lineage.KindTable, func(a *lineage.Asset) { a.ID = "orders" })},
			nil,
			[]string{`"orders"`, "system://path"},
		},
		{
			"an id without a path",
			[]lineage.Asset{asset("a", lineage.KindTable, func(a *lineage.Asset) { a.ID = "dbt://" })},
			nil,
			[]string{"system://path"},
		},
		{"no kind", []lineage.Asset{asset("a", "")}, nil, []string{"test://a", "kind"}},
		{
			"no provenance",
			[]lineage.Asset{asset("a", lineage.KindTable, func(a *lineage.Asset) { a.From = nil })},
			nil,
			[]string{"test://a", "provenance"},
		},
		{"an unknown money class", []lineage.Asset{asset("a", lineage.KindJob, moves("cash"))}, nil, []string{`"cash"`, "money"}},
		{
			"fewer than no readers",
			[]lineage.Asset{asset("a", lineage.KindJob, func(a *lineage.Asset) { a.Readers = -1 })},
			nil,
			[]string{"readers"},
		},
		{
			"an edge to nowhere",
			[]lineage.Asset{asset("orders", lineage.KindTable)},
			edges("orders > order"),
			[]string{"test://orders -> test://order", "near names: orders"},
		},
		{
			"an edge from nowhere",
			[]lineage.Asset{asset("orders", lineage.KindTable)},
			edges("order > orders"),
			[]string{"from", "test://order"},
		},
		{
			"an edge without provenance",
			[]lineage.Asset{asset("a", lineage.KindTable)},
			[]lineage.Edge{{From: id("a"), To: id("a")}},
			[]string{"provenance"},
		},
		{
			"all errors at once",
			[]lineage.Asset{asset("a", ""), asset("b", "")},
			edges("a > c"),
			[]string{"test://a", "test://b", "test://c"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := lineage.NewBuilder()
			for _, a := range tt.assets {
				b.AddAsset(a)
			}
			for _, e := range tt.edges {
				b.AddEdge(e)
			}
			_, err := b.Build()
			if err == nil {
				t.Fatal("it is accepted")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error is %q, want it to say %q", err, want)
				}
			}
		})
	}
}
