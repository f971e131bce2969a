package lineage_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"dw/lineage"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	dbt, config := twoSources()
	config.Schedule = &lineage.Schedule{Spec: "0 * * * *", Zone: "Europe/Berlin"}
	config.Readers, config.Paused, config.File = 4, true, "models/orders.sql"
	g := build(t, []lineage.Asset{
		dbt, config, asset("raw", lineage.KindSource), asset("pay", lineage.KindJob), asset("report", lineage.KindDashboard),
	}, edges("raw > orders > pay > report"))
	last := lineage.Line{Label: "last check", Value: "pass", Source: "dw", Age: "5 m"}
	e, err := g.Explain(id("orders"), noon, last)
	if err != nil {
		t.Fatal(err)
	}
	const byConfig, byDBT, hour, minute = "config", "dbt manifest", "1 h 0 m", "1 m"
	want := []lineage.Line{
		{"what", "model", byDBT, minute, false},
		{"description", "all orders", byDBT, minute, false},
		{"owner", "finance", byConfig, hour, false},
		{"owner", "analytics", byDBT, minute, false},
		last,
		{"domain", "sales", byConfig, hour, false},
		{"schedule", "0 * * * * Europe/Berlin", byConfig, hour, false},
		{"SLA", "not declared", "", "", false},
		{"moves", "money", byConfig, hour, false},
		{"readers", "4", byConfig, hour, false},
		{"paused", "yes", byConfig, hour, false},
		{"file", "models/orders.sql", byConfig, hour, false},
		{"columns", "id, total", byDBT, minute, false},
		{"also called", "shop.fct_orders", byDBT, minute, false},
		{"dbt.group", "core", byDBT, minute, false},
		{"tier", "1", byConfig, hour, false},
		{"another source states name", "fct_orders", byDBT, minute, false},
		{"another source states owner", "analytics, finance", byDBT, minute, false},
		{"another source states property tier", "2", byDBT, minute, false},
		{"fed by", "raw (source) test://raw", byDBT, hour, false},
		{"feeds", "pay (job) test://pay", byDBT, hour, false},
		{"below it", "2 assets in all", byDBT, hour, false},
	}
	got := e.Lines()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("line %d differs:\n got %+v\nwant %+v", i, got, want)
		}
	}
	if len(e.Upstream) != 1 || e.Upstream[0].Name != "raw" || len(e.Downstream) != 1 || e.Downstream[0].Name != "pay" {
		t.Errorf("neighbours are %v and %v", e.Upstream, e.Downstream)
	}
}

func TestExplainWithNothingDeclared(t *testing.T) {
	t.Parallel()
	g := build(t, []lineage.Asset{{ID: "x://y.z", Kind: lineage.KindTable, From: []lineage.Provenance{{Source: "wiki"}}}}, nil)
	e, err := g.Explain("x://y.z", noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []lineage.Line{
		{"what", "table", "wiki", "unknown", false},
		{"owner", "not declared", "", "", false},
		{"fed by", "nothing that a source states", "", "", false},
		{"below it", "0 assets in all", "", "", false},
	} {
		if !slices.Contains(e.Lines(), want) {
			t.Errorf("lines %+v lack %+v", e.Lines(), want)
		}
	}
	if e.Asset.Name != "z" {
		t.Errorf("an unnamed asset is called %q, want the last part of its id", e.Asset.Name)
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"upstream", "downstream", "owners", "conflicts", "lines"} {
		if _, ok := fields[list].([]any); !ok {
			t.Errorf("%s is %v in JSON, want a list", list, fields[list])
		}
	}
	var unknown *lineage.UnknownAssetError
	if _, err := g.Explain("x://y", noon); !errors.As(err, &unknown) {
		t.Errorf("an unknown asset is explained: %v", err)
	}
}
