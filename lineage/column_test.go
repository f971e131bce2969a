package lineage_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/lineage"
)

// columnGraph is raw > stg > mart > board, with columns from raw to mart, a table
// `side` whose columns nobody states, and `blind`, which no source says how it
// reads mart.
func columnGraph(t *testing.T) *lineage.Graph {
	t.Helper()
	from := lineage.Provenance{Source: lineage.SourceManifest, SeenAt: time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)}
	b := lineage.NewBuilder()
	for name, columns := range map[string][]string{
		"raw": {"id", "price", "net.eur"}, "stg": {"ID", "price"}, "mart": {"id", "total", "flag"}, "side": nil, "blind": {"x"}, "board": nil,
	} {
		b.AddAsset(lineage.Asset{ID: lineage.AssetID("dbt://p/" + name), Kind: lineage.KindModel, Name: name, Columns: columns, From: []lineage.Provenance{from}})
	}
	link := func(from, to string, more ...string) lineage.ColumnLink {
		return lineage.ColumnLink{From: from, To: to, Use: lineage.UseValue, By: "engine with catalog", Unsure: slices.Contains(more, "unsure")}
	}
	for _, e := range []struct {
		from, to string
		links    []lineage.ColumnLink
	}{
		{"raw", "stg", []lineage.ColumnLink{link("*", "*")}},
		{"stg", "mart", []lineage.ColumnLink{link("id", "id"), link("price", "total"), link("*", "flag", "unsure")}},
		{"mart", "blind", nil},
		{"blind", "board", []lineage.ColumnLink{link("x", "")}},
		{"mart", "side", []lineage.ColumnLink{{}}},
	} {
		b.AddEdge(lineage.Edge{From: lineage.AssetID("dbt://p/" + e.from), To: lineage.AssetID("dbt://p/" + e.to), Seen: from, Columns: e.links})
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestResolveColumn(t *testing.T) {
	t.Parallel()
	g := columnGraph(t)
	for name, want := range map[string]string{
		"stg": "stg|", "stg.id": "stg|ID", "dbt://p/raw.price": "raw|price", "raw.net.eur": "raw|net.eur", "mart.TOTAL": "mart|total",
	} {
		a, column, err := g.ResolveColumn(name)
		if got := a.Name + "|" + column; err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
	var column *lineage.UnknownColumnError
	if _, _, err := g.ResolveColumn("mart.ghost"); !errors.As(err, &column) || !strings.Contains(err.Error(), "it has id, total, flag") {
		t.Errorf("a column that is none: %v", err)
	}
	var unknown *lineage.UnknownAssetError
	for _, name := range []string{"side.x", "nobody.x", "nobody"} {
		if _, _, err := g.ResolveColumn(name); !errors.As(err, &unknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTraceColumn(t *testing.T) {
	t.Parallel()
	g := columnGraph(t)
	for question, want := range map[string]string{
		// A star hands the column on under its name; what may be meant is kept, as not
		// sure; what no source states is followed as if it read everything.
		"down raw.price 0": "1 stg.price; 2 mart.flag?; 2 mart.total; 3 blind.?; 4 board.?",
		"down raw.price 1": "1 stg.price",
		"up mart.total 0":  "1 stg.price; 2 raw.price",
		"up mart.flag 1":   "1 stg.?",
		"up mart.id 0":     "1 stg.id; 2 raw.id",
		"up board.y 0":     "1 blind.x; 2 mart.?; 3 stg.?; 3 stg.id?; 3 stg.price?; 4 raw.?; 4 raw.id?; 4 raw.price?",
	} {
		var up, name string
		var depth int
		if _, err := fmt.Sscan(question, &up, &name, &depth); err != nil {
			t.Fatal(err)
		}
		asset, column, _ := strings.Cut(name, ".")
		steps, err := g.TraceColumn(lineage.AssetID("dbt://p/"+asset), column, up == "up", depth)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range steps {
			sure := "?"
			if s.Sure {
				sure = ""
			}
			got = append(got, fmt.Sprintf("%d %s.%s%s", s.Depth, strings.TrimPrefix(string(s.Asset), "dbt://p/"), s.Column, sure))
		}
		if joined := strings.Join(got, "; "); joined != want {
			t.Errorf("%s:\n got %s\nwant %s", question, joined, want)
		}
	}
}

// TestColumnBlast: of what lies below, only what may take in the column is counted,
// and the answer says of how many it is not known.
func TestColumnBlast(t *testing.T) {
	t.Parallel()
	g := columnGraph(t)
	for column, want := range map[string]string{"id": "blind board mart", "price": "blind board mart"} {
		radius, err := g.BlastRadius("dbt://p/stg", lineage.BlastOptions{Now: time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC), Due: noSchedules})
		if err == nil {
			radius, err = g.OnlyColumn(radius, column)
		}
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range radius.Consumers {
			got = append(got, c.Name)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want || !strings.Contains(strings.Join(radius.Unknowns, "; "), "no source says which columns they read") {
			t.Errorf("%s: %v, %v", column, got, radius.Unknowns)
		}
	}
	// total of mart reaches blind alone, because side counts rows.
	radius, err := g.BlastRadius("dbt://p/mart", lineage.BlastOptions{Now: time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC), Due: noSchedules})
	if err == nil {
		radius, err = g.OnlyColumn(radius, "total")
	}
	if err != nil || len(radius.Consumers) != 2 || radius.Counts[lineage.KindModel] != 2 || radius.Name != "mart.total" {
		t.Errorf("%+v, %v", radius.Consumers, err)
	}
}

func noSchedules(string, string, time.Time, time.Time) ([]time.Time, error) { return nil, nil }

// TestDropOfAColumn: stars, links that may be meant, and rows that are only
// counted.
func TestDropOfAColumn(t *testing.T) {
	t.Parallel()
	g := columnGraph(t)
	for _, tc := range []struct{ asset, column, want string }{
		{"raw", "price", "blind changes? board changes? mart changes? side unaffected stg breaks"},
		{"mart", "total", "blind breaks? board changes? side unaffected"},
		{"blind", "x", "board breaks"},
	} {
		impact, err := g.ChangeImpact(lineage.Change{Asset: lineage.AssetID("dbt://p/" + tc.asset), Column: tc.column, Kind: lineage.ChangeDrop})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, i := range impact.Impacts {
			mark := "?"
			if i.Sure {
				mark = ""
			}
			got = append(got, i.Name+" "+i.Outcome+mark)
		}
		slices.Sort(got)
		if joined := strings.Join(got, " "); joined != tc.want {
			t.Errorf("%s.%s: %s, want %s", tc.asset, tc.column, joined, tc.want)
		}
	}
}
