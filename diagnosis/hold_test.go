package diagnosis_test

import (
	"strings"
	"testing"
	"time"

	"dw/diagnosis"
	"dw/lineage"
)

// TestGuardOfJobsThatPay: each downstream job that moves money and reads before
// the fix is held by a proposal of its own, the first thing that is asked; of
// every other one dw says why not. A next run that is not known is no excuse.
func TestGuardOfJobsThatPay(t *testing.T) {
	t.Parallel()
	soon, tomorrow, later := at(14, 0), at(26, 0), at(60, 0)
	reads := func(next *time.Time, change func(*lineage.Consumer)) lineage.Consumer {
		c := lineage.Consumer{ID: billID, Kind: lineage.KindJob, Name: "bill_meters", Moves: lineage.MovesMoney, NextRead: next}
		if change != nil {
			change(&c)
		}
		return c
	}
	tests := []struct {
		name    string
		reader  lineage.Consumer
		fixBy   time.Time
		held    bool
		inForce bool
		says    string
	}{
		{"reads in an hour", reads(&soon, nil), time.Time{}, true, false, "at 4 Mar 14:00 UTC"},
		{"reads in the night", reads(&tomorrow, nil), time.Time{}, true, false, "at 5 Mar 02:00 UTC"},
		{"reads after the horizon", reads(&later, nil), time.Time{}, false, false, "after the fix is expected"},
		{"reads after the horizon and before the fix", reads(&later, nil), at(61, 0), true, false, "at 6 Mar 12:00 UTC"},
		{"next run is not known", reads(nil, func(c *lineage.Consumer) { c.Unknown, c.NextReadWhy = true, "no schedule known" }), time.Time{}, true, false, "not known (no schedule known): it is held to be safe"},
		{"paused already", reads(nil, func(c *lineage.Consumer) { c.Paused = true }), time.Time{}, true, true, ""},
		{"not reached", reads(nil, func(c *lineage.Consumer) { c.HeldBy = "dagster://load" }), time.Time{}, false, false, "while dagster://load is paused"},
		{"moves no money", reads(&soon, func(c *lineage.Consumer) { c.Moves = lineage.MovesExec }), time.Time{}, false, false, "no job that moves money"},
		{"no job", reads(&soon, func(c *lineage.Consumer) { c.Kind = lineage.KindExplore }), time.Time{}, false, false, "no job that moves money"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := planInput(day1())
			in.Readers, in.FixBy = []lineage.Consumer{tt.reader}, tt.fixBy
			plan, err := diagnosis.Plan(in)
			if !tt.held {
				if err == nil || !strings.Contains(err.Error(), tt.says) || strings.HasPrefix(plan[0].Key, "hold") {
					t.Fatalf("plan %+v, %v; want it to say %q", plan, err, tt.says)
				}
				return
			}
			if err != nil || plan[0].Key != billKey || len(plan[0].Steps) != 1 || (plan[0].InForce != "") != tt.inForce {
				t.Fatalf("plan %+v, %v", plan, err)
			}
			if s := plan[0].Steps[0]; s.Action.Name != diagnosis.ActionPauseSchedule || s.UndoAction == nil || !strings.Contains(s.Reason, tt.says) {
				t.Errorf("step %+v, want the reason %q", s, tt.says)
			}
		})
	}
}

// TestTwoJobsThatPay: two jobs are two proposals, so that neither waits for the
// decision or the hand of the other.
func TestTwoJobsThatPay(t *testing.T) {
	t.Parallel()
	in := planInput(day1())
	graph := estate()
	graph.assets["dagster://bonus"] = lineage.Asset{ID: "dagster://bonus", Kind: lineage.KindJob, Name: "bonus"}
	in.Graph = graph
	next := at(15, 0)
	in.Readers = append(in.Readers, lineage.Consumer{ID: "dagster://bonus", Kind: lineage.KindJob, Name: "bonus", Moves: lineage.MovesMoney, NextRead: &next})
	plan, err := diagnosis.Plan(in)
	if err != nil || len(plan) != 4 || plan[0].Key != billKey || plan[1].Key != "hold:dagster://bonus" || plan[0].Title == plan[1].Title {
		t.Fatalf("plan %+v, %v", plan, err)
	}
	for _, p := range plan[:2] {
		if len(p.Steps) != 1 || len(p.After) != 0 {
			t.Errorf("a hold waits for something else: %+v", p)
		}
	}
}

// TestFeedThatStoppedHolds: rows that are lost without a repair still pay nobody
// short.
func TestFeedThatStoppedHolds(t *testing.T) {
	t.Parallel()
	in := day1()
	in.Results = nil
	plan, err := diagnosis.Plan(planInput(in))
	if err != nil || len(plan) != 1 || plan[0].Key != billKey {
		t.Errorf("plan %+v, %v", plan, err)
	}
}
