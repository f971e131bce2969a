package workflows

import (
	"strings"
	"testing"
	"time"

	"dw/diagnosis"
	"dw/receipts"
)

func approvedProposal(t *testing.T) Proposal {
	t.Helper()
	p := testProposal(t)
	p.Message = MessageRef{Channel: "C1", TS: "1"}
	r := DecideRequest{
		By: ann, Verdict: Approve, HashPrefix: p.HashPrefix(), Nonce: p.Nonce, Message: p.Message, At: epoch,
	}
	p, _, refusal := decide(p, r, epoch)
	if refusal != nil {
		t.Fatal(refusal)
	}
	return p
}

func testTerms() Terms {
	return Terms{Policy: testPolicy(), CanObserve: func(diagnosis.Action) bool { return false }}
}

func TestStart(t *testing.T) {
	t.Parallel()
	doneBefore := Proposal{ID: "p0", State: Executing, Steps: []StepStatus{{State: StepDone}}}
	openBefore := Proposal{ID: "p0", State: Executing, Steps: []StepStatus{{State: StepWaiting}}}
	tests := []struct {
		name   string
		after  []Proposal
		now    time.Duration
		level  Level
		change func(*Proposal)
		code   RefusalCode
		state  ProposalState
	}{
		{"all is well", []Proposal{doneBefore}, 0, L2Propose, nil, "", Executing},
		{"last instant", []Proposal{doneBefore}, 4*time.Hour - 1, L2Propose, nil, "", Executing},
		{"too late", []Proposal{doneBefore}, 4 * time.Hour, L2Propose, nil, RefusedTooLate, Approved},
		{"before is not done", []Proposal{openBefore}, 0, L2Propose, nil, RefusedAfter, Approved},
		{"before is unknown", nil, 0, L2Propose, nil, RefusedAfter, Approved},
		{"level lowered", []Proposal{doneBefore}, 0, L1Observe, nil, RefusedLevel, Approved},
		{"waiting", []Proposal{doneBefore}, 0, L2Propose, func(p *Proposal) { p.State = Waiting }, RefusedState, Waiting},
		{"started before", []Proposal{doneBefore}, 0, L2Propose, func(p *Proposal) { p.State = Executing }, RefusedState, Executing},
		{"no decision row", []Proposal{doneBefore}, 0, L2Propose, func(p *Proposal) { p.Decisions = nil }, RefusedUnapproved, Approved},
		{"decision of an outsider", []Proposal{doneBefore}, 0, L2Propose, func(p *Proposal) { p.Decisions[0].By = mort }, RefusedUnapproved, Approved},
		{"decision on another hash", []Proposal{doneBefore}, 0, L2Propose, func(p *Proposal) { p.Decisions[0].Hash = "x" }, RefusedUnapproved, Approved},
		{"a reject", []Proposal{doneBefore}, 0, L2Propose, func(p *Proposal) { p.Decisions[0].Verdict = Reject }, RefusedUnapproved, Approved},
		{"content changed since", []Proposal{doneBefore}, 0, L2Propose, func(p *Proposal) { p.Plan[0].Diff = "other" }, "", NeedsReapproval},
		{"quorum lowered since", []Proposal{doneBefore}, 0, L2Propose, func(p *Proposal) { p.Quorum = 0 }, "", NeedsReapproval},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := approvedProposal(t)
			if tt.change != nil {
				tt.change(&p)
			}
			terms := testTerms()
			terms.Policy.Level = tt.level
			next, out, refusal := start(p, tt.after, terms, epoch.Add(tt.now))
			var code RefusalCode
			if refusal != nil {
				code = refusal.Code
			}
			if code != tt.code || next.State != tt.state {
				t.Errorf("code %q, state %s; want %q, %s", code, next.State, tt.code, tt.state)
			}
			if next.State != Executing && len(out.Effects) > 0 {
				t.Error("something was started")
			}
		})
	}
}

func TestApprovalThatIsNotUsedLapses(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	a := e.decide(t, e.click(e.key(t, "recover"), ann, Approve)) // waits for "change", which nobody approves
	if !strings.Contains(a.Text, "starts when what it waits for is done, before 16:01 UTC") {
		t.Errorf("answer %+v", a)
	}
	wantState(t, e.key(t, "recover"), Approved)
	e.approve(t, "change") // begun, and never done
	e.pass(t, 5*time.Hour)
	wantState(t, e.key(t, "recover"), Lapsed)
	if e.last(receipts.KindExpiry).Body["what"] != "approval" || !e.noted(t, "lapsed at 16:01 UTC") {
		t.Error("the lapse was not said")
	}
}

func TestExecuteBeforeCoversEachStep(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		late func(t *testing.T, e *estate)
	}{
		{"the next step would start late", func(t *testing.T, e *estate) {
			e.now = epoch.Add(4*time.Hour + time.Minute)
			e.done(t, "recover", 0)
		}},
		{"the effect is delivered late", func(t *testing.T, e *estate) {
			p := e.key(t, "recover")
			r := DoneRequest{By: ann, Proposal: p.ID, HashPrefix: p.HashPrefix(), Message: p.Message, At: e.now}
			if a, err := e.svc.MarkDone(t.Context(), r); err != nil || !a.OK {
				t.Fatalf("%+v %v", a, err)
			}
			e.now = epoch.Add(4*time.Hour + time.Minute)
			e.drain(t)
		}},
		{"the timer comes first", func(t *testing.T, e *estate) {
			p := e.key(t, "recover")
			r := DoneRequest{By: ann, Proposal: p.ID, HashPrefix: p.HashPrefix(), Message: p.Message, At: e.now}
			if a, err := e.svc.MarkDone(t.Context(), r); err != nil || !a.OK {
				t.Fatalf("%+v %v", a, err)
			}
			e.now = epoch.Add(4*time.Hour + time.Minute)
			d := Deadline{Kind: DeadlineLapse, Subject: p.ID, DueAt: p.Clocks.ExecuteBefore}
			if err := e.svc.Fire(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			e.drain(t)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := newEstate()
			e.asked(t)
			e.approve(t, "change", "recover")
			e.done(t, "change", 0)
			wantState(t, e.key(t, "recover"), Executing)
			tt.late(t, e)
			wantState(t, e.key(t, "recover"), Halted)
			if len(e.sched.launches) != 0 || !e.noted(t, "is halted at step 2") {
				t.Errorf("launches %v", e.sched.launches)
			}
		})
	}
}
