package app_test

import (
	"context"
	"strings"
	"testing"

	"dw/app"
	"dw/config"
	"dw/intake/signals"
)

// addSource writes sources of signals into the configuration.
func addSource(sources string) func(string) string {
	return func(text string) string { return text + "\nsignals:\n  sources:\n    - " + sources + "\n" }
}

// send hands a payload to the running dw as `dw signal import` does.
func (r *rig) send(source, body string) signals.Answer {
	r.t.Helper()
	project, err := app.LoadProject(r.path("config.yaml"), config.OS(), true)
	if err != nil {
		r.t.Fatal(err)
	}
	defer project.Close() //nolint:errcheck // only read
	answer, err := app.SendSignals(context.Background(), project.Config, "http://"+r.address, source, []byte(body))
	if err != nil {
		r.t.Fatal(err)
	}
	return answer
}

// TestToolsSignals: what another tool finds opens an incident on the asset that
// dw knows by the tool's name for it, names the tool, counts once, and what
// belongs to no asset is said and opens none.
func TestToolsSignals(t *testing.T) {
	t.Parallel()
	r := start(t, addSource("{name: soda-prod, tool: soda, domain: grid, tokens: ["+intakeKey+"], assets: {kwh adds up: fct_readings}}"))
	scan := func(check, table, outcome, at string) string {
		return `{"scanStartTimestamp":"` + at + `","checks":[{"name":"` + check + `","table":"` + table + `","outcome":"` + outcome + `"}]}`
	}
	unknown := r.send("soda-prod", scan("rows", "raedings", "fail", "2026-06-10T11:05:00Z"))
	if len(unknown.Unknown) != 1 || !strings.Contains(unknown.Unknown[0].Problem, `unknown asset "raedings"`) {
		t.Errorf("an unknown asset: %+v", unknown)
	}
	r.see("Soda said at 11:05 UTC of soda-prod/raedings/rows", "Unknown asset, so no incident")
	body := scan("kwh adds up", "some_view", "fail", "2026-06-10T11:06:00Z")
	if a := r.send("soda-prod", body); a.Recorded != 1 || len(a.Unknown) != 0 {
		t.Errorf("a check that is tied to an asset: %+v", a)
	}
	r.see("fct_readings", "kwh adds up fails", "said by Soda")
	if a := r.send("soda-prod", body); a.Known != 1 || a.Recorded != 0 {
		t.Errorf("the same again: %+v", a)
	}
	if a := r.send("soda-prod", scan("kwh adds up", "some_view", "pass", "2026-06-10T11:01:00Z")); a.Old != 1 {
		t.Errorf("an older scan: %+v", a)
	}
	if opened := r.receipts("incident.opened"); len(opened) != 1 || opened[0].Predicate.Body["tool"] != "Soda" {
		t.Errorf("incidents %+v", opened)
	}
}

func TestSendingToNoSource(t *testing.T) {
	t.Parallel()
	e := newEstate(t, addSource("{name: soda-prod, tool: soda, domain: grid, tokens: ["+intakeKey+"]}"))
	project, err := app.LoadProject(e.path("config.yaml"), config.OS(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer project.Close() //nolint:errcheck // only read
	_, err = app.SendSignals(t.Context(), project.Config, "", "sodaprod", nil)
	if err == nil || !strings.Contains(err.Error(), `no source "sodaprod" under signals; there are: soda-prod`) {
		t.Errorf("%v", err)
	}
	_, err = app.SendSignals(t.Context(), project.Config, "http://127.0.0.1:1", "soda-prod", nil)
	if err == nil || !strings.Contains(err.Error(), "which must be running") {
		t.Errorf("%v", err)
	}
}
