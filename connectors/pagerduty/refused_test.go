package pagerduty_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"dw/connectors/pagerduty"

	fake "dw/internal/fakes/pagerduty"
)

// TestRefused holds that each refusal says what to do, changes nothing, and is
// not repeated.
func TestRefused(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	event := func(change func(*pagerduty.Alert)) func(*pagerduty.Client, string) error {
		return func(c *pagerduty.Client, _ string) error {
			a := alert()
			a.DedupKey = "INC-8"
			change(&a)
			return c.Trigger(ctx, a)
		}
	}
	note := func(incident, from, text, mark string) func(*pagerduty.Client, string) error {
		return func(c *pagerduty.Client, id string) error {
			_, err := c.Note(ctx, strings.ReplaceAll(incident, "ID", id), from, text, mark)
			return err
		}
	}
	for name, tc := range map[string]struct {
		change func(*pagerduty.Options)
		do     func(*pagerduty.Client, string) error
		kind   string
		says   string
	}{
		"wrong key":            {func(o *pagerduty.Options) { o.APIKey = "s3cret-old-key" }, note("ID", ana, "x", marker), "key", "put a valid REST API key"},
		"no key":               {func(o *pagerduty.Options) { o.APIKey = "" }, note("ID", ana, "x", marker), "key", "set pagerduty's api_key"},
		"wrong routing key":    {nil, event(func(a *pagerduty.Alert) { a.Service = "wrong" }), "key", `routing key of service "wrong"`},
		"unknown service":      {nil, event(func(a *pagerduty.Alert) { a.Service = "billing" }), "unknown", `no routing key is configured for service "billing"; configured are ["orders" "wrong"]`},
		"no summary":           {nil, event(func(a *pagerduty.Alert) { a.Summary = " " }), "input", "summary"},
		"no source":            {nil, event(func(a *pagerduty.Alert) { a.Source = "" }), "input", "source"},
		"severity":             {nil, event(func(a *pagerduty.Alert) { a.Severity = "bad" }), "input", "critical, error, warning, info"},
		"no dedup key":         {nil, event(func(a *pagerduty.Alert) { a.DedupKey = "" }), "input", "the key has 0 characters"},
		"long dedup key":       {nil, event(func(a *pagerduty.Alert) { a.DedupKey = strings.Repeat("x", 256) }), "input", "256"},
		"link":                 {nil, event(func(a *pagerduty.Alert) { a.Links[0].Href = "here" }), "input", "links[0]"},
		"user without account": {nil, note("ID", "zoe@example.com", "x", marker), "user", "zoe@example.com has no PagerDuty account"},
		"no user":              {nil, note("ID", "", "x", marker), "user", "not an e-mail"},
		"header in user":       {nil, note("ID", "a@b.c\r\nX: y", "x", marker), "user", "not an e-mail"},
		"deleted incident":     {nil, note("PGONE", ana, "x", marker), "unknown", "it was deleted"},
		"path as incident":     {nil, note("ID/../x", ana, "x", marker), "input", "is not the id of a PagerDuty incident"},
		"no text":              {nil, note("ID", ana, " \n", marker), "input", "text is missing"},
		"no marker":            {nil, note("ID", ana, "x", "opened"), "input", "dw:incident:stage"},
		"marker of two words":  {nil, note("ID", ana, "x", "dw:INC-7:a b"), "input", "dw:incident:stage"},
		"level zero": {nil, func(c *pagerduty.Client, id string) error {
			_, err := c.Escalate(ctx, id, ana, 0)
			return err
		}, "input", "levels start at 1"},
		"level too high": {nil, func(c *pagerduty.Client, id string) error {
			_, err := c.Escalate(ctx, id, ana, 9)
			return err
		}, "input", "not a level of the escalation policy"},
		"all incidents": {nil, func(c *pagerduty.Client, _ string) error {
			_, _, err := c.FindIncident(ctx, "", "")
			return err
		}, "input", "the key is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := start(t, tc.change)
			if err := v.client.Trigger(ctx, alert()); err != nil {
				t.Fatal(err)
			}
			before, calls := fmt.Sprint(v.Incidents()), total(v)
			err := tc.do(v.client, v.Incidents()[0].ID)
			if kind(err) != tc.kind || !strings.Contains(err.Error(), tc.says) || !strings.HasPrefix(err.Error(), "pagerduty: ") {
				t.Errorf("%s: %v, want %s that says %q", kind(err), err, tc.kind, tc.says)
			}
			if strings.Contains(err.Error()+v.log.String()+fmt.Sprintf("%v %+v %#v", v.client, v.client, *v.client), "s3cret") {
				t.Errorf("a key is printed: %v\n%s", err, v.log)
			}
			if after := fmt.Sprint(v.Incidents()); after != before || total(v) > calls+1 {
				t.Errorf("%d calls changed\n%s\nto\n%s", total(v)-calls, before, after)
			}
		})
	}
}

