package lineage_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/lineage"
)

// shopManifest has one entry of each kind that a manifest holds, and entries
// that are no assets between them.
const shopManifest = `{
 "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json",
  "generated_at": "2026-11-30T11:35:00.5Z", "project_name": "shop", "adapter_type": "bigquery"},
 "nodes": {
  "model.shop.fct_orders": {"unique_id": "model.shop.fct_orders", "resource_type": "model", "name": "fct_orders",
   "package_name": "shop", "original_file_path": "models\\marts\\fct_orders.sql", "alias": "orders_final",
   "relation_name": "` + "`shop`.`mart`.`orders_final`" + `", "description": "One row per order.",
   "columns": {"order_id": {"name": "order_id"}, "amount": {"name": "amount"}, "at": {"name": "at"}},
   "config": {"materialized": "table", "group": "sales", "meta": {"owner": ["ana", "ben"]}}, "meta": {"owner": "@ana"},
   "depends_on": {"macros": ["macro.dbt.x"], "nodes": ["source.shop.raw.events", "seed.shop.rates", "snapshot.shop.snap", "model.shop.gone"]}},
  "seed.shop.rates": {"unique_id": "seed.shop.rates", "resource_type": "seed", "name": "rates", "package_name": "shop",
   "original_file_path": "seeds/rates.csv", "depends_on": {"macros": []}},
  "snapshot.shop.snap": {"unique_id": "snapshot.shop.snap", "resource_type": "snapshot", "name": "snap", "package_name": "shop"},
  "model.shop.dim.v1": {"unique_id": "model.shop.dim.v1", "resource_type": "model", "name": "dim", "package_name": "shop",
   "version": 1, "latest_version": 2, "alias": "dim_v1"},
  "model.shop.dim.v2": {"unique_id": "model.shop.dim.v2", "resource_type": "model", "name": "dim", "package_name": "shop",
   "version": 2, "latest_version": 2, "alias": "dim_v2", "meta": "none"},
  "model.tools.spine": {"unique_id": "model.tools.spine", "resource_type": "model", "name": "spine", "package_name": "tools",
   "original_file_path": "models/spine.sql"},
  "test.shop.unique": {"unique_id": "test.shop.unique", "resource_type": "test", "name": "unique", "depends_on": {"nodes": ["model.shop.fct_orders"]}}
 },
 "sources": {"source.shop.raw.events": {"unique_id": "source.shop.raw.events", "resource_type": "source", "name": "events",
  "source_name": "raw", "identifier": "checkout_events", "relation_name": "` + "`shop`.`raw`.`checkout_events`" + `", "package_name": "shop"}},
 "exposures": {
  "exposure.shop.review": {"unique_id": "exposure.shop.review", "resource_type": "exposure", "name": "review", "type": "dashboard",
   "maturity": "high", "url": "https://bi.example/review", "label": "Trading review", "package_name": "shop",
   "owner": {"name": "Cleo", "email": ["cleo@example.com", "bi@example.com"]},
   "depends_on": {"nodes": ["metric.shop.revenue"]}},
  "exposure.shop.app": {"unique_id": "exposure.shop.app", "resource_type": "exposure", "name": "app", "type": "application",
   "owner": {"email": "app@example.com"}, "depends_on": {"nodes": ["model.shop.fct_orders"]}}
 },
 "metrics": {"metric.shop.revenue": {"unique_id": "metric.shop.revenue", "resource_type": "metric", "name": "revenue",
  "depends_on": {"nodes": ["semantic_model.shop.orders", "metric.shop.revenue"]}}},
 "semantic_models": {"semantic_model.shop.orders": {"unique_id": "semantic_model.shop.orders", "resource_type": "semantic_model",
  "name": "orders", "depends_on": {"nodes": ["model.shop.fct_orders"]}}},
 "groups": {"group.shop.sales": {"name": "sales", "owner": {"name": "Sales data", "email": "sales@example.com"}}},
 "disabled": {"model.shop.off": [{"unique_id": "model.shop.off", "resource_type": "model"}]},
 "macros": {"macro.dbt.x": {"unique_id": "macro.dbt.x"}}, "parent_map": {}, "child_map": null
}`

