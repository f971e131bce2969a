package workflows

import (
	"slices"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/lineage"
)

// pastIncident is one of a day, resolved three hours after its onset.
func pastIncident(id string, day int, asset lineage.AssetID, cause, channel string) Incident {
	at := time.Date(2026, 3, day, 10, 0, 0, 0, time.UTC)
	i := Incident{ID: id, Subject: asset, State: Resolved, OpenedAt: at, Onset: at.Add(-time.Hour), ResolvedAt: at.Add(2 * time.Hour)}
	if cause != "" {
		i.Diagnosis = &diagnosis.Diagnosis{Causes: []diagnosis.Cause{{ID: cause, Title: cause, Segment: map[string]string{"channel": channel}}}}
	}
	return i
}

func TestAlike(t *testing.T) {
	t.Parallel()
	merged := pastIncident("INC-MERGED", 9, "dbt://a", "drift", "shop")
	merged.MergedInto = "INC-SAME"
	bySignal := pastIncident("INC-SIGNAL", 1, "dbt://z", "", "")
	bySignal.Signals = []Signal{{Check: "c", Result: checks.Result{Asset: "dbt://a"}}}
	all := []Incident{
		pastIncident("INC-CAUSE", 2, "dbt://z", "drift", "web"),
		pastIncident("INC-ASSET", 3, "dbt://a", "late", "shop"),
		pastIncident("INC-OLD", 4, "dbt://a", "drift", "web"),
		pastIncident("INC-SAME", 5, "dbt://a", "drift", "shop"),
		pastIncident("INC-NEAR", 6, "dbt://b", "late", "web"),
		pastIncident("INC-SEGMENT", 7, "dbt://z", "late", "shop"),
		pastIncident("INC-LATER", 20, "dbt://a", "drift", "shop"),
		merged, bySignal,
	}
	near := func(a, b lineage.AssetID) bool { return a == "dbt://a" && b == "dbt://b" }
	for name, c := range map[string]struct {
		like Likeness
		want []string
	}{
		"an incident": {
			LikenessOf(pastIncident("INC-NOW", 10, "dbt://a", "drift", "shop")),
			[]string{"INC-SAME cause,asset,segment", "INC-OLD cause,asset", "INC-ASSET asset,segment", "INC-CAUSE cause", "INC-SIGNAL asset", "INC-NEAR a neighbour in lineage"},
		},
		"itself is left out": {
			LikenessOf(all[3]), []string{"INC-OLD cause,asset", "INC-ASSET asset,segment", "INC-CAUSE cause", "INC-SIGNAL asset"},
		},
		"an asset":             {Likeness{Asset: "dbt://b"}, []string{"INC-NEAR asset"}},
		"an asset without any": {Likeness{Asset: "dbt://c"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range Alike(all, c.like, near) {
				got = append(got, p.ID+" "+strings.Join(p.Same, ","))
				if p.Took != 3*time.Hour {
					t.Errorf("%s took %s", p.ID, p.Took)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// TestSeenBefore: the thread says how often a named cause was there before, and
// what ended it.
func TestSeenBefore(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	now := e.incident(t)
	cause, _ := now.Diagnosis.Top()
	if h, err := HistoryOf(t.Context(), e.store, now.ID, LikenessOf(now), nil, 1); err != nil || h.Before(time.UTC) != "" {
		t.Fatalf("the first of its kind: %q, %v", h.Before(time.UTC), err)
	}
	old := pastIncident("INC-OLD", 1, now.Subject, cause.ID, "")
	old.OpenedAt = now.OpenedAt.AddDate(0, 0, -7)
	fixed := Proposal{ID: "prop-old", Incident: old.ID, State: Verified, Title: "Encode the records"}
	rejected := Proposal{ID: "prop-no", Incident: old.ID, State: Rejected, Title: "Something else"}
	err := e.store.Update(t.Context(), func(tx Tx) error {
		for _, p := range []Proposal{fixed, rejected} {
			if _, err := tx.PutProposal(t.Context(), p); err != nil {
				return err
			}
		}
		_, err := tx.PutIncident(t.Context(), old)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	again := now
	again.Diagnosis = nil
	want := "seen once before, last " + old.OpenedAt.Format(time.DateOnly) + " (INC-OLD): fixed by Encode the records"
	if got := e.svc.seenBefore(t.Context(), again, Findings{Diagnosis: *now.Diagnosis}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := e.svc.seenBefore(t.Context(), now, Findings{Diagnosis: *now.Diagnosis}); got != "" {
		t.Errorf("a cause that was named already is told again: %q", got)
	}
}
