package blocks_test

import (
	"time"

	"dw/blocks"
	"dw/checks"
	"dw/diagnosis"
	"dw/lineage"
	"dw/receipts"
	"dw/workflows"
)

var (
	now   = time.Date(2026, 3, 10, 12, 40, 0, 0, time.UTC)
	onset = time.Date(2026, 3, 10, 11, 2, 0, 0, time.UTC)
	owner = workflows.Person{Team: "T1", User: "U1", Name: "Ann Owner"}
	deput = workflows.Person{Team: "T1", User: "U2", Name: "Bob Deputy"}
)

func view() blocks.View { return blocks.View{Now: now, Zone: time.UTC, Owner: owner} }

// incident is one with everything known; name stands wherever a foreign name
// does.
func incident(name string) workflows.Incident {
	first := lineage.Consumer{
		ID: "dagster://settle", Kind: lineage.KindJob, Name: name, Owner: "finance", NextRead: at(2 * time.Hour), Moves: lineage.MovesMoney,
	}
	observed := &checks.Measure{Value: 690, Unit: "rows", Source: "connection warehouse", At: now}
	result := checks.Result{
		Check: name, Kind: "volume", Asset: lineage.AssetID("dbt://shop/model.shop." + name), Status: checks.Fail,
		Observed: observed, Expected: new(1000.0), At: now, Message: "the 11:00 hour of " + name + " has 690 rows, expected 1000",
		Bucket: &checks.Bucket{Start: onset.Truncate(time.Hour), End: onset.Truncate(time.Hour).Add(time.Hour)},
	}
	return workflows.Incident{
		ID: "INC-AAAAAA", Domain: "shop", Subject: result.Asset, State: workflows.Open, Level: workflows.L2Propose,
		OpenedAt: now.Add(-20 * time.Minute), UpdatedAt: now, Onset: onset, Proposals: []string{"PROP-BBBBBB"},
		Signals: []workflows.Signal{{Check: name, First: now, Last: now, Count: 1, Result: result}},
		Blast:   &lineage.BlastRadius{Subject: result.Asset, Name: name, Consumers: []lineage.Consumer{first}, First: &first},
		Harm:    &workflows.HarmCount{Asset: first.ID, Count: 212, Unit: "customers", Source: "harm query", At: now},
		Diagnosis: &diagnosis.Diagnosis{
			At: now, Subject: result.Asset, Onset: onset, Verdict: "records of one feed are not encoded",
			Causes: []diagnosis.Cause{{
				ID: "missing_wire_format", Title: "Records without the wire format", Why: name + " writes without the encoder.",
				Segment: map[string]string{"channel": name},
			}},
			Evidence: []diagnosis.Evidence{{System: "warehouse", What: name + " has new rows", Value: "18,940 rows", At: now, Source: "check dlq"}},
			Rejected: []diagnosis.Rejected{{Title: "a build failed", Disproof: name + " passed at 12:05"}},
			Unknown:  []string{"no metrics connection is configured"},
		},
	}
}

func at(after time.Duration) *time.Time {
	t := now.Add(after)
	return &t
}

func proposal(name string, state workflows.ProposalState) workflows.Proposal {
	p := workflows.Proposal{
		ID: "PROP-BBBBBB", Incident: "INC-AAAAAA", Domain: "shop", Key: "change", Title: "Encode the records before the output",
		Proposer: receipts.Actor{Kind: "dw"}, CreatedAt: now, ExecuteWithin: 4 * time.Hour,
		Hash: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", Nonce: "00112233445566778899aabbccddeeff",
		State: state, Quorum: 1, Rev: 3,
		Clocks: workflows.Clocks{RemindAt: now.Add(15 * time.Minute), EscalateAt: now.Add(45 * time.Minute), ExpiresAt: now.Add(4 * time.Hour)},
		Chain:  []workflows.Link{{Person: owner, Role: workflows.RoleOwner, AskedAt: now}, {Person: deput, Role: workflows.RoleDeputy}},
		CC:     []workflows.Person{{Team: "T1", User: "U3", Name: "Cy Finance"}},
		Plan: []diagnosis.PlannedStep{
			{
				Kind: diagnosis.Change, Title: "Apply the diff to " + name, By: diagnosis.ByOwner,
				Action: diagnosis.Action{System: "git", Name: diagnosis.ActionApplyDiff}, File: name,
				Diff: "--- a/feed.yaml\n+++ b/feed.yaml\n@@ -1,2 +1,3 @@\n pipeline:\n+  - " + name + "\n   processors: []\n",
				Undo: "revert the diff of " + name, Reversible: true,
			},
			{Kind: diagnosis.Rerun, Title: "Run " + name, By: diagnosis.ByDW, Undo: "none needed", Reversible: true},
		},
		Steps: []workflows.StepStatus{{State: workflows.StepPending}, {State: workflows.StepPending}},
		Snapshot: []workflows.Reading{
			{System: "git", Target: name, Unread: name + " could not be read"},
			{System: "dagster", Target: name, At: now, Facts: []workflows.Fact{{Name: "job", Value: name}, {Name: "job version", Value: "0123456789abcdef0123456789abcdef"}}},
		},
	}
	if state == workflows.Executing || state == workflows.Verified {
		p.Decisions = []workflows.Decision{{By: owner, Role: workflows.RoleOwner, Verdict: workflows.Approve, Hash: p.Hash, At: now}}
		p.Clocks.ExecuteBefore = now.Add(4 * time.Hour)
		p.Steps[0] = workflows.StepStatus{State: workflows.StepWaiting, Since: now}
	}
	if state == workflows.Rejected {
		p.Decisions = []workflows.Decision{{By: owner, Role: workflows.RoleOwner, Verdict: workflows.Reject, Hash: p.Hash, At: now, Reason: "not " + name}}
	}
	return p
}

