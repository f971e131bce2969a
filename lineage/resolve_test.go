package lineage_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"dw/lineage"
)

func names(t testing.TB) *lineage.Graph {
	t.Helper()
	return build(t, []lineage.Asset{
		asset("orders", lineage.KindModel, func(a *lineage.Asset) {
			a.ID = "dbt://shop/model.shop.fct_orders"
			a.Name = "fct_orders"
			a.Aliases = []string{`"shop"."mart"."fct_orders"`, "model.shop.fct_orders", "orders_final"}
		}),
		asset("payouts", lineage.KindJob, func(a *lineage.Asset) { a.Name = "Promoter Payouts" }),
		asset("raw", lineage.KindSource, func(a *lineage.Asset) { a.ID, a.Name = "dbt://shop/source.shop.raw.events", "events" }),
		asset("topic", lineage.KindTopic, func(a *lineage.Asset) { a.ID, a.Name = "kafka://events", "events" }),
		asset("dim", lineage.KindModel, func(a *lineage.Asset) { a.Aliases = []string{"dim.v2", "model.shop.dim.v2"} }),
		asset("upper", lineage.KindTable, func(a *lineage.Asset) { a.Name = "Stock" }),
		asset("lower", lineage.KindTable, func(a *lineage.Asset) { a.Name = "stock" }),
	}, nil)
}

func TestResolve(t *testing.T) {
	t.Parallel()
	const orders = lineage.AssetID("dbt://shop/model.shop.fct_orders")
	tests := []struct {
		name, asked string
		want        lineage.AssetID
	}{
		{"id", "dbt://shop/model.shop.fct_orders", orders},
		{"id in another case", "DBT://shop/model.shop.FCT_orders", orders},
		{"short name", "fct_orders", orders},
		{"alias", "orders_final", orders},
		{"the tool's own id", "model.shop.fct_orders", orders},
		{"relation with quotes", `"shop"."mart"."fct_orders"`, orders},
		{"relation without quotes", "shop.mart.fct_orders", orders},
		{"relation with other quotes", "`shop.mart.fct_orders`", orders},
		{"relation in brackets", "[shop].[mart].[FCT_ORDERS]", orders},
		{"relation without database", "mart.fct_orders", orders},
		{"case", "FCT_Orders", orders},
		{"spaces around", "  fct_orders ", orders},
		{"a name with a space", "promoter payouts", id("payouts")},
		{"the exact name before the same in another case", "Stock", id("upper")},
	}
	g := names(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, err := g.Resolve(tt.asked)
			if err != nil || a.ID != tt.want {
				t.Errorf("resolve %q: %q, %v, want %q", tt.asked, a.ID, err, tt.want)
			}
		})
	}
}

func TestResolveAmbiguous(t *testing.T) {
	t.Parallel()
	g := names(t)
	for _, asked := range []string{"events", "EVENTS"} {
		_, err := g.Resolve(asked)
		var ambiguous *lineage.AmbiguousError
		want := []lineage.AssetID{"dbt://shop/source.shop.raw.events", "kafka://events"}
		if !errors.As(err, &ambiguous) || !slices.Equal(ambiguous.Candidates, want) {
			t.Errorf("resolve %q: %v, want both candidates", asked, err)
			continue
		}
		if !strings.Contains(err.Error(), "kafka://events") {
			t.Errorf("%v does not name a candidate", err)
		}
	}
	if _, err := g.Resolve("STOCK"); err == nil {
		t.Error("a name that fits two only without case is accepted")
	}
}

func TestResolveUnknown(t *testing.T) {
	t.Parallel()
	g := names(t)
	tests := []struct {
		name, asked string
		near        []string
	}{
		{"a letter missing", "fct_oders", []string{"fct_orders"}},
		{"letters swapped", "fct_odrers", []string{"fct_orders"}},
		{"letters swapped in a short name", "stokc", []string{"Stock", "stock"}},
		{"a part of it", "orders", []string{"fct_orders"}},
		{"more than it", "fct_orders_v2", []string{"fct_orders"}},
		{"an id with a slip", "dbt://shop/model.shop.fct_order", []string{"fct_orders"}},
		{"a relation with a slip", "shop.mart.fct_ordrs", []string{"fct_orders"}},
		{"an alias with a slip", "orders_finale", []string{"fct_orders"}},
		{"the end of a name that is no relation", "v2", []string{"dim"}},
		{"nothing near", "zzzzzzzz", nil},
		{"nothing asked", "", nil},
		{"only separators", "//..", nil},
		{"a very long name", strings.Repeat("x", 1<<16), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := g.Resolve(tt.asked)
			var unknown *lineage.UnknownAssetError
			if !errors.As(err, &unknown) {
				t.Fatalf("resolve %q: %v, want an unknown asset", tt.asked, err)
			}
			if unknown.Name != tt.asked || !slices.Equal(unknown.Near, tt.near) {
				t.Errorf("near %q are %q, want %q", tt.asked, unknown.Near, tt.near)
			}
		})
	}
}
