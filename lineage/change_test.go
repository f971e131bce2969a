package lineage_test

import (
	"fmt"
	"strings"
	"testing"

	"dw/lineage"
)

// links reads "a>b c>" as column links; one without a target affects every row.
func links(text string) []lineage.ColumnLink {
	var out []lineage.ColumnLink
	for pair := range strings.FieldsSeq(text) {
		from, to, _ := strings.Cut(pair, ">")
		out = append(out, lineage.ColumnLink{From: from, To: to, Use: lineage.UseValue})
	}
	return out
}

// changeGraph: orders feeds mart by columns and old by nothing that is known; a
// job writes daily, which says itself what it reads; mart feeds a dashboard.
func changeGraph(t *testing.T) *lineage.Graph {
	t.Helper()
	b := lineage.NewBuilder()
	for name, kind := range map[string]lineage.Kind{
		"orders": lineage.KindTable, "mart": lineage.KindModel, "old": lineage.KindTable, "etl": lineage.KindJob,
		"daily": lineage.KindTable, "board": lineage.KindDashboard, "below_old": lineage.KindTable,
	} {
		b.AddAsset(asset(name, kind, func(a *lineage.Asset) {
			if name == "orders" {
				a.Columns = []string{"id", "Price", "note"}
			}
		}))
	}
	for ends, columns := range map[string]string{
		"orders > mart": "id>id price>total", "orders > old": "", "orders > etl": "", "etl > daily": "", "orders > daily": "note> id>id",
		"mart > board": "total>", "old > below_old": "x>y", "mart > orders": "id>id",
	} {
		e := edges(ends)[0]
		e.Columns = links(columns)
		b.AddEdge(e)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestChangeImpact(t *testing.T) {
	t.Parallel()
	g := changeGraph(t)
	for name, tc := range map[string]struct {
		column string
		kind   lineage.ChangeKind
		want   string
	}{
		"a column is dropped": {"price", lineage.ChangeDrop, "daily unaffected, etl unaffected, mart breaks [total], old breaks?, board changes, below_old changes? [y]"},
		"another column":      {"NOTE", lineage.ChangeRename, "daily breaks, etl breaks, mart unaffected, old breaks?, board unaffected, below_old changes? [y]"},
		"its type":            {"id", lineage.ChangeType, "daily changes [id], etl changes, mart changes [id], old changes?, board unaffected, below_old changes? [y]"},
		"the whole table":     {"", lineage.ChangeDrop, "daily breaks, etl breaks, mart breaks [id total], old breaks, board changes, below_old changes [y]"},
		"its values":          {"", lineage.ChangeValues, "daily changes, etl changes, mart changes [id total], old changes, board changes, below_old changes [y]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, err := g.ChangeImpact(lineage.Change{Asset: id("orders"), Column: tc.column, Kind: tc.kind})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, i := range answer.Impacts {
				line := i.Name + " " + i.Outcome
				if !i.Sure {
					line += "?"
				}
				if len(i.Columns) > 0 {
					line += " " + fmt.Sprint(i.Columns)
				}
				got = append(got, line)
			}
			if line := strings.Join(got, ", "); line != tc.want {
				t.Errorf("got  %s\nwant %s", line, tc.want)
			}
			if total := answer.Counts["breaks"] + answer.Counts["changes"] + answer.Counts["unaffected"]; total != len(answer.Impacts) {
				t.Errorf("counts %v of %d", answer.Counts, len(answer.Impacts))
			}
		})
	}
}

func TestChangeImpactRefuses(t *testing.T) {
	t.Parallel()
	g := changeGraph(t)
	for _, tc := range []struct {
		change lineage.Change
		want   string
	}{
		{lineage.Change{Asset: id("ordes"), Kind: lineage.ChangeDrop}, "unknown asset"},
		{lineage.Change{Asset: id("orders"), Kind: "burn"}, "no kind of change"},
		{lineage.Change{Asset: id("orders"), Kind: lineage.ChangeType}, "needs a column"},
		{lineage.Change{Asset: id("orders"), Column: "prise", Kind: lineage.ChangeDrop}, "it has id, Price, note"},
		{lineage.Change{Asset: id("board"), Column: "x", Kind: lineage.ChangeDrop}, "no source states the columns"},
	} {
		if _, err := g.ChangeImpact(tc.change); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: %v, want %q", tc.change, err, tc.want)
		}
	}
}
