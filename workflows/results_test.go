package workflows

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/receipts"
)

func TestOnResult(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		statuses  []checks.Status
		incidents int
		count     int // of the first signal
		state     IncidentState
	}{
		{"fail opens", []checks.Status{checks.Fail}, 1, 1, Open},
		{"warn opens", []checks.Status{checks.Warn}, 1, 1, Open},
		{"error does not", []checks.Status{checks.Error}, 0, 0, ""},
		{"skipped does not", []checks.Status{checks.Skipped}, 0, 0, ""},
		{"learning does not", []checks.Status{checks.Learning}, 0, 0, ""},
		{"late does not", []checks.Status{checks.Late}, 0, 0, ""},
		{"pass does not", []checks.Status{checks.Pass}, 0, 0, ""},
		{"repeats count", []checks.Status{checks.Fail, checks.Fail, checks.Fail}, 1, 3, Open},
		{"late is noted", []checks.Status{checks.Fail, checks.Late}, 1, 1, Open},
		{"error is no recovery", []checks.Status{checks.Fail, checks.Error}, 1, 1, Open},
		{"pass recovers", []checks.Status{checks.Fail, checks.Pass}, 1, 1, Resolved},
		{"a new failure is a new incident", []checks.Status{checks.Fail, checks.Pass, checks.Fail}, 2, 1, Open},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := newEstate()
			for _, s := range tt.statuses {
				e.now = e.now.Add(time.Second)
				e.status["orders"] = s
				if err := e.svc.OnResult(t.Context(), e.result("orders", s)); err != nil {
					t.Fatal(err)
				}
				e.drain(t)
				e.tick(t)
			}
			if got := len(e.store.data.incidents); got != tt.incidents {
				t.Fatalf("%d incidents, want %d", got, tt.incidents)
			}
			if tt.incidents == 0 {
				return
			}
			if i := e.incident(t); i.State != tt.state || i.Signals[0].Count != tt.count {
				t.Errorf("incident %s, signals %+v", i.State, i.Signals)
			}
		})
	}
}

func TestSignalsJoin(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.fail(t, "orders")
	first := e.incident(t).Diagnosis.At
	e.now = e.now.Add(time.Minute)
	e.fail(t, "orders_dead")
	i := e.incident(t)
	if len(e.store.data.incidents) != 1 || len(i.Signals) != 2 || !i.Diagnosis.At.After(first) {
		t.Errorf("%d incidents, signals %+v", len(e.store.data.incidents), i.Signals)
	}
	e.fail(t, "stock") // not related
	if len(e.store.data.incidents) != 2 {
		t.Errorf("%d incidents", len(e.store.data.incidents))
	}
}

func TestRecoveryNeedsEverySignal(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.fail(t, "orders")
	e.fail(t, "orders_dead")
	e.pass(t, 2*time.Minute)
	for _, check := range []string{"orders", "orders_dead"} {
		if got := e.incident(t).State; got == Resolved {
			t.Fatal("resolved too early")
		}
		e.status[check] = checks.Pass
		if err := e.svc.OnResult(t.Context(), e.result(check, checks.Pass)); err != nil {
			t.Fatal(err)
		}
		e.drain(t)
		e.tick(t)
	}
	if got := e.incident(t).State; got != Resolved {
		t.Fatalf("incident is %s", got)
	}
	if d := e.last(receipts.KindVerification); d.Body["ok"] != true {
		t.Errorf("no verification receipt: %+v", d.Body)
	}
	wantState(t, e.key(t, "change"), Withdrawn)
	if d := e.last(receipts.KindIncidentResolved); d.Body["why"] != "recovered by itself" {
		t.Errorf("receipt %+v", d.Body)
	}
}

func TestRecoveryInFlightIsVerified(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) { e.plan = e.plan[:1] })
	e.asked(t)
	e.approve(t, "hold")
	recoverNow := func() {
		e.status["orders"] = checks.Pass
		if err := e.svc.OnResult(t.Context(), e.result("orders", checks.Pass)); err != nil {
			t.Fatal(err)
		}
		e.drain(t)
	}
	recoverNow()
	if got := e.incident(t).State; got != Mitigating {
		t.Fatalf("incident is %s while the owner pauses the export", got)
	}
	e.sched.schedule = "STOPPED"
	e.pass(t, 2*time.Minute)
	recoverNow()
	if got := e.incident(t).State; got != Verifying {
		t.Fatalf("incident is %s", got)
	}
	e.pass(t, 10*time.Minute)
	wantState(t, e.key(t, "hold"), Verified)
	if got := e.incident(t).State; got != Resolved {
		t.Errorf("incident is %s", got)
	}
}

