package workflows

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"dw/checks"
)

// said is a report about orders.
func (e *estate) said(event string, status checks.Status) Report {
	r := e.result("orders", status)
	r.Check, r.Kind, r.Tool = "gx/orders", KindSignal, "Great Expectations"
	return Report{Event: event, Result: r}
}

func (e *estate) report(t *testing.T, r Report) ReportOutcome {
	t.Helper()
	outcome, err := e.svc.OnReport(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

func TestAReportOpensAnIncidentThatNamesItsTool(t *testing.T) {
	t.Parallel()
	e := newEstate()
	if got := e.report(t, e.said("1", checks.Fail)); got != ReportRecorded {
		t.Errorf("outcome %s", got)
	}
	i := e.incident(t)
	if i.State != Open || i.Subject != "db://orders" || i.Signals[0].Result.Tool != "Great Expectations" {
		t.Errorf("incident %+v", i)
	}
	if body := e.last("incident.opened").Body; body["tool"] != "Great Expectations" {
		t.Errorf("receipt %+v", body)
	}
	// dw's own check of the same cause joins, and so does another tool.
	e.fail(t, "orders")
	other := e.said("2", checks.Fail)
	other.Result.Check, other.Result.Tool, other.Result.Asset = "soda/dead", "Soda", "db://orders_dead"
	e.now = e.now.Add(time.Minute)
	e.report(t, other)
	i = e.incident(t)
	if len(e.store.data.incidents) != 1 || len(i.Signals) != 3 {
		t.Fatalf("%d incidents, %d signals", len(e.store.data.incidents), len(i.Signals))
	}
	if text := i.Notes[len(i.Notes)-1].Text; text != "Soda said at 12:00 UTC of soda/dead: orders is fail." {
		t.Errorf("note %q", text)
	}
}

func TestAReportCountsOnce(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.report(t, e.said("1", checks.Fail))
	if got := e.report(t, e.said("1", checks.Fail)); got != ReportKnown {
		t.Errorf("the repeat is %s", got)
	}
	if got := e.incident(t).Signals[0].Count; got != 1 {
		t.Errorf("counted %d times", got)
	}
	e.now = e.now.Add(time.Hour)
	e.report(t, e.said("2", checks.Fail)) // the next run says so again
	if got := e.incident(t).Signals[0].Count; got != 2 || len(e.store.data.incidents) != 1 {
		t.Errorf("counted %d times in %d incidents", got, len(e.store.data.incidents))
	}
}

// TestARepeatKeepsTheMemoryFresh: an alert that fires for weeks is sent again
// and again; it must not be forgotten and count anew.
func TestARepeatKeepsTheMemoryFresh(t *testing.T) {
	t.Parallel()
	e := newEstate()
	first := e.said("1", checks.Fail)
	e.report(t, first)
	for range 4 {
		e.now = e.now.Add(ReportMemory - time.Hour)
		e.tick(t)
		if got := e.report(t, first); got != ReportKnown {
			t.Fatalf("the repeat is %s", got)
		}
	}
	e.now = e.now.Add(ReportMemory)
	e.tick(t)
	if _, kept, _ := (&memTx{data: e.store.data}).Deadline(t.Context(), DeadlineForget, "signal/1"); kept {
		t.Error("an event is remembered for ever")
	}
}

func TestWhatIsOvertakenMovesNothing(t *testing.T) {
	t.Parallel()
	e := newEstate()
	fail := e.said("1", checks.Fail)
	e.now = e.now.Add(time.Minute)
	e.report(t, e.said("2", checks.Pass))
	if got := e.report(t, fail); got != ReportOld || len(e.store.data.incidents) != 0 {
		t.Errorf("outcome %s with %d incidents", got, len(e.store.data.incidents))
	}
}

func TestAReportRecovers(t *testing.T) {
	t.Parallel()
	e := newEstate()
	e.report(t, e.said("1", checks.Fail))
	e.drain(t)
	e.now = e.now.Add(time.Minute)
	e.status["gx/orders"] = checks.Pass
	e.report(t, e.said("2", checks.Pass))
	e.drain(t)
	e.tick(t)
	i := e.incident(t)
	if i.State != Resolved {
		t.Fatalf("incident is %s", i.State)
	}
	if !strings.Contains(notesText(i), "Great Expectations' gx/orders passes again") {
		t.Errorf("notes %s", notesText(i))
	}
}

func notesText(i Incident) string {
	var all []string
	for _, n := range i.Notes {
		all = append(all, n.Text)
	}
	return strings.Join(all, "\n")
}

// TestAnUnknownAssetIsKeptAndSaid: no incident is made up, and the channel hears
// of it once.
func TestAnUnknownAssetIsKeptAndSaid(t *testing.T) {
	t.Parallel()
	e := newEstate()
	r := e.said("1", checks.Fail)
	r.Result.Asset, r.Unknown = "", `unknown asset "oders"; near names: orders`
	again := r
	again.Event = "2"
	e.report(t, r)
	e.report(t, again)
	if len(e.store.data.incidents) != 0 || len(e.store.data.results) != 1 {
		t.Errorf("%d incidents, %d results", len(e.store.data.incidents), len(e.store.data.results))
	}
	var told []Notice
	for _, effect := range e.store.data.effects {
		var n Notice
		if effect.Kind == EffectNotice && json.Unmarshal(effect.Payload, &n) == nil {
			told = append(told, n)
		}
	}
	if len(told) != 1 || told[0].Channel != "C1" || !strings.Contains(told[0].Text, `Unknown asset, so no incident: unknown asset "oders"; near names: orders.`) ||
		!strings.Contains(told[0].Text, "Great Expectations said at 12:00 UTC of gx/orders") {
		t.Errorf("told %+v", told)
	}
}

func TestAPassOfAnUnknownAssetIsNoNews(t *testing.T) {
	t.Parallel()
	e := newEstate()
	r := e.said("1", checks.Pass)
	r.Result.Asset, r.Unknown = "", "unknown asset"
	e.report(t, r)
	if len(e.store.data.effects) != 0 {
		t.Errorf("effects %+v", e.store.data.effects)
	}
}