func total(v vendor) int {
	n := 0
	for _, calls := range v.Calls() {
		n += calls
	}
	return n
}

// TestRateLimits: a call that may be repeated waits as it is told, if that is
// short; every other one says when to try again.
func TestRateLimits(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	trigger := func(v vendor) error { return v.client.Trigger(ctx, alert()) }
	note := func(v vendor) error {
		_, err := v.client.Note(ctx, v.Incidents()[0].ID, ana, "x", marker)
		return err
	}
	for name, tc := range map[string]struct {
		fault fake.Fault
		do    func(vendor) error
		kind  string
		at    time.Time
		calls int
	}{
		"page, Retry-After":            {fake.Fault{Operation: "createV2Event", RetryAfter: "0"}, trigger, "none", time.Time{}, 2},
		"page, reset":                  {fake.Fault{Operation: "createV2Event", Reset: "0"}, trigger, "none", time.Time{}, 2},
		"page, neither":                {fake.Fault{Operation: "createV2Event"}, trigger, "none", time.Time{}, 2},
		"page, reset too far":          {fake.Fault{Operation: "createV2Event", Reset: "37"}, trigger, "limited", noon.Add(37 * time.Second), 1},
		"page, Retry-After goes first": {fake.Fault{Operation: "createV2Event", Reset: "0", RetryAfter: "90"}, trigger, "limited", noon.Add(90 * time.Second), 1},
		"note, Retry-After":            {fake.Fault{Operation: "createIncidentNote", RetryAfter: "1"}, note, "limited", noon.Add(time.Second), 1},
		"note, reset":                  {fake.Fault{Operation: "createIncidentNote", Reset: "12"}, note, "limited", noon.Add(12 * time.Second), 1},
		"note, neither":                {fake.Fault{Operation: "createIncidentNote"}, note, "limited", noon.Add(time.Minute), 1},
		"note, date":                   {fake.Fault{Operation: "createIncidentNote", RetryAfter: "Wed, 04 Mar 2026 12:00:30 GMT"}, note, "limited", noon.Add(30 * time.Second), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := start(t, nil)
			if err := v.client.Trigger(ctx, alert()); err != nil {
				t.Fatal(err)
			}
			before := v.Calls()[tc.fault.Operation]
			tc.fault.Kind = fake.Status429
			v.Fail(tc.fault)
			err := tc.do(v)
			if kind(err) != tc.kind || v.Calls()[tc.fault.Operation]-before != tc.calls || len(v.Incidents()[0].Notes) != 0 {
				t.Fatalf("%s after %d calls: %v", kind(err), v.Calls()[tc.fault.Operation]-before, err)
			}
			if limited, ok := errors.AsType[*pagerduty.RateLimitedError](err); ok && (!limited.RetryAt.Equal(tc.at) || !strings.Contains(err.Error(), tc.at.Format("15:04:05 UTC"))) {
				t.Errorf("%v, want %s", err, tc.at)
			}
		})
	}
}

