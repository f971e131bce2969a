package lineage_test

import (
	"fmt"
	"strings"
	"testing"

	"dw/lineage"
)

func searchGraph(t *testing.T) *lineage.Graph {
	t.Helper()
	b := lineage.NewBuilder()
	b.AddAsset(asset("fct_orders", lineage.KindModel, owner("ann"), func(a *lineage.Asset) { a.Description = "One row per PURCHASE" }))
	b.AddAsset(asset("stg_orders", lineage.KindModel, also("shop.raw.orders"), func(a *lineage.Asset) { a.Columns = []string{"customer_id"} }))
	b.AddAsset(asset("customers", lineage.KindTable))
	b.AddAsset(asset("orders", lineage.KindSource))
	b.AddAsset(asset("loose", lineage.KindTable, func(a *lineage.Asset) { a.Owners = nil }))
	for _, e := range edges("orders > stg_orders > fct_orders", "customers > fct_orders") {
		b.AddEdge(e)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestSearch(t *testing.T) {
	t.Parallel()
	g := searchGraph(t)
	for text, want := range map[string]string{
		"orders":          "orders (name), fct_orders (name), stg_orders (name)",
		"ODRERS":          "orders (name, nearly), stg_orders (name, nearly)",
		"fct_ordrs":       "fct_orders (name, nearly)",
		"shop.raw.orders": "stg_orders (name), orders (name, nearly), fct_orders (name, nearly)",
		"customer_id":     "stg_orders (column), customers (name, nearly)",
		"purchase":        "fct_orders (description)",
		"":                "",
		"nothing_like_it": "",
	} {
		var got []string
		for _, f := range g.Search(text, 0) {
			got = append(got, fmt.Sprintf("%s (%s)", f.Name, f.Where))
		}
		if line := strings.Join(got, ", "); line != want {
			t.Errorf("%q finds %s, want %s", text, line, want)
		}
	}
	if n := len(g.Search("orders", 2)); n != 2 {
		t.Errorf("%d found, want at most 2", n)
	}
}

func TestUnowned(t *testing.T) {
	t.Parallel()
	want := "[{test://orders orders source 2} {test://customers customers table 1} {test://stg_orders stg_orders model 1} {test://loose loose table 0}]"
	if got := fmt.Sprint(searchGraph(t).Unowned()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDisagreements(t *testing.T) {
	t.Parallel()
	b := lineage.NewBuilder()
	b.AddAsset(named("test://a", lineage.KindTable, lineage.SourceConfig, owner("ann")))
	b.AddAsset(named("test://a", lineage.KindTable, "OpenLineage", owner("ben")))
	b.AddAsset(named("test://b", lineage.KindTable, "OpenLineage", owner("ben")))
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range g.Disagreements() {
		for _, c := range d.Conflicts {
			for _, claim := range c.Claims {
				got = append(got, fmt.Sprintf("%s %s %s by %s", d.Asset, c.Field, claim.Value, claim.From.Source))
			}
		}
	}
	if line := strings.Join(got, ", "); line != "test://a owner ann by config, test://a owner ben by OpenLineage" {
		t.Errorf("got %s", line)
	}
}