func TestFireCheckOnce(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.status["orders"] = checks.Fail
	if err := e.svc.ScheduleChecks(t.Context(), []string{"orders"}); err != nil {
		t.Fatal(err)
	}
	d := Deadline{Kind: DeadlineCheck, Subject: "orders", DueAt: epoch.Add(time.Hour)}
	e.now = d.DueAt
	for range 3 { // three processes
		if err := e.svc.Fire(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if c := e.incident(t).Signals[0].Count; c != 1 {
		t.Errorf("counted %d times", c)
	}
	if next := e.store.data.deadlines[[2]string{DeadlineCheck, "orders"}]; !next.DueAt.Equal(epoch.Add(2 * time.Hour)) {
		t.Errorf("next %v", next)
	}
	if err := e.svc.ScheduleChecks(t.Context(), []string{"orders", "unknown"}); err == nil {
		t.Error("an unknown check was scheduled")
	}
}

func TestCheckThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.silent = true
	for name, wantErr := range map[string]bool{"orders": false, "unknown": true} {
		d := Deadline{Kind: DeadlineCheck, Subject: name, DueAt: epoch}
		e.store.data.deadlines[[2]string{d.Kind, d.Subject}] = d
		if err := e.svc.Fire(t.Context(), d); (err != nil) != wantErr {
			t.Errorf("%s: %v", name, err)
		}
	}
	r, found, err := (&memTx{data: e.store.data}).LastResult(t.Context(), "orders")
	if err != nil || !found || r.Status != checks.Error || !strings.Contains(r.Problem, "does not answer") {
		t.Errorf("result %+v", r)
	}
	if len(e.store.data.incidents) != 0 || len(e.store.data.deadlines) != 1 {
		t.Errorf("%d incidents, deadlines %v", len(e.store.data.incidents), e.store.data.deadlines)
	}
}

func TestOldFindingsAreDropped(t *testing.T) {
	t.Parallel()
	i := Incident{ID: "i", State: Open, Diagnosis: &diagnosis.Diagnosis{At: epoch}}
	old := Findings{Diagnosis: diagnosis.Diagnosis{At: epoch.Add(-time.Minute), Causes: []diagnosis.Cause{{ID: "x"}}}}
	if next, out := diagnosed(i, old, L2Propose, epoch); len(out.Receipts) != 0 || causeID(next.Diagnosis) != "" {
		t.Error("older findings replaced newer ones")
	}
}

func TestRepaint(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	e.restart()
	for range 2 {
		if err := e.svc.Repaint(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	n := map[string]int{}
	for _, eff := range e.store.data.effects {
		n[eff.Kind]++
	}
	if n[EffectIncidentCard] != 1 || n[EffectApprovalCard] != 3 {
		t.Errorf("queued %v", n)
	}
}

func TestPlaceCard(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	at := MessageRef{Channel: "C7", TS: "7.0"}
	for _, id := range []string{e.incident(t).ID, e.key(t, "change").ID} {
		if err := e.svc.PlaceCard(t.Context(), id, at); err != nil {
			t.Fatal(err)
		}
	}
	if e.incident(t).Card != at || e.key(t, "change").Message != at {
		t.Error("the place was not kept")
	}
	if len(e.store.data.effects) != 0 {
		t.Errorf("placing a card painted it: %v", e.store.data.effects)
	}
	if err := e.svc.PlaceCard(t.Context(), "none", at); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown id: %v", err)
	}
}

// TestCardsFollowEveryChange: each write of an incident queues its card under
// the revision that it wrote.
func TestCardsFollowEveryChange(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	e.approve(t, "change")
	i := e.incident(t)
	for rev := int64(1); rev <= i.Rev; rev++ {
		eff := newEffect(EffectIncidentCard, i.ID+"/"+strconv.FormatInt(rev, 10), nil)
		if !e.store.data.keys[eff.Key] {
			t.Errorf("no card for revision %d", rev)
		}
	}
}

// TestPlanThatCannotBeMade: the diagnosis stands, the failure is told to whoever
// fired, and it is tried again later.
func TestPlanThatCannotBeMade(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) { e.planless, e.policy.Level = errors.New("pipeline file is gone"), L1Observe })
	if err := e.svc.OnResult(t.Context(), e.result("orders", checks.Fail)); err != nil {
		t.Fatal(err)
	}
	id := e.incident(t).ID
	err := e.svc.Perform(t.Context(), newEffect(EffectInvestigate, id, IncidentRef{Incident: id}))
	if err == nil || causeID(e.incident(t).Diagnosis) != "lost_rows" {
		t.Errorf("error %v, diagnosis %+v", err, e.incident(t).Diagnosis)
	}
	e.policy.Level = L2Propose
	e.drain(t)
	e.now = e.now.Add(e.policy.Settle)
	d := Deadline{Kind: DeadlinePropose, Subject: id, DueAt: e.now}
	if err := e.svc.Fire(t.Context(), d); err == nil {
		t.Error("the failure was swallowed")
	}
	if again := e.store.data.deadlines[[2]string{DeadlinePropose, id}]; !again.DueAt.Equal(e.now.Add(replanAfter)) {
		t.Errorf("next attempt %v", again)
	}
	e.planless = nil
	e.pass(t, 2*replanAfter)
	wantState(t, e.key(t, "change"), Waiting)
}