func stoppedView(name string) blocks.View {
	v := view()
	v.Stop = workflows.Stop{On: true, By: deput, Reason: "moving " + name, At: now.Add(-time.Minute), Rev: 3}
	return v
}

// change is a policy change: lifting the stop.
func change(name string, state workflows.ProposalState) workflows.Proposal {
	p := proposal(name, state)
	p.Incident, p.Plan, p.Steps, p.CC, p.Title = "", nil, []workflows.StepStatus{}, nil, "Lift the stop"
	p.Proposer = receipts.Actor{Kind: receipts.ActorHuman, Team: deput.Team, User: deput.User, Name: deput.Name}
	p.Change = &workflows.Change{Kind: workflows.ChangeResume, Reason: name + " has moved", StopRev: 3}
	p.Chain = []workflows.Link{{Person: owner, Role: workflows.RolePolicy, AskedAt: now}}
	p.Clocks.EscalateAt = time.Time{}
	for n := range p.Decisions {
		p.Decisions[n].Role = workflows.RolePolicy
	}
	return p
}

// halted is a run whose second step stands on other facts.
func halted(name string) workflows.Proposal {
	p := proposal(name, workflows.Executing)
	p.State = workflows.Halted
	p.Steps[0] = workflows.StepStatus{State: workflows.StepDone, Since: now, By: owner}
	p.Steps[1].Problem = "the facts are not those that were approved (read at 12:39 UTC): " + name + ": job version is 2, and was to be 1"
	return p
}

// rolling is the same after the deputy chose to roll it back.
func rolling(name string) workflows.Proposal {
	p := halted(name)
	p.Choices = []workflows.Choice{
		{By: owner, Role: workflows.RoleOwner, What: workflows.RollBack, At: now.Add(-2 * time.Minute), EndedAt: now.Add(-time.Minute), Ended: "stopped: " + name},
		{By: deput, Role: workflows.RoleDeputy, What: workflows.RollBack, At: now, Before: now.Add(4 * time.Hour)},
	}
	p.Steps[0].Undo = &workflows.StepStatus{State: workflows.StepWaiting, Since: now}
	return p
}

// staleApproval was approved on facts that are no longer so.
func staleApproval(name string) workflows.Proposal {
	p := halted(name)
	p.State, p.ReplacedBy = workflows.NeedsReapproval, "PROP-CCCCCC"
	p.Steps[0] = workflows.StepStatus{State: workflows.StepPending}
	return p
}

// explanation has a line without a source, one that is young and one that is old.
func explanation(name string) lineage.Explanation {
	return lineage.Explanation{Asset: lineage.Asset{Name: name}, Facts: []lineage.Line{
		{Label: "owner", Value: name, Source: "config", Age: "1 h 0 m"},
		{Label: "SLA", Value: "not declared"},
		{Label: "fed by", Value: name, Source: "dbt manifest", Age: "41 d 0 h", Old: true},
		{Label: "check", Value: name + ": fail. 690 rows", Source: "check " + name, Age: "5 m"},
	}}
}

func steps(name string) []lineage.Step {
	edge := func(age time.Duration) lineage.Edge {
		return lineage.Edge{Seen: lineage.Provenance{Source: "dbt manifest", SeenAt: now.Add(-age)}}
	}
	return []lineage.Step{
		{Asset: lineage.AssetID("dbt://shop/" + name), Depth: 1, Via: edge(time.Hour)},
		{Asset: "kafka://orders", Depth: 2, Via: edge(40 * 24 * time.Hour)},
	}
}

// byItself is a hold that dw began and has done without a decision, at L3.
func byItself(name string) workflows.Proposal {
	p := offeredCard(name)
	p.State, p.Rev, p.Clocks.ExecuteBefore = workflows.Executing, 4, now.Add(4*time.Hour)
	p.Itself.At = now
	p.Steps[0] = workflows.StepStatus{State: workflows.StepDone, Since: now, Observed: "STOPPED", RunID: "selector-1", Attempt: 1}
	return p
}

// offeredCard is the same before dw has begun.
func offeredCard(name string) workflows.Proposal {
	p := proposal(name, workflows.Waiting)
	p.Key, p.Title, p.Playbook = "hold:dagster://"+name, "Hold what moves money on these rows: "+name, "missing_wire_format/hold"
	resume := diagnosis.Action{System: "dagster", Name: diagnosis.ActionResumeSchedule}
	p.Plan = []diagnosis.PlannedStep{{
		Kind: diagnosis.Hold, Title: "Pause the schedule of " + name, By: diagnosis.ByDW, Reversible: true,
		Action: diagnosis.Action{System: "dagster", Name: diagnosis.ActionPauseSchedule}, Undo: "Resume the schedule of " + name + ".", UndoAction: &resume,
	}}
	p.Steps = p.Steps[:1]
	p.Snapshot = []workflows.Reading{{System: "dagster", Target: name, At: now, Facts: []workflows.Fact{{Name: "schedule", Value: "RUNNING"}}}}
	p.Itself = &workflows.Itself{Level: workflows.L3Act, SetBy: "approved by Dee Deputy at 11:00 UTC (PROP-RAISE1)", Decided: "PROP-RAISE1"}
	return p
}

// takenBack is the same while dw takes it back, after the checks failed again.
func takenBack(name string) workflows.Proposal {
	p := byItself(name)
	p.State, p.Choices = workflows.Halted, []workflows.Choice{{What: workflows.RollBack, At: now, Before: now.Add(4 * time.Hour)}}
	p.Steps[0].Undo = &workflows.StepStatus{State: workflows.StepRunning, Since: now}
	return p
}
