package days

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/lineage"
	"dw/workflows"
)

// warehouse answers the checks: one of each domain, whose verdict is a state.
type warehouse struct {
	mu      sync.Mutex
	failing map[string]bool
	silent  bool
	version int // of the plans; a new one replaces what waits
	now     func() time.Time
}

func (w *warehouse) set(change func(*warehouse)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(w)
}

func (w *warehouse) result(check string) (checks.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.silent {
		return checks.Result{}, errors.New("the warehouse does not answer")
	}
	status := checks.Pass
	if w.failing[check] {
		status = checks.Fail
	}
	domain, _, _ := strings.Cut(check, ".")
	return checks.Result{
		Check: check, Kind: "volume", Asset: lineage.AssetID("db://" + check), Domain: domain, Status: status,
		At: w.now(), Since: w.now().Add(-time.Hour), Message: check + " is " + string(status) + ".",
		Observed: &checks.Measure{Value: 69.5, Unit: "rows", Source: "db", At: w.now()},
	}, nil
}

// RunCheck meets workflows.CheckRunner.
func (w *warehouse) RunCheck(_ context.Context, name string, _ time.Time) (checks.Result, error) {
	return w.result(name)
}

// NextDue meets workflows.CheckRunner: each check every half hour.
func (w *warehouse) NextDue(_ string, after time.Time) (time.Time, error) {
	return after.Truncate(30 * time.Minute).Add(30 * time.Minute), nil
}

// Recheck meets workflows.CheckRunner.
func (w *warehouse) Recheck(_ context.Context, i workflows.Incident, now time.Time) (workflows.Verification, error) {
	v := workflows.Verification{At: now, OK: true}
	for _, s := range i.Signals {
		r, err := w.result(s.Check)
		if err != nil {
			return v, err
		}
		v.OK = v.OK && r.Status == checks.Pass
		v.Results = append(v.Results, r)
	}
	return v, nil
}

// Related meets workflows.Investigator: what belongs to one domain does.
func (w *warehouse) Related(subject, asset lineage.AssetID) bool {
	a, _, _ := strings.Cut(string(subject), ".")
	b, _, _ := strings.Cut(string(asset), ".")
	return a == b
}

// Investigate meets workflows.Investigator.
func (w *warehouse) Investigate(_ context.Context, i workflows.Incident, _ []checks.Result, _ []diagnosis.ChangeEvent, now time.Time) (workflows.Findings, error) {
	return workflows.Findings{
		Diagnosis: diagnosis.Diagnosis{
			At: now, Subject: i.Subject, Onset: i.Onset, Verdict: "Rows are missing.",
			Causes: []diagnosis.Cause{{ID: "lost_rows", Title: "Rows are lost", Why: "They stand elsewhere."}},
		},
		Blast: lineage.BlastRadius{Subject: i.Subject, At: now, Consumers: []lineage.Consumer{{ID: ownJob}}},
	}, nil
}

// Plan meets workflows.Investigator: a hold, a change, and a recovery after it.
func (w *warehouse) Plan(_ context.Context, i workflows.Incident, _ workflows.Findings, _ time.Time) ([]diagnosis.PlannedProposal, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	diff := "--- a\n+++ b\n" + strings.Repeat("+", w.version+1) + "\n"
	step := func(kind diagnosis.StepKind, by, system, name, target string) diagnosis.PlannedStep {
		return diagnosis.PlannedStep{
			Kind: kind, Title: name + " " + target, By: by, Reversible: true, Undo: "take it back",
			Action: diagnosis.Action{System: system, Name: name, Target: lineage.AssetID(system + "://" + i.Domain + "-" + target)},
		}
	}
	change := step(diagnosis.Change, diagnosis.ByOwner, "git", diagnosis.ActionApplyDiff, "feed")
	change.Diff = diff
	if i.Domain == ownDomain { // without a hold, which would come first
		again := step(diagnosis.Rerun, diagnosis.ByDW, "sched", diagnosis.ActionLaunchJob, "again")
		undo := again.Action
		again.UndoAction = &undo
		return []diagnosis.PlannedProposal{
			{Key: "change", Title: "Repair the feed", Steps: []diagnosis.PlannedStep{change}},
			{Key: "rerun", Title: "Run the job again", Steps: []diagnosis.PlannedStep{again, step(diagnosis.Verify, diagnosis.ByDW, "dw", diagnosis.ActionVerify, "rows")}},
		}, nil
	}
	return []diagnosis.PlannedProposal{
		{Key: "hold", Title: "Pause the export", Steps: []diagnosis.PlannedStep{step(diagnosis.Hold, diagnosis.ByOwner, "git", diagnosis.ActionPauseSchedule, "export")}},
		{Key: "change", Title: "Repair the feed", Steps: []diagnosis.PlannedStep{change}},
		{Key: "rerun", Title: "Run the job again", Steps: []diagnosis.PlannedStep{step(diagnosis.Rerun, diagnosis.ByDW, "sched", diagnosis.ActionLaunchJob, "again")}},
		{Key: "recover", Title: "Bring the rows back", After: []string{"change"}, Steps: []diagnosis.PlannedStep{
			step(diagnosis.Rerun, diagnosis.ByDW, "sched", diagnosis.ActionLaunchJob, "build"),
			step(diagnosis.Verify, diagnosis.ByDW, "dw", diagnosis.ActionVerify, "rows"),
		}},
	}, nil
}