// TestOneEffect: whatever happens to the answer, the effect is there once and the
// error tells the truth.
func TestOneEffect(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, how := range []fake.FaultKind{fake.HangAfterEffect, fake.CutAfterEffect, fake.OddAfterEffect} {
		t.Run("note "+string(how), func(t *testing.T) {
			t.Parallel()
			v := start(t, shortly)
			in := paged(t, v)
			v.Fail(fake.Fault{Operation: "createIncidentNote", Kind: how})
			if _, err := v.client.Note(ctx, in.ID, ana, "x", marker); kind(err) != "unclear" {
				t.Errorf("%s: %v, want unclear", kind(err), err)
			}
			n, ok, err := v.client.FindNote(ctx, in.ID, marker)
			if notes := v.Incidents()[0].Notes; err != nil || !ok || len(notes) != 1 || notes[0].ID != n.ID {
				t.Errorf("found %v, %v of %+v", ok, err, notes)
			}
		})
		t.Run("escalate "+string(how), func(t *testing.T) {
			t.Parallel()
			v := start(t, shortly)
			in := paged(t, v)
			v.Fail(fake.Fault{Operation: "updateIncidents", Kind: how})
			_, err := v.client.Escalate(ctx, in.ID, ana, 2)
			if state := v.Incidents()[0]; kind(err) != "unclear" || v.Calls()["updateIncidents"] != 1 || state.Level != 2 {
				t.Errorf("%s after %d calls: %v, level %d", kind(err), v.Calls()["updateIncidents"], err, state.Level)
			}
		})
	}
	for _, how := range []fake.FaultKind{fake.HangAfterEffect, fake.CutAfterEffect} {
		t.Run("page "+string(how), func(t *testing.T) {
			t.Parallel()
			v := start(t, shortly)
			v.Fail(fake.Fault{Operation: "createV2Event", Kind: how})
			err := v.client.Trigger(ctx, alert())
			if all := v.Incidents(); err != nil || len(all) != 1 || len(all[0].Log) != 1 || v.Calls()["createV2Event"] != 2 {
				t.Errorf("%v, %d calls, %+v", err, v.Calls()["createV2Event"], all)
			}
		})
	}
}

func shortly(o *pagerduty.Options) { o.Timeout = time.Second }

// TestNeverClaimsNothingWasDone: a page whose answers were all lost is unclear,
// not "not available", also where the last attempt is refused; sending it again
// settles it.
func TestNeverClaimsNothingWasDone(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, faults := range map[string][]fake.Fault{
		"all lost":         {{Kind: fake.CutAfterEffect}, {Kind: fake.CutAfterEffect}},
		"lost, then 429":   {{Kind: fake.CutAfterEffect}, {Kind: fake.Status429}},
		"500, then 429":    {{Kind: fake.Status500}, {Kind: fake.Status429}},
		"lost, then 500":   {{Kind: fake.CutAfterEffect}, {Kind: fake.Status500}},
		"odd after effect": {{Kind: fake.OddAfterEffect}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := start(t, func(o *pagerduty.Options) { o.Retries = 1 })
			for _, f := range faults {
				f.Operation = "createV2Event"
				v.Fail(f)
			}
			if err := v.client.Trigger(ctx, alert()); kind(err) != "unclear" {
				t.Errorf("%s: %v, want unclear", kind(err), err)
			}
			if err := v.client.Trigger(ctx, alert()); err != nil || len(v.Incidents()) != 1 {
				t.Errorf("again: %v, %d incidents", err, len(v.Incidents()))
			}
		})
	}
}

// TestNotAvailable: without a connection nothing was done, and no write says
// otherwise.
func TestNotAvailable(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(nil)
	web.Close()
	c, err := pagerduty.New(pagerduty.Options{
		APIKey: apiKey, RoutingKeys: map[string]string{"orders": routingKey}, BaseURL: web.URL, EventsURL: web.URL, Retries: -1, Now: func() time.Time { return noon },
	})
	if err != nil {
		t.Fatal(err)
	}
	_, noteErr := c.Note(context.Background(), "P1", ana, "x", marker)
	for name, err := range map[string]error{"page": c.Trigger(context.Background(), alert()), "note": noteErr} {
		if kind(err) != "other" || !strings.Contains(err.Error(), "not available") {
			t.Errorf("%s: %s: %v", name, kind(err), err)
		}
	}
}

// TestReadBack: an answered note that is not on the incident is not a success.
func TestReadBack(t *testing.T) {
	t.Parallel()
	c := canned(t, map[string]string{
		"POST /incidents/PT4KHLK/notes": `{"note":{"id":"PNEW","content":"x"}}`,
		"GET /incidents/PT4KHLK/notes":  `{"notes":[{"id":"POLD","content":"x\n\n` + marker + `"},{"id":"PNEW","content":"x"}]}`,
	}, false)
	id, err := c.Note(context.Background(), "PT4KHLK", ana, "x", marker)
	if id != "PNEW" || kind(err) != "unclear" || !strings.Contains(err.Error(), "read back note PNEW") {
		t.Errorf("%q, %s: %v", id, kind(err), err)
	}
}