func load(t testing.TB, text string, opts lineage.ManifestOptions) (map[lineage.AssetID]lineage.Asset, []lineage.Edge) {
	t.Helper()
	assets, links, err := lineage.LoadManifest(strings.NewReader(text), opts)
	if err != nil {
		t.Fatal(err)
	}
	byID := map[lineage.AssetID]lineage.Asset{}
	for _, a := range assets {
		byID[a.ID] = a
	}
	return byID, links
}

func TestLoadManifestModel(t *testing.T) {
	t.Parallel()
	assets, _ := load(t, shopManifest, lineage.ManifestOptions{Root: "/repo"})
	from := lineage.Provenance{
		Source: "dbt manifest", How: lineage.HowDeclared,
		SeenAt: time.Date(2026, 11, 30, 11, 35, 0, 500_000_000, time.UTC),
	}
	want := lineage.Asset{
		ID: "dbt://shop/model.shop.fct_orders", Kind: lineage.KindModel, Name: "fct_orders",
		Aliases:     []string{"orders_final", "`shop`.`mart`.`orders_final`", "model.shop.fct_orders"},
		Relation:    "bigquery:///`shop`.`mart`.`orders_final`",
		Description: "One row per order.",
		Owners: []lineage.Fact{
			{Value: "ana", From: from}, {Value: "ben", From: from}, {Value: "@ana", From: from}, {Value: "Sales data", From: from},
		},
		Columns: []string{"order_id", "amount", "at"}, File: "models/marts/fct_orders.sql", Root: "/repo",
		Properties: map[string]string{
			"dbt.resource_type": "model", "dbt.materialized": "table", "dbt.package": "shop", "dbt.group": "sales",
		},
		From: []lineage.Provenance{from},
	}
	if got := assets[want.ID]; !reflect.DeepEqual(got, want) {
		t.Errorf("model is\n%+v\nwant\n%+v", got, want)
	}
}

func TestLoadManifestKinds(t *testing.T) {
	t.Parallel()
	assets, links := load(t, shopManifest, lineage.ManifestOptions{Project: "eu"})
	want := map[lineage.AssetID]string{
		"dbt://eu/model.shop.fct_orders":  "model fct_orders",
		"dbt://eu/model.shop.dim.v1":      "model dim.v1",
		"dbt://eu/model.shop.dim.v2":      "model dim",
		"dbt://eu/model.shop.gone":        "model gone",
		"dbt://eu/model.tools.spine":      "model spine",
		"dbt://eu/seed.shop.rates":        "table rates",
		"dbt://eu/snapshot.shop.snap":     "table snap",
		"dbt://eu/source.shop.raw.events": "source events",
		"dbt://eu/exposure.shop.review":   "dashboard review",
		"dbt://eu/exposure.shop.app":      "exposure app",
	}
	got := map[lineage.AssetID]string{}
	for id, a := range assets {
		got[id] = string(a.Kind) + " " + a.Name
	}
	if !maps.Equal(got, want) {
		t.Errorf("assets are %v, want %v", got, want)
	}
	var pairs []string
	for _, e := range links {
		pairs = append(pairs, strings.TrimPrefix(string(e.From), "dbt://eu/")+" > "+strings.TrimPrefix(string(e.To), "dbt://eu/"))
	}
	wantPairs := []string{
		"model.shop.fct_orders > exposure.shop.app",
		"model.shop.fct_orders > exposure.shop.review", // through a metric and a semantic model
		"model.shop.gone > model.shop.fct_orders",
		"seed.shop.rates > model.shop.fct_orders",
		"snapshot.shop.snap > model.shop.fct_orders",
		"source.shop.raw.events > model.shop.fct_orders",
	}
	if !slices.Equal(pairs, wantPairs) {
		t.Errorf("edges are %q, want %q", pairs, wantPairs)
	}
	if file := assets["dbt://eu/model.tools.spine"].File; file != "dbt_packages/tools/models/spine.sql" {
		t.Errorf("the file of a package's model is %q", file)
	}
	if note := assets["dbt://eu/model.shop.gone"].Properties["dbt.described"]; !strings.HasPrefix(note, "no") {
		t.Errorf("a model that is only named says %q", note)
	}
}

