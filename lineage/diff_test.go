package lineage_test

import (
	"fmt"
	"strings"
	"testing"

	"dw/lineage"
)

// TestDiff: what a newer state of a project drops, renames or defines anew, and the
// worst that this does to each asset that stays.
func TestDiff(t *testing.T) {
	t.Parallel()
	model := func(name, checksum, relation string, columns ...string) lineage.Asset {
		return asset(name, lineage.KindModel, func(a *lineage.Asset) {
			a.Columns, a.Relation, a.Properties = columns, relation, map[string]string{"dbt.checksum": checksum}
		})
	}
	board := asset("board", lineage.KindDashboard, owner("ceo"))
	old := func() []lineage.Asset {
		return []lineage.Asset{model("orders", "1", "postgres:///s.m.orders", "id", "price"), model("fct", "1", "", "total", "n"), board, model("other", "1", "")}
	}
	links := func() []lineage.Edge {
		chain := edges("orders > fct > board", "other > board")
		chain[0].Columns = []lineage.ColumnLink{{From: "price", To: "total", Use: lineage.UseValue}, {From: "id", To: "n", Use: lineage.UseValue}}
		chain[1].Columns = []lineage.ColumnLink{{From: "total", To: "sum", Use: lineage.UseValue}}
		return chain
	}
	for name, tc := range map[string]struct {
		newer []lineage.Asset
		links []lineage.Edge
		want  string
	}{
		"nothing": {old(), links(), ""},
		"a column is gone": {
			[]lineage.Asset{model("orders", "1", "postgres:///s.m.orders", "id"), old()[1], board, old()[3]},
			nil,
			"drop test://orders.price; breaks fct; changes board",
		},
		"a column that nobody of use reads": {
			[]lineage.Asset{model("orders", "1", "postgres:///s.m.orders", "price"), old()[1], board, old()[3]},
			nil,
			"drop test://orders.id; breaks fct; unaffected board",
		},
		"no columns are stated any more": {[]lineage.Asset{model("orders", "1", "postgres:///s.m.orders"), old()[1], board, old()[3]}, nil, ""},
		"an asset is gone, and what it fed": {
			[]lineage.Asset{board, old()[3]},
			nil,
			"drop test://fct.; drop test://orders.; breaks board",
		},
		"renamed": {
			[]lineage.Asset{model("orders", "1", "postgres:///s.m.orders_v2", "id", "price"), old()[1], board, old()[3]},
			nil,
			"rename test://orders.; breaks fct; changes board",
		},
		"another definition": {
			[]lineage.Asset{old()[0], model("fct", "2", "", "total", "n"), board, old()[3], model("added", "1", "")},
			nil,
			"values test://fct.; changes board; added test://added",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := build(t, old(), links()).Diff(build(t, tc.newer, tc.links))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, one := range d.Differences {
				got = append(got, fmt.Sprintf("%s %s.%s", one.Change.Kind, one.Change.Asset, one.Change.Column))
			}
			for _, i := range d.Worst {
				got = append(got, i.Outcome+" "+i.Name)
			}
			for _, id := range d.Added {
				got = append(got, "added "+string(id))
			}
			if text := strings.Join(got, "; "); text != tc.want {
				t.Errorf("the difference is\n%s, want\n%s", text, tc.want)
			}
		})
	}
}
