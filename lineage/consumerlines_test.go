package lineage_test

import (
	"slices"
	"testing"
	"time"

	"dw/lineage"
)

// TestBlastLines: each consumer has a line that says when it is harmed, or why
// that is not known, without a line break of its own.
func TestBlastLines(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 1, 12, 35, 0, 0, time.UTC)
	at, past := time.Date(2026, 10, 2, 2, 0, 0, 0, time.UTC), now.Add(-time.Hour)
	b := lineage.BlastRadius{Consumers: []lineage.Consumer{
		{ID: "dagster://bill", Kind: lineage.KindJob, Name: "bill", NextRead: &at, Owner: "fin\nance", Score: 75},
		{ID: "looker://a", Kind: lineage.KindExplore, Name: "a", AlreadyHarmedAt: &past},
		{ID: "dbt://m", Kind: lineage.KindModel, Name: "m", Carries: true},
		{ID: "dbt://n", Kind: lineage.KindModel, Name: "n", Carries: true, NextRead: &at},
		{ID: "dagster://p", Kind: lineage.KindJob, Name: "p", Paused: true},
		{ID: "dagster://h", Kind: lineage.KindJob, Name: "h", HeldBy: "dagster://p"},
		{ID: "looker://u", Kind: lineage.KindExplore, Name: "u", Unknown: true},
	}}
	got := b.Lines(now)
	want := []string{
		"bill (job) reads it at 02:00 UTC, owner fin ance, score 75, dagster://bill",
		"a (explore) has read it at Thu 1 Oct 11:35 UTC, score 0, looker://a",
		"m (model) carries it on, no schedule known, score 0, dbt://m",
		"n (model) carries it on from 02:00 UTC, score 0, dbt://n",
		"p (job) is paused, score 0, dagster://p",
		"h (job) is held back while dagster://p is paused, score 0, dagster://h",
		"u (explore) no schedule known, score 0, looker://u",
	}
	if !slices.Equal(got, want) {
		t.Errorf("lines\n%q\nwant\n%q", got, want)
	}
}