// TestMarkers: only the last line counts, whole; of two notes the first written.
func TestMarkers(t *testing.T) {
	t.Parallel()
	c := canned(t, map[string]string{"GET /incidents/PT4KHLK/notes": `{"notes":[
		{"id":"P5","content":"again\n\ndw:INC-7:opened","created_at":"2026-03-04T13:00:00+01:00"},
		{"id":"P4","content":"first\r\ndw:INC-7:opened \n","created_at":"2026-03-04T11:59:59Z"},
		{"id":"P6","content":"once more\n\ndw:INC-7:opened","created_at":"2026-03-04T12:30:00Z"},
		{"id":"P3","content":"dw:INC-7:opened\nis what dw wrote","created_at":"2026-03-01T12:00:00Z"},
		{"id":"P2","content":"x\nsee dw:INC-7:opened","created_at":"2026-03-01T12:00:00Z"},
		{"id":"P1","content":"x\n\ndw:INC-7:opened-late","created_at":"2026-03-01T12:00:00Z"}]}`}, false)
	for mark, want := range map[string]string{marker: "P4", "dw:INC-7:opened-late": "P1", "dw:INC-7:resolved": ""} {
		n, ok, err := c.FindNote(context.Background(), "PT4KHLK", mark)
		if err != nil || ok != (want != "") || n.ID != want {
			t.Errorf("%s: %+v, %v, %v, want %q", mark, n, ok, err, want)
		}
	}
	if pagerduty.Marker("INC-7", "opened") != marker {
		t.Error(pagerduty.Marker("INC-7", "opened"))
	}
}

