package workflows

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/lineage"

	"pgregory.net/rapid"
)

// chain is an estate whose assets feed each other in the order of their letters
// within a group: a1 feeds a2. Assets of one letter are tied.
func chain(t *testing.T, change ...func(*estate)) *estate {
	t.Helper()
	e := newEstate(append([]func(*estate){func(e *estate) {
		e.ties = func(a, b lineage.AssetID) bool { return a[0] == b[0] }
		e.feeds = func(from, to lineage.AssetID) bool {
			return from[0] == to[0] && from < to && from[1] != '9' && to[1] != '9'
		}
	}}, change...)...)
	e.cause = nil
	return e
}

// failed is a failure of an asset, hours after the epoch.
func failed(asset string, hours float64) checks.Result {
	at := epoch.Add(time.Duration(hours * float64(time.Hour)))
	return checks.Result{Check: "check of " + asset, Asset: lineage.AssetID(asset), Domain: "sales", Kind: "volume", Status: checks.Fail, At: at, Message: "wrong."}
}

func (e *estate) take(t fataler, results ...checks.Result) {
	t.Helper()
	for _, r := range results {
		if r.At.After(e.now) {
			e.now = r.At
		}
		if err := e.svc.OnResult(context.Background(), r); err != nil {
			t.Fatalf("on result: %v", err)
		}
	}
}

// grouped says which checks are together in open incidents, and about what.
func (e *estate) grouped(t fataler) string {
	t.Helper()
	open, err := e.svc.Incidents(context.Background(), true, 1000)
	if err != nil {
		t.Fatalf("incidents: %v", err)
	}
	var lines []string
	for _, i := range open {
		var names []string
		for _, s := range i.Signals {
			names = append(names, fmt.Sprintf("%s x%d", s.Result.Asset, s.Count))
		}
		slices.Sort(names)
		lines = append(lines, string(i.Subject)+": "+strings.Join(names, ", "))
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

func TestFailuresTiedByLineageAreOneIncident(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		in   []checks.Result
		want string
	}{
		"downstream joins":                    {[]checks.Result{failed("a1", 0), failed("a2", 1)}, "a1: a1 x1, a2 x1"},
		"upstream becomes the subject":        {[]checks.Result{failed("a3", 0), failed("a2", 1), failed("a1", 2)}, "a1: a1 x1, a2 x1, a3 x1"},
		"a repeat is a counter":               {[]checks.Result{failed("a1", 0), failed("a1", 1), failed("a1", 2)}, "a1: a1 x3"},
		"what is not tied is another":         {[]checks.Result{failed("a1", 0), failed("b1", 0)}, "a1: a1 x1; b1: b1 x1"},
		"beyond the window is another":        {[]checks.Result{failed("a1", 0), failed("a2", 13)}, "a1: a1 x1; a2: a2 x1"},
		"the same check is one at any time":   {[]checks.Result{failed("a1", 0), failed("a1", 100)}, "a1: a1 x2"},
		"what goes on failing keeps it open":  {[]checks.Result{failed("a1", 0), failed("a1", 10), failed("a2", 20)}, "a1: a1 x2, a2 x1"},
		"neither feeds the other: the first":  {[]checks.Result{failed("a8", 1), failed("a9", 0)}, "a9: a8 x1, a9 x1"},
		"a bridge in time makes two into one": {[]checks.Result{failed("a2", 0), failed("a3", 20), failed("a1", 10)}, "a1: a1 x1, a2 x1, a3 x1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := chain(t)
			e.take(t, tc.in...)
			if got := e.grouped(t); got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}

// TestTheOrderOfArrivalDoesNotMatter: whatever order failures arrive in, the
// same are together in one incident, counted as often, with the same subject.
func TestTheOrderOfArrivalDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		asset := rapid.Custom(func(t *rapid.T) string {
			return string(rapid.SampledFrom([]byte("ab")).Draw(t, "letter")) + string(rapid.SampledFrom([]byte("12389")).Draw(t, "place"))
		})
		in := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) checks.Result {
			return failed(asset.Draw(t, "asset"), float64(rapid.IntRange(0, 60).Draw(t, "hour")))
		}), 1, 6).Draw(t, "failures")
		outcome := func(order []checks.Result) string {
			e := newEstate(func(e *estate) {
				e.ties = func(a, b lineage.AssetID) bool { return a[0] == b[0] }
				e.feeds = func(from, to lineage.AssetID) bool { return from[0] == to[0] && from < to && to[1] != '9' }
			})
			e.now = epoch.Add(61 * time.Hour)
			e.take(t, order...)
			return e.grouped(t)
		}
		order := rapid.Permutation(in).Draw(t, "order")
		if got, want := outcome(order), outcome(in); got != want {
			t.Fatalf("in another order %s, first %s", got, want)
		}
	})
}

