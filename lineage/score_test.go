package lineage_test

import (
	"fmt"
	"testing"
	"time"

	"dw/lineage"
)

// TestScore holds each row of the table of points, by the line that explains
// it.
func TestScore(t *testing.T) {
	t.Parallel()
	daily := func(hour int) func(*lineage.Asset) {
		return schedule(fmt.Sprintf("0 %d * * *", hour), "")
	}
	readers := func(n int) func(*lineage.Asset) { return func(a *lineage.Asset) { a.Readers = n } }
	observed := func(age time.Duration, use string) lineage.Edge {
		return lineage.Edge{Use: use, Seen: lineage.Provenance{
			Source: "query log", SeenAt: noon.Add(-age), How: lineage.HowObserved,
		}}
	}
	how := func(source, how string, age time.Duration) lineage.Edge {
		return lineage.Edge{Use: lineage.UseValue, Seen: lineage.Provenance{Source: source, How: how, SeenAt: noon.Add(-age)}}
	}
	const hour, day = time.Hour, 24 * time.Hour
	sure := observed(13*hour, lineage.UseValue)
	tests := []struct {
		name  string
		use   lineage.Asset
		edge  lineage.Edge
		score int
		line  string
	}{
		{
			"the worked example", asset("use", lineage.KindJob, daily(2), moves(lineage.MovesMoney), readers(4)), sure, 75,
			"Score 75: money 40 + under 24 h 18 + 4 readers 7 + direct 10, seen by query log 13 h 0 m ago x 1.0",
		},
		{
			"customers, under 2 h", asset("use", lineage.KindJob, daily(14), moves(lineage.MovesCustomer), readers(1)), sure, 68,
			"Score 68: customer 25 + under 2 h 30 + 1 reader 3 + direct 10, seen by query log 13 h 0 m ago x 1.0",
		},
		{
			"executives, under 12 h", asset("use", lineage.KindJob, daily(20), moves(lineage.MovesExec)), sure, 54,
			"Score 54: executive 20 + under 12 h 24 + no readers known 0 + direct 10, seen by query log 13 h 0 m ago x 1.0",
		},
		{
			"an SLA counts like executives", asset("use", lineage.KindJob, func(a *lineage.Asset) {
				a.SLA = &lineage.SLA{By: "07:00"}
			}), sure, 48,
			"Score 48: SLA 20 + under 24 h 18 + no readers known 0 + direct 10, seen by query log 13 h 0 m ago x 1.0",
		},
		{
			"internal, time not known", asset("use", lineage.KindJob, moves(lineage.MovesInternal)), sure, 28,
			"Score 28: internal 8 + no schedule known 10 + no readers known 0 + direct 10, seen by query log 13 h 0 m ago x 1.0",
		},
		{
			"under 7 days", asset("use", lineage.KindJob, schedule("@every 100h", "")), sure, 18,
			"Score 18: money class not declared 0 + under 7 d 8 + no readers known 0 + direct 10, seen by query log 13 h 0 m ago x 1.0",
		},
		{
			"7 days or more", asset("use", lineage.KindJob, schedule("@every 168h", "")), sure, 10,
			"Score 10: money class not declared 0 + 7 d or more 0 + no readers known 0 + direct 10, seen by query log 13 h 0 m ago x 1.0",
		},
		{
			"readers have a ceiling", asset("use", lineage.KindJob, readers(100000)), sure, 35,
			"Score 35: money class not declared 0 + no schedule known 10 + 100000 readers 15 + direct 10, seen by query log 13 h 0 m ago x 1.0",
		},
		{
			"a filter", asset("use", lineage.KindJob), observed(13*hour, lineage.UseFilter), 16,
			"Score 16: money class not declared 0 + no schedule known 10 + no readers known 0 + filter only 6, seen by query log 13 h 0 m ago x 1.0",
		},
		{
			"seen 8 days ago is no better than declared", asset("use", lineage.KindJob), observed(8*day, lineage.UseValue), 18,
			"Score 18: money class not declared 0 + no schedule known 10 + no readers known 0 + direct 10, seen by query log 8 d 0 h ago x 0.9",
		},
		{
			"declared", asset("use", lineage.KindJob), how("dbt manifest", lineage.HowDeclared, day), 18,
			"Score 18: money class not declared 0 + no schedule known 10 + no readers known 0 + direct 10, declared by dbt manifest 1 d 0 h ago x 0.9",
		},
		{
			"parsed", asset("use", lineage.KindJob), how("parser", lineage.HowParsed, day), 14,
			"Score 14: money class not declared 0 + no schedule known 10 + no readers known 0 + direct 10, parsed by parser 1 d 0 h ago x 0.7",
		},
		{
			"older than 30 days", asset("use", lineage.KindJob), observed(31*day, lineage.UseValue), 10,
			"Score 10: money class not declared 0 + no schedule known 10 + no readers known 0 + direct 10, stated by query log 31 d 0 h ago x 0.5",
		},
		{
			"of unknown age", asset("use", lineage.KindJob),
			lineage.Edge{Use: lineage.UseValue, Seen: lineage.Provenance{Source: "wiki"}},
			10,
			"Score 10: money class not declared 0 + no schedule known 10 + no readers known 0 + direct 10, stated by wiki at a time not known x 0.5",
		},
		{
			"config has no age", asset("use", lineage.KindJob),
			lineage.Edge{Use: lineage.UseValue, Seen: lineage.Provenance{Source: lineage.SourceConfig}},
			18,
			"Score 18: money class not declared 0 + no schedule known 10 + no readers known 0 + direct 10, declared by config x 0.9",
		},
		{
			"the surest of an edge's sources counts", asset("use", lineage.KindJob),
			lineage.Edge{
				Use: lineage.UseValue, Seen: seen(lineage.SourceManifest),
				Also: []lineage.Provenance{sure.Seen},
			},
			20,
			"Score 20: money class not declared 0 + no schedule known 10 + no readers known 0 + direct 10, seen by query log 13 h 0 m ago x 1.0",
		},
		{
			"paused", asset("use", lineage.KindJob, paused, moves(lineage.MovesMoney)), sure, 50,
			"Score 50: money 40 + paused 0 + no readers known 0 + direct 10, seen by query log 13 h 0 m ago x 1.0",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.edge.From, tt.edge.To = id("subject"), id("use")
			g := build(t, []lineage.Asset{asset("subject", lineage.KindTable), tt.use}, []lineage.Edge{tt.edge})
			c := consumer(t, blast(t, g, "subject", lineage.BlastOptions{}), "use")
			if c.Score != tt.score || c.ScoreLine != tt.line {
				t.Errorf("score %d, line\n%s\nwant %d,\n%s", c.Score, c.ScoreLine, tt.score, tt.line)
			}
		})
	}
}

