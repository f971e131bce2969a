package workflows

import (
	"errors"
	"testing"
	"time"

	"dw/checks"
	"dw/receipts"
)

// verifying brings the estate to the verify step.
func verifying(t *testing.T) *estate {
	t.Helper()
	e, eff, _ := atLaunch(t)
	if err := e.svc.Perform(t.Context(), eff); err != nil {
		t.Fatal(err)
	}
	e.sched.finish(true)
	e.pass(t, 2*time.Minute)
	if got := e.incident(t).State; got != Verifying {
		t.Fatalf("incident is %s", got)
	}
	return e
}

func TestJudge(t *testing.T) {
	t.Parallel()
	results := func(ss ...checks.Status) (rs []checks.Result) {
		for _, s := range ss {
			rs = append(rs, checks.Result{Status: s})
		}
		return rs
	}
	tests := []struct {
		name string
		v    Verification
		err  error
		want verdict
	}{
		{"all pass", Verification{OK: true, Results: results(checks.Pass, checks.Pass)}, nil, right},
		{"runner says no", Verification{Results: results(checks.Pass)}, nil, wrong},
		{"one fails", Verification{OK: true, Results: results(checks.Pass, checks.Fail)}, nil, wrong},
		{"one fails, one is mute", Verification{Results: results(checks.Error, checks.Fail)}, nil, wrong},
		{"one warns", Verification{OK: true, Results: results(checks.Warn)}, nil, wrong},
		{"one errs", Verification{OK: true, Results: results(checks.Pass, checks.Error)}, nil, unasked},
		{"one is late", Verification{OK: true, Results: results(checks.Pass, checks.Late)}, nil, unasked},
		{"nothing was asked", Verification{OK: true}, nil, unasked},
		{"could not be asked", Verification{OK: true, Results: results(checks.Pass)}, errors.New("x"), unasked},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := judge(tt.v, tt.err); got != tt.want {
				t.Errorf("verdict %d, want %d", got, tt.want)
			}
		})
	}
}

func TestSilenceIsNeitherGoodNorBad(t *testing.T) {
	t.Parallel()
	e := verifying(t)
	e.silent = true
	e.pass(t, 2*time.Hour)
	i := e.incident(t)
	if i.State != Verifying || i.Verification.OK || i.Verification.Problem == "" {
		t.Fatalf("incident %s, verification %+v", i.State, i.Verification)
	}
	wantState(t, e.key(t, "recover"), Executing)
	e.silent, e.status["orders"] = false, checks.Pass
	e.pass(t, 10*time.Minute)
	if got := e.incident(t).State; got != Resolved {
		t.Errorf("incident is %s", got)
	}
}

func TestStillWrongFails(t *testing.T) {
	t.Parallel()
	e := verifying(t)
	e.pass(t, 15*time.Minute) // bad results, within the time allowed
	wantState(t, e.key(t, "recover"), Executing)
	e.pass(t, 15*time.Minute)
	wantState(t, e.key(t, "recover"), Failed)
	wantState(t, e.key(t, "change"), Failed)
	if got := e.incident(t).State; got != Open || !e.noted(t, "The numbers are still wrong: orders: orders is fail.") {
		t.Errorf("incident is %s", got)
	}
	if d := e.last(receipts.KindVerification); d.Body["ok"] != false {
		t.Errorf("receipt %+v", d.Body)
	}
}

func TestRightAgainAfterRetries(t *testing.T) {
	t.Parallel()
	e := verifying(t)
	e.pass(t, 8*time.Minute)
	e.status["orders"] = checks.Pass
	e.pass(t, 5*time.Minute)
	wantState(t, e.key(t, "recover"), Verified)
	wantState(t, e.key(t, "hold"), Withdrawn) // it was never decided
	if got := e.incident(t).State; got != Resolved {
		t.Errorf("incident is %s", got)
	}
}

// TestOpenStepHoldsTheIncident: right numbers do not close an incident whose
// approved steps somebody is still carrying out.
func TestOpenStepHoldsTheIncident(t *testing.T) {
	t.Parallel()
	e := verifying(t)
	e.approve(t, "hold")
	e.status["orders"] = checks.Pass
	e.pass(t, 10*time.Minute)
	if got := e.incident(t).State; got != Verifying {
		t.Fatalf("incident is %s with an open step", got)
	}
	e.sched.schedule = "STOPPED"
	e.pass(t, 10*time.Minute)
	if got := e.incident(t).State; got != Resolved {
		t.Errorf("incident is %s", got)
	}
	wantState(t, e.key(t, "hold"), Verified)
}

func TestVerifyEffect(t *testing.T) {
	t.Parallel()
	e := verifying(t)
	e.status["orders"] = checks.Pass
	id := e.incident(t).ID
	if err := e.svc.Perform(t.Context(), newEffect(EffectVerify, id, IncidentRef{Incident: id})); err != nil {
		t.Fatal(err)
	}
	if got := e.incident(t).State; got != Resolved || len(e.store.data.deadlines) > 1 {
		t.Errorf("incident is %s, deadlines %v", got, e.store.data.deadlines)
	}
}
