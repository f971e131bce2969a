package app

import (
	"context"
	"strings"
	"testing"
	"time"

	"dw/config"
	"dw/diagnosis"
	"dw/lineage"
	"dw/workflows"
)

// slowEstate never answers while it may be asked.
type slowEstate struct{ asked chan time.Time }

// Probe meets diagnosis.Prober.
func (s slowEstate) Probe(ctx context.Context, _ lineage.Asset) ([]diagnosis.Evidence, error) {
	end, _ := ctx.Deadline()
	s.asked <- end
	return nil, context.DeadlineExceeded
}

// TestSlowEstateLeavesTimeToWrite: where the estate takes all the time that it may,
// a quarter is left for writing what was found, and the diagnosis says what was not
// asked.
func TestSlowEstateLeavesTimeToWrite(t *testing.T) {
	t.Parallel()
	b := lineage.NewBuilder()
	b.AddAsset(lineage.Asset{ID: "db://readings", Kind: lineage.KindTable, Name: "readings", From: []lineage.Provenance{{Source: "config", SeenAt: time.Now(), How: lineage.HowDeclared}}})
	graph, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	slow := slowEstate{make(chan time.Time, 1)}
	v := investigator{
		project: &Project{Config: &config.Config{}, Graph: graph, Zone: time.UTC, Now: time.Now}, probers: []diagnosis.Prober{slow},
		changes: func() ([]diagnosis.ChangeEvent, error) { return nil, nil },
	}
	begun := time.Now()
	end := begun.Add(time.Hour)
	ctx, cancel := context.WithDeadline(t.Context(), end)
	defer cancel()
	f, err := v.Investigate(ctx, workflows.Incident{Subject: "db://readings"}, nil, nil, begun)
	if err != nil {
		t.Fatal(err)
	}
	if left := end.Sub(<-slow.asked); left < 10*time.Minute || left > 15*time.Minute {
		t.Errorf("of an hour %s are left for writing, want a quarter", left)
	}
	if !strings.Contains(strings.Join(f.Diagnosis.Unknown, "\n"), context.DeadlineExceeded.Error()) {
		t.Errorf("the diagnosis does not say what could not be asked: %q", f.Diagnosis.Unknown)
	}
}