// TestScoreIsTheHighest holds that many idle views do not outrank one payout
// job, and that the weakest edge of a way decides.
func TestScoreIsTheHighest(t *testing.T) {
	t.Parallel()
	assets := []lineage.Asset{
		asset("subject", lineage.KindTable), asset("between", lineage.KindModel),
		asset("payouts", lineage.KindJob, schedule("0 2 * * *", ""), moves(lineage.MovesMoney)),
		asset("held", lineage.KindJob, schedule("0 13 * * *", ""), moves(lineage.MovesMoney), paused),
	}
	links := edges("subject > between", "subject > held")
	links = append(links, lineage.Edge{
		From: id("between"), To: id("payouts"), Use: lineage.UseValue,
		Seen: lineage.Provenance{Source: "query log", SeenAt: noon, How: lineage.HowObserved},
	})
	for i := range 300 {
		name := fmt.Sprintf("view%d", i)
		assets = append(assets, asset(name, lineage.KindView))
		links = append(links, edges("subject > "+name)...)
	}
	b := blast(t, build(t, assets, links), "subject", lineage.BlastOptions{})
	if want := consumer(t, b, "payouts"); b.ScoreOf != want.ID || b.Score != want.Score || b.ScoreLine != want.ScoreLine {
		t.Errorf("score %d of %s, want %d of payouts", b.Score, b.ScoreOf, want.Score)
	}
	if b.Score != 57 { // (40 + 18 + 0 + 5) x 0.9
		t.Errorf("score is %d, want 57: the declared, table-level edge is the weakest", b.Score)
	}
}