func TestLoadManifestExposure(t *testing.T) {
	t.Parallel()
	assets, _ := load(t, shopManifest, lineage.ManifestOptions{})
	review, app := assets["dbt://shop/exposure.shop.review"], assets["dbt://shop/exposure.shop.app"]
	want := map[string]string{
		"dbt.resource_type": "exposure", "dbt.type": "dashboard", "dbt.maturity": "high", "dbt.package": "shop",
		"dbt.url": "https://bi.example/review", "dbt.owner_email": "cleo@example.com, bi@example.com",
	}
	if review.FirstOwner() != "Cleo" || !slices.Contains(review.Aliases, "Trading review") || !maps.Equal(review.Properties, want) {
		t.Errorf("exposure is %+v", review)
	}
	if app.FirstOwner() != "app@example.com" {
		t.Errorf("an owner without a name is %q, want the address", app.FirstOwner())
	}
	if review.Moves != "" || review.Readers != 0 {
		t.Errorf("a money class or readers were invented: %+v", review)
	}
}

func TestLoadManifestResolves(t *testing.T) {
	t.Parallel()
	assets, links, err := lineage.LoadManifest(strings.NewReader(shopManifest), lineage.ManifestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	g := build(t, assets, links)
	for asked, want := range map[string]lineage.AssetID{
		"dim":                      "dbt://shop/model.shop.dim.v2",
		"dim.v2":                   "dbt://shop/model.shop.dim.v2",
		"dim.v1":                   "dbt://shop/model.shop.dim.v1",
		"raw.events":               "dbt://shop/source.shop.raw.events",
		"shop.raw.checkout_events": "dbt://shop/source.shop.raw.events",
		"checkout_events":          "dbt://shop/source.shop.raw.events",
		"MART.ORDERS_FINAL":        "dbt://shop/model.shop.fct_orders",
		"Trading review":           "dbt://shop/exposure.shop.review",
	} {
		if a, err := g.Resolve(asked); err != nil || a.ID != want {
			t.Errorf("resolve %q: %q, %v, want %q", asked, a.ID, err, want)
		}
	}
}

func TestLoadManifestGzip(t *testing.T) {
	t.Parallel()
	plain, plainEdges, err := lineage.LoadManifest(strings.NewReader("\xef\xbb\xbf"+shopManifest), lineage.ManifestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	zipped, zippedEdges, err := lineage.LoadManifest(bytes.NewReader(zip(t, shopManifest)), lineage.ManifestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(plain, zipped) || !reflect.DeepEqual(plainEdges, zippedEdges) {
		t.Error("the same manifest gives other assets with gzip")
	}
}

// TestLoadManifestSameTable holds that a seed which the project reads back as a
// source leads on to all that reads the source.
func TestLoadManifestSameTable(t *testing.T) {
	t.Parallel()
	const text = `{"metadata": {"dbt_schema_version": "x/manifest/v12.json", "project_name": "shop"},
	 "nodes": {"seed.shop.raw": {"resource_type": "seed", "relation_name": "\"db\".\"s\".\"RAW\""},
	  "model.shop.a": {"resource_type": "model", "relation_name": null, "depends_on": {"nodes": ["source.shop.x.raw"]}}},
	 "sources": {"source.shop.x.raw": {"resource_type": "source", "relation_name": "db.s.raw"},
	  "source.shop.x.none": {"resource_type": "source"}}}`
	assets, links, err := lineage.LoadManifest(strings.NewReader(text), lineage.ManifestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	reach, err := build(t, assets, links).Reach("dbt://shop/seed.shop.raw", false)
	want := []lineage.AssetID{"dbt://shop/source.shop.x.raw", "dbt://shop/model.shop.a"}
	if err != nil || !slices.Equal(reach, want) {
		t.Errorf("the seed reaches %v, %v, want %v", reach, err, want)
	}
}

func zip(t testing.TB, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestLoadManifestSizeLimit(t *testing.T) {
	t.Parallel()
	size := int64(len(shopManifest))
	if _, _, err := lineage.LoadManifest(strings.NewReader(shopManifest), lineage.ManifestOptions{SizeLimit: size}); err != nil {
		t.Errorf("a manifest of exactly the limit: %v", err)
	}
	for name, text := range map[string][]byte{"plain": []byte(shopManifest), "gzip": zip(t, shopManifest)} {
		_, _, err := lineage.LoadManifest(bytes.NewReader(text), lineage.ManifestOptions{SizeLimit: size - 1})
		var large *lineage.TooLargeError
		if !errors.As(err, &large) || large.Limit != size-1 {
			t.Errorf("%s over the limit: %v, want a TooLargeError", name, err)
		}
	}
}

// TestLoadManifestTruncated holds that no cut of the file passes for a manifest
// and that the error says where it ends.
func TestLoadManifestTruncated(t *testing.T) {
	t.Parallel()
	zipped := zip(t, shopManifest)
	for cut := 0; cut < len(shopManifest); cut += 7 {
		assets, _, err := lineage.LoadManifest(strings.NewReader(shopManifest[:cut]), lineage.ManifestOptions{})
		if err == nil || assets != nil || !strings.Contains(err.Error(), "byte") {
			t.Fatalf("cut at %d of %d: %d assets, %v", cut, len(shopManifest), len(assets), err)
		}
	}
	for cut := 2; cut < len(zipped); cut += 7 {
		if assets, _, err := lineage.LoadManifest(bytes.NewReader(zipped[:cut]), lineage.ManifestOptions{}); err == nil || assets != nil {
			t.Fatalf("gzip cut at %d of %d: %d assets, %v", cut, len(zipped), len(assets), err)
		}
	}
	cut := strings.Index(shopManifest, `"seed.shop.rates": {`) + 40
	_, _, err := lineage.LoadManifest(strings.NewReader(shopManifest[:cut]), lineage.ManifestOptions{})
	for _, want := range []string{"truncated", "nodes", `"seed.shop.rates"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want it to say %s", err, want)
		}
	}
}

func TestLoadManifestMalformed(t *testing.T) {
	t.Parallel()
	const meta = `"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json", "project_name": "shop"}`
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", ``, []string{"truncated", "byte 0"}},
		{"not JSON", `hello`, []string{"invalid character"}},
		{"a list", `[]`, []string{"want an object"}},
		{"no metadata", `{"nodes": {}}`, []string{"no metadata", "not a dbt manifest"}},
		{"no version", `{"metadata": {}}`, []string{"dbt_schema_version is missing"}},
		{
			"a catalog", `{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/catalog/v1.json"}}`,
			[]string{"catalog/v1", "not a dbt manifest"},
		},
		{
			"too old", `{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v0.json"}}`,
			[]string{"v0", "v1 to v12"},
		},
		{
			"too new", `{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v20.json"}}`,
			[]string{"v20", "v1 to v12"},
		},
		{
			"no project", `{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json"}}`,
			[]string{"project"},
		},
		{
			"no time", `{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json", "generated_at": "now"}}`,
			[]string{"generated_at", `"now"`},
		},
		{"nodes is a list", `{` + meta + `, "nodes": []}`, []string{"nodes", "want an object"}},
		{"a node is a text", `{` + meta + `, "nodes": {"model.shop.a": "x"}}`, []string{`nodes "model.shop.a"`}},
		{
			"a name is an object", `{` + meta + `, "nodes": {"model.shop.a": {"name": {"x": 1}}}}`,
			[]string{`nodes "model.shop.a"`, "want a text"},
		},
		{"a broken entry", `{` + meta + `, "sources": {"source.shop.a": {"name": "a",}}}`, []string{`sources "source.shop.a"`}},
		{"more after the end", `{` + meta + `} {}`, []string{"more text"}},
		{
			"a file outside of the project", `{` + meta + `, "nodes": {"model.shop.a": {"original_file_path": "../../etc/passwd"}}}`,
			[]string{"model.shop.a", "../../etc/passwd", "out of the project"},
		},
		{
			"a package outside of the project", `{` + meta + `, "nodes": {"model.shop.a": {"original_file_path": "a.sql", "package_name": "../../.."}}}`,
			[]string{"model.shop.a", "out of the project"},
		},
		{"broken gzip", "\x1f\x8bnot gzip at all", []string{"gzip"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assets, links, err := lineage.LoadManifest(strings.NewReader(tt.text), lineage.ManifestOptions{})
			if err == nil || assets != nil || links != nil {
				t.Fatalf("it is accepted: %v", assets)
			}
			for _, want := range append(tt.want, "read dbt manifest") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error is %q, want it to say %q", err, want)
				}
			}
		})
	}
}

func TestLoadManifestAge(t *testing.T) {
	t.Parallel()
	const text = `{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json", "project_name": "shop"%s},
		"nodes": {"model.shop.a": {"name": "a"}}}`
	dated := fmt.Sprintf(text, `, "generated_at": "2026-11-29T12:00:00+01:00"`)
	tests := []struct {
		name, text string
		fallback   time.Time
		want       time.Time
	}{
		{"its own time", dated, noon, time.Date(2026, 11, 29, 11, 0, 0, 0, time.UTC)},
		{"the given time", fmt.Sprintf(text, ""), noon, noon},
		{"none", fmt.Sprintf(text, ""), time.Time{}, time.Time{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assets, _ := load(t, tt.text, lineage.ManifestOptions{SeenAt: tt.fallback})
			got := assets["dbt://shop/model.shop.a"].From[0].SeenAt
			if !got.Equal(tt.want) || got.IsZero() != tt.want.IsZero() {
				t.Errorf("seen at %v, want %v", got, tt.want)
			}
		})
	}
}

// FuzzLoadManifest holds that any bytes give assets or an error, and that what
// is accepted makes a graph in which each asset is explained.
func FuzzLoadManifest(f *testing.F) {
	f.Add([]byte(shopManifest))
	f.Add([]byte(`{"metadata":{"dbt_schema_version":"x/manifest/v7.json"},"nodes":{"model.a.b":{"package_name":"a"}}}`))
	f.Add([]byte(`{"metadata":null,"groups":{"g":{"owner":[1]}}}`))
	f.Add(zip(f, shopManifest))
	f.Fuzz(func(t *testing.T, text []byte) {
		assets, links, err := lineage.LoadManifest(bytes.NewReader(text), lineage.ManifestOptions{SizeLimit: 1 << 20})
		if err != nil {
			if assets != nil || links != nil {
				t.Fatal("an error comes with assets")
			}
			return
		}
		b := lineage.NewBuilder()
		for _, a := range assets {
			b.AddAsset(a)
		}
		for _, e := range links {
			b.AddEdge(e)
		}
		g, err := b.Build()
		if err != nil {
			t.Fatalf("an accepted manifest makes no graph: %v", err)
		}
		for _, a := range assets {
			if _, err := g.Explain(a.ID, noon); err != nil {
				t.Fatal(err)
			}
		}
	})
}
