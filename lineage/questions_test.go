package lineage_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"dw/lineage"
)

// said writes the lines of an answer, one under the other.
func said(lines []lineage.Line) string {
	var out strings.Builder
	for _, l := range lines {
		out.WriteString(l.Label + ": " + l.Value)
		if from := l.Sourced(); from != "" {
			out.WriteString(" (" + from + ")")
		}
		out.WriteString("\n")
	}
	return out.String()
}

func promise(by, zone string) func(*lineage.Asset) {
	return func(a *lineage.Asset) { a.SLA = &lineage.SLA{By: by, Zone: zone} }
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	ran := lineage.Edge{From: id("load"), To: id("orders"), Seen: lineage.Provenance{Source: "openlineage", SeenAt: noon.Add(-2 * time.Hour), How: lineage.HowObserved}}
	old := lineage.Edge{From: id("legacy"), To: id("orders"), Seen: lineage.Provenance{Source: "openlineage", SeenAt: noon.Add(-50 * 24 * time.Hour), How: lineage.HowObserved}}
	g := build(t, []lineage.Asset{
		asset("load", lineage.KindJob, owner("ingest")), asset("legacy", lineage.KindJob),
		asset("orders", lineage.KindTable, func(a *lineage.Asset) { a.Properties = map[string]string{"dbt.last_run": "success at 12:00"} }),
		asset("sales", lineage.KindModel, owner("mia"), owner("noa"), promise("13:00", "UTC")),
		asset("board", lineage.KindDashboard, promise("07:00", "Europe/Berlin"), owner("ceo")),
		asset("lonely", lineage.KindTable),
	}, append(edges("orders > sales > board"), ran, old))
	due := lineage.BlastOptions{Now: noon, Due: dailyDue}
	for name, tc := range map[string]struct {
		ask  func() (lineage.Answer, error)
		want string
	}{
		"owner": {
			func() (lineage.Answer, error) { return g.OwnersOf(id("sales"), noon) },
			"owner: mia (config, 1 h 0 m old)\nowner: noa (config, 1 h 0 m old)\n",
		},
		"owner, nobody is named": {
			func() (lineage.Answer, error) { return g.OwnersOf(id("orders"), noon) },
			"owner: not declared\nmay know, owns what it feeds: mia (sales) (config, 1 h 0 m old)\nmay know, owns what feeds it: ingest (load) (config, 1 h 0 m old)\n",
		},
		"sla": {
			func() (lineage.Answer, error) { return g.SLAOf(id("sales"), due) },
			"SLA: 13:00 UTC (config, 1 h 0 m old)\nnext due: 13:00 UTC (in 25 m)\npromised below: board (dashboard) by 07:00 Europe/Berlin (config, 1 h 0 m old)\n" +
				"first harm: First harmed 07:00 Europe/Berlin (in 17 h 25 m) by board (money class not declared, owner ceo)\n",
		},
		"sla, of nothing": {
			func() (lineage.Answer, error) { return g.SLAOf(id("lonely"), due) },
			"SLA: not declared\npromised below: nothing that a source states\nfirst harm: No time of harm is known\n",
		},
		"fresh": {func() (lineage.Answer, error) {
			return g.FreshOf(id("orders"), noon, lineage.Line{Label: "fresh", Value: "yes", Source: "check x", Age: "5 m"})
		}, "fresh: yes (check x, 5 m old)\nlast run: success at 12:00 (config, 1 h 0 m old)\nschedule: not declared\n" +
			"last fed: by load, 2 h 0 m ago (openlineage, 2 h 0 m old)\n"},
		"fresh, never seen": {
			func() (lineage.Answer, error) { return g.FreshOf(id("lonely"), noon) },
			"schedule: not declared\nlast fed: not known: no source has seen a run\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, err := tc.ask()
			if err != nil {
				t.Fatal(err)
			}
			if got := said(answer.Lines); got != tc.want {
				t.Errorf("the answer is\n%swant\n%s", got, tc.want)
			}
		})
	}
	for _, err := range []error{second(g.OwnersOf(id("no"), noon)), second(g.SLAOf(id("no"), due)), second(g.FreshOf(id("no"), noon))} {
		if _, unknown := errors.AsType[*lineage.UnknownAssetError](err); !unknown {
			t.Errorf("of an asset that is not there: %v", err)
		}
	}
}

func second(_ lineage.Answer, err error) error { return err }

// TestOldIsMarked: what a source has not stated for 30 days is shown as old, also
// a single edge.
func TestOldIsMarked(t *testing.T) {
	t.Parallel()
	edge := func(from string, age time.Duration) lineage.Edge {
		return lineage.Edge{From: id(from), To: id("sales"), Seen: lineage.Provenance{Source: "openlineage", SeenAt: noon.Add(-age)}}
	}
	g := build(t, []lineage.Asset{asset("gone", lineage.KindTable), asset("kept", lineage.KindTable), asset("sales", lineage.KindModel)},
		[]lineage.Edge{edge("gone", 30*24*time.Hour+time.Minute), edge("kept", 30*24*time.Hour)})
	e, err := g.Explain(id("sales"), noon)
	if err != nil {
		t.Fatal(err)
	}
	text := said(e.Lines())
	if !strings.Contains(text, "gone (table) test://gone (openlineage, 30 d 0 h old: may be gone)") || !strings.Contains(text, "kept (table) test://kept (openlineage, 30 d 0 h old)") {
		t.Errorf("the lines are\n%s", text)
	}
}

// TestSame: each name of an asset is the asset, an unknown id is itself alone.
func TestSame(t *testing.T) {
	t.Parallel()
	g := build(t, []lineage.Asset{asset("a", lineage.KindTable, also("b")), asset("c", lineage.KindTable)}, nil)
	for _, tc := range []struct {
		a, b lineage.AssetID
		want bool
	}{{id("a"), id("a"), true}, {id("a"), id("c"), false}, {id("x"), id("x"), true}, {id("x"), id("a"), false}, {id("x"), id("y"), false}} {
		if got := g.Same(tc.a)(tc.b); got != tc.want {
			t.Errorf("%s is %s: %v", tc.a, tc.b, got)
		}
	}
}