// TestLevelIsReadAgainWhenAsking: a domain that was lowered, or an incident that
// ended, between the cause and the request is not asked about.
func TestLevelIsReadAgainWhenAsking(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.fail(t, "orders")
	e.policy.Level = L1Observe
	e.pass(t, 5*time.Minute)
	if n := len(e.store.data.proposals); n != 0 {
		t.Errorf("%d proposals at L1", n)
	}
}

// A check that passes can rule a cause out, and so name another: an incident
// without a named cause is looked at again, one with a cause is not.
func TestARelatedPassLooksAgainForAnUnnamedCause(t *testing.T) {
	t.Parallel()
	for _, named := range []bool{false, true} {
		e := newEstate(func(e *estate) { e.cause = nil })
		e.fail(t, "orders")
		if named {
			e.cause = &diagnosis.Cause{ID: "first", Title: "First"}
			e.fail(t, "orders")
		}
		e.cause = &diagnosis.Cause{ID: "second", Title: "Second"}
		if err := e.svc.OnResult(t.Context(), e.result("orders_dead", checks.Pass)); err != nil {
			t.Fatal(err)
		}
		e.drain(t)
		top, _ := e.incident(t).Diagnosis.Top()
		if want := map[bool]string{false: "second", true: "first"}[named]; top.ID != want {
			t.Errorf("named before: %v: cause = %q, want %q", named, top.ID, want)
		}
	}
}

// A part of a plan that cannot be made is said, and the rest is asked for.
func TestAPartlyMadePlanIsAskedForAndSaid(t *testing.T) {
	t.Parallel()
	e := newEstate(func(e *estate) {
		e.planless = &diagnosis.PlanError{Problems: []diagnosis.Problem{{Key: "other", Err: errors.New("the file is unreadable")}}}
	})
	e.asked(t)
	wantState(t, e.key(t, "hold"), Waiting)
	if !e.noted(t, "dw makes no proposal \"other\": the file is unreadable") {
		t.Errorf("nobody was told: %+v", e.incident(t).Notes)
	}
}

// The newest numbers pass, but an earlier span is still wrong: the rows are
// still lost, so the incident and its requests stay open.
func TestANewestPassDoesNotHideWhatWasLost(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.asked(t)
	if err := e.svc.OnResult(t.Context(), e.result("orders", checks.Pass)); err != nil { // a re-check still fails
		t.Fatal(err)
	}
	e.drain(t)
	e.tick(t)
	if got := e.incident(t).State; got == Resolved {
		t.Fatal("resolved although a span is still wrong")
	}
	wantState(t, e.key(t, "change"), Waiting)
	if !e.noted(t, "not every span since the onset") {
		t.Errorf("nobody was told: %+v", e.incident(t).Notes)
	}
}

// A recovery that could not be asked is asked again and ends nothing.
func TestARecoveryThatCannotBeAskedIsAskedAgain(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.fail(t, "orders")
	e.status["orders"], e.silent = checks.Pass, true
	if err := e.svc.OnResult(t.Context(), e.result("orders", checks.Pass)); err != nil {
		t.Fatal(err)
	}
	e.drain(t)
	e.tick(t)
	if got := e.incident(t).State; got == Resolved {
		t.Fatal("resolved although nothing was asked")
	}
	e.silent = false
	e.pass(t, e.policy.VerifyEvery+time.Minute)
	if got := e.incident(t).State; got != Resolved {
		t.Errorf("incident is %s", got)
	}
}