// canned is a client of a server that answers what it is given, under contract
// but for the vendor's own examples: those hold nulls that its description
// forbids.
func canned(t *testing.T, answers map[string]string, examples bool) *pagerduty.Client {
	t.Helper()
	mux := http.NewServeMux()
	for pattern, body := range answers {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Write([]byte(body))
		})
	}
	web := httptest.NewServer(mux)
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		web.Close()
	})
	var way http.RoundTripper = transport
	if !examples {
		way = underContract(t, transport)
	}
	c, err := pagerduty.New(pagerduty.Options{APIKey: apiKey, BaseURL: web.URL, Transport: way, Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestVendorsExamples reads the answers that the vendor publishes.
func TestVendorsExamples(t *testing.T) {
	t.Parallel()
	answers := map[string]string{}
	for pattern, file := range map[string]string{
		"GET /incidents": "get_incidents_200_response.json", "PUT /incidents": "put_incidents_200_response.json",
		"GET /incidents/{id}": "get_incidents_id_200_response.json", "GET /incidents/{id}/alerts": "get_incidents_id_alerts_200_response.json",
		"GET /incidents/{id}/notes": "get_incidents_id_notes_200_response.json", "GET /escalation_policies/{id}": "get_escalation_policies_id_200_response.json",
		"GET /users/{id}": "get_users_me_200_response.json",
	} {
		path := shared("fixtures", "pagerduty", file)
		needShared(t, path)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		answers[pattern] = string(text)
	}
	answers["GET /oncalls"] = `{"oncalls":[]}`
	c, ctx := canned(t, answers, true), context.Background()
	in, ok, err := c.FindIncident(ctx, "baf7cf21b1da41b4b0221008339ff357", "")
	if err != nil || !ok || in.ID != "PT4KHLK" || in.Number != 1234 || in.Status != pagerduty.Resolved || in.Service != "My Mail Service" {
		t.Errorf("incident %+v, %v", in, err)
	}
	if in := must[pagerduty.Incident](t)(c.ReadIncident(ctx, "PT4KHLK")); in.ID != "PT4KHLK" {
		t.Errorf("incident %+v", in)
	}
	if notes := must[[]pagerduty.Note](t)(c.Notes(ctx, "PT4KHLK")); len(notes) != 2 || notes[0].ID != "PWL7QXS" || notes[0].By != "Earline Greenholt" {
		t.Errorf("notes %+v", notes)
	}
	if keys := must[[]string](t)(c.DedupKeys(ctx, "PT4KHLK")); len(keys) == 0 {
		t.Error("no keys of alerts")
	}
	if u := must[pagerduty.User](t)(c.User(ctx, "PXPGF42")); u.ID != "PXPGF42" || u.Email == "" {
		t.Errorf("user %+v", u)
	}
	must[[]pagerduty.OnCallUser](t)(c.OnCall(ctx, pagerduty.Rota{Policy: "PT20YPA"}))
	if in := must[pagerduty.Incident](t)(c.ResolveIncident(ctx, "PT4KHLK", ana)); in.Status != pagerduty.Resolved {
		t.Errorf("resolved %+v", in)
	}
	if _, err := c.AcknowledgeIncident(ctx, "PT4KHLK", ana); kind(err) != "unclear" { // the example shows a resolved one
		t.Errorf("acknowledged by an answer that shows it resolved: %v", err)
	}
}

// TestAnswerAboutAnother: an update that answers another incident is unclear.
func TestAnswerAboutAnother(t *testing.T) {
	t.Parallel()
	c := canned(t, map[string]string{"PUT /incidents": `{"incidents":[{"id":"POTHER","type":"incident","status":"resolved"}]}`}, false)
	if _, err := c.ResolveIncident(context.Background(), "PT4KHLK", ana); kind(err) != "unclear" {
		t.Errorf("%s: %v", kind(err), err)
	}
}

// TestLongTexts: what PagerDuty would not take is cut, the marker never.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	v, ctx := start(t, nil), context.Background()
	a := alert()
	a.Summary = strings.Repeat("ä", 3000)
	if err := v.client.Trigger(ctx, a); err != nil {
		t.Fatal(err)
	}
	in := v.Incidents()[0]
	if in.Title != strings.Repeat("ä", 1023)+"…" {
		t.Errorf("summary of %d bytes", len(in.Title))
	}
	must[string](t)(v.client.Note(ctx, in.ID, ana, strings.Repeat("ö", 60_000), marker))
	if n := v.Incidents()[0].Notes[0].Content; !strings.HasSuffix(n, "ö…\n\n"+marker) || len([]rune(n)) > 21_000 {
		t.Errorf("note of %d bytes ends with %q", len(n), n[len(n)-40:])
	}
}

// TestEchoedKeys: a key that an answer repeats is not printed, whichever the
// status.
func TestEchoedKeys(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 404, 500, 200} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Values("Authorization"); r.URL.Path != "/v2/enqueue" && (len(got) != 1 || got[0] != "Token token="+apiKey) || r.Header.Get("X-Routing-Key") != "" {
				t.Errorf("headers %v", r.Header)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"error":{"message":"no %s and no %s","code":1}, "status":"no %s"`, apiKey, routingKey, routingKey)
		}))
		transport, log := &http.Transport{}, &lockedBuffer{}
		c, err := pagerduty.New(pagerduty.Options{
			APIKey: apiKey, RoutingKeys: map[string]string{"orders": routingKey}, BaseURL: web.URL, EventsURL: web.URL, Retries: -1, Transport: transport,
			Now: func() time.Time { return noon }, Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		})
		if err != nil {
			t.Fatal(err)
		}
		_, noteErr := c.Note(context.Background(), "P1", ana, "x", marker)
		_, readErr := c.Notes(context.Background(), "P1")
		for name, err := range map[string]error{"page": c.Trigger(context.Background(), alert()), "note": noteErr, "notes": readErr} {
			if err == nil || strings.Contains(err.Error()+log.String(), "s3cret") {
				t.Errorf("%s, %d: %v", name, status, err)
			}
		}
		transport.CloseIdleConnections()
		web.Close()
	}
}

// TestOddYes: a yes about something else, or none in words, is not a yes.
func TestOddYes(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"another key": `{"status":"success","message":"Event processed","dedup_key":"INC-8"}`,
		"not a yes":   `{"status":"throttled","message":"later","dedup_key":"INC-7"}`,
		"nothing":     `{}`,
	} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
			fmt.Fprint(w, answer)
		}))
		transport := &http.Transport{}
		c, err := pagerduty.New(pagerduty.Options{
			RoutingKeys: map[string]string{"orders": routingKey}, EventsURL: web.URL + "/v2/enqueue", Transport: transport, Now: func() time.Time { return noon },
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Trigger(context.Background(), alert()); kind(err) != "unclear" {
			t.Errorf("%s: %s: %v", name, kind(err), err)
		}
		transport.CloseIdleConnections()
		web.Close()
	}
}
