package postgres_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/connectors/postgres"
	"dw/lineage"
)

// TestStatements: the catalogue states tables and views with their columns and what
// a view reads, in ids that a dbt relation and a fuller name are joined with; a name
// with dots and quotes is no other table's.
func TestStatements(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, "CREATE SCHEMA shop", "CREATE TABLE shop.orders (id int, price numeric)", "COMMENT ON TABLE shop.orders IS 'What people bought'",
		"INSERT INTO shop.orders SELECT g, g FROM generate_series(1, 500) g", "ANALYZE shop.orders",
		`CREATE TABLE shop."odd.name ""x"" <!channel> 🦀" (id int)`, "CREATE VIEW shop.totals AS SELECT sum(price) AS total FROM shop.orders",
		"CREATE MATERIALIZED VIEW shop.kept AS SELECT * FROM shop.totals", "CREATE TABLE elsewhere (x int)")
	now := time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)
	stated, err := w.open(postgres.Options{}).Statements(t.Context(), "catalogue of warehouse", now, "shop")
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for _, a := range stated.Assets {
		text = append(text, fmt.Sprintf("%s %s %v", a.Kind, a.Name, a.Columns))
	}
	if got, want := strings.Join(text, "; "), `view kept [total]; table odd.name "x" <!channel> 🦀 [id]; table orders [id price]; view totals [total]`; got != want {
		t.Errorf("assets are\n%s, want\n%s", got, want)
	}
	b := lineage.NewBuilder()
	stated.Add(b)
	database := strings.TrimPrefix(strings.Split(string(stated.Assets[0].ID), ".")[0], "postgres:///")
	event := lineage.Provenance{Source: "openlineage", SeenAt: now, How: lineage.HowObserved}
	b.AddAsset(lineage.Asset{ID: lineage.AssetID("postgres://db:5432/" + database + ".shop.orders"), Kind: lineage.KindTable, From: []lineage.Provenance{event}})
	b.AddAsset(lineage.Asset{ID: "dbt://shop/model.shop.orders", Kind: lineage.KindModel, Name: "orders", Relation: "postgres:///\"" + database + "\".\"shop\".\"orders\"", From: []lineage.Provenance{event}})
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if g.Len() != 4 {
		t.Errorf("%d assets: the three names of orders are one", g.Len())
	}
	orders, err := g.Resolve("orders")
	if err != nil || orders.Description != "What people bought" || !slices.Equal(orders.Columns, []string{"id", "price"}) || !strings.HasPrefix(orders.Properties["postgres.rows"], "about 500, analysed 2") {
		t.Errorf("orders is %+v, %v", orders, err)
	}
	below, err := g.Trace(orders.ID, false, 0)
	if err != nil || len(below) != 2 || below[0].Depth != 1 || below[1].Depth != 2 {
		t.Errorf("below orders: %+v, %v", below, err)
	}
}