func TestAnIncidentThatJoinedAnother(t *testing.T) {
	t.Parallel()
	e := chain(t)
	e.take(t, failed("a2", 0), failed("a3", 20))
	both, err := e.svc.Incidents(t.Context(), true, 10)
	if err != nil || len(both) != 2 {
		t.Fatal(both, err)
	}
	older, younger := both[1], both[0]
	e.take(t, failed("a1", 10))
	joined, _, err := e.svc.Incident(t.Context(), younger.ID)
	if err != nil || joined.State != Resolved || joined.MergedInto != older.ID || !strings.Contains(notesText(joined), "Joined "+older.ID) {
		t.Errorf("%+v, %v", joined, err)
	}
	kept, _, err := e.svc.Incident(t.Context(), older.ID)
	if err != nil || kept.State != Open || !strings.Contains(notesText(kept), younger.ID+" joined this incident") {
		t.Errorf("%+v, %v", kept, err)
	}
	if body := e.last("incident.resolved").Body; body["into"] != older.ID {
		t.Errorf("receipt %+v", body)
	}
}

// TestRequestsKeepTheirIncident: what was asked about an incident was asked about
// its subject, and an incident with requests joins no other.
func TestRequestsKeepTheirIncident(t *testing.T) {
	t.Parallel()
	e := chain(t)
	e.cause = newEstate().cause
	e.take(t, failed("a2", 0))
	e.drain(t)
	e.pass(t, e.policy.Settle)
	if len(e.incident(t).Proposals) == 0 {
		t.Fatal("nothing is asked")
	}
	e.take(t, failed("a1", 1))
	if got := e.grouped(t); got != "a2: a1 x1, a2 x1" {
		t.Errorf("%s", got)
	}
}

func TestRecoveryIsSeenAsOftenAsThePolicySays(t *testing.T) {
	t.Parallel()
	e := chain(t, func(e *estate) { e.policy.RecoverRuns = 3 })
	r := failed("a1", 0)
	e.take(t, r)
	e.drain(t)
	pass := func() {
		t.Helper()
		e.status[r.Check] = checks.Pass
		good := r
		good.Status, good.At = checks.Pass, e.now
		e.take(t, good)
		e.tick(t)
	}
	again := func() {
		t.Helper()
		e.now = e.now.Add(e.policy.VerifyEvery)
		e.tick(t)
	}
	e.now = e.now.Add(time.Minute)
	pass()
	again()
	if got := e.incident(t); got.State != Open || got.RightRuns != 2 {
		t.Fatalf("%s after %d runs", got.State, got.RightRuns)
	}
	// It fails in between: the count begins again.
	e.status[r.Check] = checks.Fail
	bad := r
	bad.At = e.now
	e.take(t, bad)
	again()
	if got := e.incident(t); got.State != Open || got.RightRuns != 0 {
		t.Fatalf("%s after %d runs", got.State, got.RightRuns)
	}
	e.now = e.now.Add(time.Minute)
	pass()
	again()
	again()
	if got := e.incident(t); got.State != Resolved {
		t.Errorf("%s after %d runs", got.State, got.RightRuns)
	}
}
