package workflows

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/receipts"
)

func TestClocks(t *testing.T) {
	t.Parallel()
	policy := testPolicy()
	at := func(d time.Duration) time.Time { return epoch.Add(d) }
	tests := []struct {
		name   string
		kind   string
		now    time.Time
		change func(*Proposal)
		moves  bool // something is asked for
		state  ProposalState
	}{
		{"remind before its time", DeadlineRemind, at(policy.RemindAfter - 1), nil, false, Waiting},
		{"remind at its time", DeadlineRemind, at(policy.RemindAfter), nil, true, Waiting},
		{"remind when decided", DeadlineRemind, at(policy.RemindAfter), func(p *Proposal) { p.State = Approved }, false, Approved},
		{"remind after expiry", DeadlineRemind, at(policy.ExpireAfter), nil, false, Waiting},
		{"escalate before its time", DeadlineEscalate, at(policy.EscalateAfter - 1), nil, false, Waiting},
		{"escalate at its time", DeadlineEscalate, at(policy.EscalateAfter), nil, true, Waiting},
		{"escalate after expiry", DeadlineEscalate, at(policy.ExpireAfter), nil, false, Waiting},
		{"escalate when rejected", DeadlineEscalate, at(policy.EscalateAfter), func(p *Proposal) { p.State = Rejected }, false, Rejected},
		{"escalate with nobody left", DeadlineEscalate, at(policy.EscalateAfter), func(p *Proposal) { p.Chain = p.Chain[:1] }, false, Waiting},
		{"expire before its time", DeadlineExpire, at(policy.ExpireAfter - 1), nil, false, Waiting},
		{"expire at its time", DeadlineExpire, at(policy.ExpireAfter), nil, true, Expired},
		{"expire when approved", DeadlineExpire, at(policy.ExpireAfter), func(p *Proposal) { p.State = Approved }, false, Approved},
		{"lapse without an approval", DeadlineLapse, at(24 * time.Hour), nil, false, Waiting},
		{"lapse before its time", DeadlineLapse, at(time.Hour - 1), approvedUntil(at(time.Hour), Approved), false, Approved},
		{"lapse at its time", DeadlineLapse, at(time.Hour), approvedUntil(at(time.Hour), Approved), true, Lapsed},
		{"lapse between steps", DeadlineLapse, at(time.Hour), approvedUntil(at(time.Hour), Executing), true, Halted},
		{"lapse in a step", DeadlineLapse, at(time.Hour), func(p *Proposal) {
			approvedUntil(at(time.Hour), Executing)(p)
			p.Steps[0].State = StepWaiting
		}, false, Executing},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := testProposal(t)
			if tt.change != nil {
				tt.change(&p)
			}
			before := p.clone()
			next, out := fireClock(tt.kind, p, policy, tt.now)
			moves := len(out.Receipts)+len(out.Effects)+len(out.Notes)+len(out.Deadlines) > 0
			if next.State != tt.state || moves != tt.moves {
				t.Errorf("state %s, moves %v; want %s, %v", next.State, moves, tt.state, tt.moves)
			}
			if next.Quorum != before.Quorum || len(next.Asked()) < len(before.Asked()) {
				t.Error("a clock lowered the quorum or forgot who was asked")
			}
			if p.State != before.State || !slices.Equal(p.Chain, before.Chain) || !slices.Equal(p.Steps, before.Steps) {
				t.Error("the transition changed its argument")
			}
		})
	}
}

func approvedUntil(at time.Time, s ProposalState) func(*Proposal) {
	return func(p *Proposal) { p.State, p.Clocks.ExecuteBefore = s, at }
}

func TestUnansweredExpires(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	e.pass(t, 3*time.Hour)
	p := e.key(t, "change")
	wantState(t, p, Expired)
	if len(p.Asked()) != 3 || p.Quorum != 1 || len(p.Decisions) != 0 {
		t.Errorf("asked %d, quorum %d, decisions %d", len(p.Asked()), p.Quorum, len(p.Decisions))
	}
	if e.incident(t).State != Open || !e.noted(t, "expired at 14:01 UTC without a decision") {
		t.Errorf("incident %s", e.incident(t).State)
	}
	k := e.kinds()
	if k[receipts.KindEscalation] != 6 || k[receipts.KindExpiry] != 3 || k[receipts.KindStepIntent] != 0 {
		t.Errorf("receipts %v", k)
	}
	if left := len(e.store.data.deadlines); left != 0 {
		t.Errorf("%d deadlines are left: %v", left, e.store.data.deadlines)
	}
}

func TestRemindersGoToThoseWhoWereAsked(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) { e.plan = e.plan[1:2] })
	e.asked(t)
	p := e.key(t, "change")
	e.now = epoch.Add(testPolicy().Settle + testPolicy().RemindAfter)
	d := Deadline{Kind: DeadlineRemind, Subject: p.ID, DueAt: e.now}
	for range 2 { // the second finds the deadline taken
		if err := e.svc.Fire(context.Background(), d); err != nil {
			t.Fatal(err)
		}
	}
	var to []DirectNote
	for _, eff := range e.store.data.effects {
		if eff.Kind == EffectDirect {
			_ = decodeThen(eff, func(n DirectNote) error { to = append(to, n); return nil })
		}
	}
	if len(to) != 1 || !to[0].To.Same(ann) || !strings.Contains(to[0].Text, "never auto-granted, Ben (deputy) is asked at 12:31 UTC") {
		t.Errorf("reminders %+v", to)
	}
}

func TestFireNeedsItsTime(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	p := e.key(t, "change")
	early := Deadline{Kind: DeadlineExpire, Subject: p.ID, DueAt: p.Clocks.ExpiresAt}
	forged := Deadline{Kind: DeadlineExpire, Subject: p.ID, DueAt: e.now}
	for _, d := range []Deadline{early, forged} {
		if err := e.svc.Fire(context.Background(), d); err != nil {
			t.Fatal(err)
		}
		wantState(t, e.key(t, "change"), Waiting)
		if stored := e.store.data.deadlines[[2]string{DeadlineExpire, p.ID}]; !stored.DueAt.Equal(p.Clocks.ExpiresAt) {
			t.Fatalf("the deadline is lost: %+v", stored)
		}
	}
	// The clock goes back after the ticker has read it.
	err := e.svc.take(t.Context(), early, func(*work) error { t.Error("taken early"); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := e.svc.Fire(context.Background(), Deadline{Kind: "nonsense", DueAt: e.now}); err == nil {
		t.Error("an unknown kind was taken")
	}
}
