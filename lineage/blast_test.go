package lineage_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/lineage"
)

// payday is an estate with one of each: a stage, a job that pays, an explore
// without a schedule, a paused job and what lies behind it.
func payday(t testing.TB) *lineage.Graph {
	t.Helper()
	return build(t, []lineage.Asset{
		asset("events", lineage.KindTopic),
		asset("stg", lineage.KindModel),
		asset("orders", lineage.KindModel, schedule("0 * * * *", "")),
		asset("payouts", lineage.KindJob, schedule("0 2 * * *", ""), moves(lineage.MovesMoney), owner("finance-data"),
			func(a *lineage.Asset) {
				a.Readers = 4
				a.Harm = &lineage.Harm{Connection: "wh", Query: "select 1", Unit: "organizers"}
			}),
		asset("sales", lineage.KindExplore, moves(lineage.MovesExec)),
		asset("review", lineage.KindDashboard, schedule("0 9 * * *", "")),
		asset("export", lineage.KindJob, schedule("0 13 * * *", ""), moves(lineage.MovesMoney), paused),
		asset("partner", lineage.KindDashboard, schedule("0 14 * * *", "")),
		asset("elsewhere", lineage.KindJob, schedule("0 13 * * *", "")),
	}, edges("events > stg > orders > payouts", "orders > sales", "orders > review", "orders > export > partner"))
}

func TestBlastRadiusOrder(t *testing.T) {
	t.Parallel()
	b := blast(t, payday(t), "events", lineage.BlastOptions{})
	var got []string
	for _, c := range b.Consumers {
		got = append(got, c.Name)
	}
	want := []string{"payouts", "review", "sales", "orders", "stg", "export", "partner"}
	if !slices.Equal(got, want) {
		t.Errorf("order is %v, want %v: known harm, unknown, stages, paused and held", got, want)
	}
	if b.First == nil || b.First.Name != "payouts" || !b.First.NextRead.Equal(at(t, "2026-12-01T02:00:00Z")) {
		t.Errorf("first harm is %+v, want payouts at 02:00: a build at 13:00 harms nobody", b.First)
	}
	if b.Counts[lineage.KindModel] != 2 || b.Counts[lineage.KindJob] != 2 || b.Counts[lineage.KindExplore] != 1 {
		t.Errorf("counts are %v", b.Counts)
	}
	wantUnknowns := []string{
		"sales (explore): no schedule known",
		"export (job) is not counted: paused",
		"1 stage in between without a known schedule, counted as immediate",
		"1 asset not counted while test://export is paused",
	}
	if !slices.Equal(b.Unknowns, wantUnknowns) {
		t.Errorf("unknowns are %q, want %q", b.Unknowns, wantUnknowns)
	}
}

func TestBlastRadiusConsumer(t *testing.T) {
	t.Parallel()
	c := consumer(t, blast(t, payday(t), "events", lineage.BlastOptions{}), "payouts")
	if c.Owner != "finance-data" || c.Moves != lineage.MovesMoney || c.MovesWhy != "declared by config" || c.Readers != 4 {
		t.Errorf("consumer is %+v", c)
	}
	if c.Harm == nil || c.Harm.Unit != "organizers" {
		t.Errorf("harm query is %+v, want the declared one", c.Harm)
	}
	want := []lineage.AssetID{id("events"), id("stg"), id("orders"), id("payouts")}
	if c.Depth != 3 || !slices.Equal(c.Path, want) {
		t.Errorf("depth %d, path %v, want 3 and %v", c.Depth, c.Path, want)
	}
	review := consumer(t, blast(t, payday(t), "events", lineage.BlastOptions{}), "review")
	if review.MovesWhy != "not declared" || review.Moves != "" || review.Owner != "" {
		t.Errorf("an undeclared class is %q (%s), owner %q", review.Moves, review.MovesWhy, review.Owner)
	}
}

// TestBlastRadiusAlreadyHarmed holds that a harm in the past is the first, and
// that the next one to come is still named.
func TestBlastRadiusAlreadyHarmed(t *testing.T) {
	t.Parallel()
	b := blast(t, payday(t), "orders", lineage.BlastOptions{From: at(t, "2026-11-30T08:30:00Z")})
	if b.First == nil || b.First.Name != "review" || b.First.AlreadyHarmedAt == nil {
		t.Fatalf("first harm is %+v, want review at 09:00", b.First)
	}
	if b.Next == nil || b.Next.Name != "payouts" {
		t.Errorf("next harm is %+v, want payouts", b.Next)
	}
	line := lineage.OneLine(b, noon)
	for _, want := range []string{
		"First harmed Mon 30 Nov 09:00 UTC (3 h 35 m ago) by review",
		"Next 02:00 UTC (in 13 h 25 m) by payouts",
	} {
		if !strings.Contains(line, want) {
			t.Errorf("line is %q, want it to say %q", line, want)
		}
	}
}

// TestScoreOfStages holds that what only carries the data is scored where there
// is no use, and does not outrank a use where there is one.
func TestScoreOfStages(t *testing.T) {
	t.Parallel()
	assets := []lineage.Asset{
		asset("subject", lineage.KindTable), asset("stage", lineage.KindModel, schedule("0 13 * * *", "")),
	}
	if b := blast(t, build(t, assets, edges("subject > stage")), "subject", lineage.BlastOptions{}); b.ScoreOf != id("stage") || b.First != nil {
		t.Errorf("score of %q, first %v: want the stage's score and no harm", b.ScoreOf, b.First)
	}
	assets = append(assets, asset("report", lineage.KindDashboard))
	b := blast(t, build(t, assets, edges("subject > stage > report")), "subject", lineage.BlastOptions{})
	if stage, report := consumer(t, b, "stage"), consumer(t, b, "report"); stage.Score <= report.Score || b.ScoreOf != report.ID {
		t.Errorf("stage %d, report %d, score of %s: want the report's", stage.Score, report.Score, b.ScoreOf)
	}
}

