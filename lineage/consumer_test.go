package lineage_test

import (
	"testing"

	"dw/lineage"
)

// TestCarries holds which assets are stages, through which bad data only
// passes, and which are uses.
func TestCarries(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		asset lineage.Asset
		leads bool // it feeds something
		want  bool
	}{
		{"a model", asset("x", lineage.KindModel), true, true},
		{"a model that feeds nothing", asset("x", lineage.KindModel), false, true},
		{"a model with a money class", asset("x", lineage.KindModel, moves(lineage.MovesInternal)), true, false},
		{"a model with an SLA", asset("x", lineage.KindModel, func(a *lineage.Asset) { a.SLA = &lineage.SLA{By: "07:00"} }), true, false},
		{"a model with readers", asset("x", lineage.KindModel, func(a *lineage.Asset) { a.Readers = 1 }), true, false},
		{"a model with a harm query", asset("x", lineage.KindModel, func(a *lineage.Asset) { a.Harm = &lineage.Harm{Unit: "people"} }), true, false},
		{"a job that builds something", asset("x", lineage.KindJob), true, true},
		{"a job at the end", asset("x", lineage.KindJob), false, false},
		{"a job that pays and writes a log", asset("x", lineage.KindJob, moves(lineage.MovesMoney)), true, false},
		{"a dashboard that feeds another", asset("x", lineage.KindDashboard), true, false},
		{"an explore", asset("x", lineage.KindExplore), true, false},
		{"an exposure", asset("x", lineage.KindExposure), true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			links := edges("subject > x")
			if tt.leads {
				links = edges("subject > x > behind")
			}
			g := build(t, []lineage.Asset{asset("subject", lineage.KindTable), tt.asset, asset("behind", lineage.KindTable)}, links)
			if c := consumer(t, blast(t, g, "subject", lineage.BlastOptions{}), "x"); c.Carries != tt.want {
				t.Errorf("carries is %v, want %v", c.Carries, tt.want)
			}
		})
	}
}