func TestBlastRadiusRefuses(t *testing.T) {
	t.Parallel()
	g := payday(t)
	if _, err := g.BlastRadius(id("payouts"), lineage.BlastOptions{Now: noon}); err == nil {
		t.Error("no DueFunc is accepted")
	}
	if _, err := g.BlastRadius(id("payouts"), lineage.BlastOptions{Due: dailyDue}); err == nil {
		t.Error("no time is accepted")
	}
	_, err := g.BlastRadius(id("payout"), lineage.BlastOptions{Now: noon, Due: dailyDue})
	var unknown *lineage.UnknownAssetError
	if !errors.As(err, &unknown) || !slices.Contains(unknown.Near, "payouts") {
		t.Errorf("error is %v, want an unknown asset with payouts near", err)
	}
}

// TestSnapshot holds that the same answer has the same bytes, also after a
// round trip through JSON and from sources loaded in another order.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	first := blast(t, payday(t), "events", lineage.BlastOptions{})
	again := blast(t, payday(t), "events", lineage.BlastOptions{Now: noon.In(time.FixedZone("", 3600))})
	if !bytes.Equal(first.Snapshot(), again.Snapshot()) || first.Hash() != again.Hash() {
		t.Error("the same question gives another snapshot")
	}
	var back lineage.BlastRadius
	if err := json.Unmarshal(first.Snapshot(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Hash() != first.Hash() {
		t.Errorf("hash changes by a round trip:\n%s\n%s", first.Snapshot(), back.Snapshot())
	}
	later := blast(t, payday(t), "events", lineage.BlastOptions{Now: noon.Add(24 * time.Hour)})
	if later.Hash() == first.Hash() {
		t.Error("another answer has the same hash")
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	got := lineage.OneLine(blast(t, payday(t), "events", lineage.BlastOptions{}), noon)
	want := "events -> 2 jobs, 2 dashboards, explore sales, 2 models. " +
		"First harmed 02:00 UTC (in 13 h 25 m) by payouts (money, owner finance-data). " +
		"Score 63: money 40 + under 24 h 18 + 4 readers 7 + table-level 5, declared by dbt manifest 1 h 0 m ago x 0.9" +
		" - path: events > stg > orders > payouts. " +
		"Not known: sales (explore): no schedule known; export (job) is not counted: paused; " +
		"1 stage in between without a known schedule, counted as immediate; and 1 more."
	if got != want {
		t.Errorf("line is\n%s\nwant\n%s", got, want)
	}
}

func TestOneLineEdgeCases(t *testing.T) {
	t.Parallel()
	long := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	chain := make([]lineage.Asset, 0, len(long))
	for _, name := range long {
		chain = append(chain, asset(name, lineage.KindDashboard, schedule("0 14 * * *", "Europe/Berlin")))
	}
	tests := []struct {
		name   string
		assets []lineage.Asset
		edges  []lineage.Edge
		want   string
	}{
		{
			"nothing below",
			[]lineage.Asset{asset("a", lineage.KindTable)},
			nil,
			"a -> no consumer is known.",
		},
		{
			"no time known",
			[]lineage.Asset{asset("a", lineage.KindTable), asset("b", lineage.KindDashboard)},
			edges("a > b"),
			"a -> dashboard b. No time of harm is known. Score 14: money class not declared 0 + no schedule known 10 + " +
				"no readers known 0 + table-level 5, declared by dbt manifest 1 h 0 m ago x 0.9 (b). " +
				"Not known: b (dashboard): no schedule known.",
		},
		{
			"all paused",
			[]lineage.Asset{asset("a", lineage.KindTable), asset("b", lineage.KindJob, paused)},
			edges("a > b"),
			"a -> job b. No time of harm is known. Not scored: all of it is paused or held back by a pause. " +
				"Not known: b (job) is not counted: paused.",
		},
		{
			"a harm on another day has its date",
			[]lineage.Asset{
				asset("a", lineage.KindTable), asset("b", lineage.KindJob, schedule("@every 48h", "")),
			},
			edges("a > b"),
			"a -> job b. First harmed Wed 2 Dec 12:35 UTC (in 2 d 0 h) by b (money class not declared, no owner known). " +
				"Score 12: money class not declared 0 + under 7 d 8 + no readers known 0 + table-level 5, " +
				"declared by dbt manifest 1 h 0 m ago x 0.9 - path: a > b.",
		},
		{
			"a name cannot break the line",
			[]lineage.Asset{
				asset("a", lineage.KindTable, func(a *lineage.Asset) { a.Name = "a\nb\u202ec" }),
			},
			nil,
			"a b c -> no consumer is known.",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := lineage.OneLine(blast(t, build(t, tt.assets, tt.edges), "a", lineage.BlastOptions{}), noon); got != tt.want {
				t.Errorf("line is\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
	t.Run("a long path is cut in the middle", func(t *testing.T) {
		t.Parallel()
		g := build(t, chain, edges("a > b > c > d > e > f > g > h"))
		b := blast(t, g, "a", lineage.BlastOptions{})
		last := consumer(t, b, "h")
		b.First = &last
		if got := lineage.OneLine(b, noon); !strings.Contains(got, "path: a > b > c > (2 more) > f > g > h.") {
			t.Errorf("line is %q", got)
		}
	})
}
