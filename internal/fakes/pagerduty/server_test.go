package pagerduty_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dw/internal/fakes/pagerduty"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func start(t *testing.T, change func(*pagerduty.Options)) (*pagerduty.Server, string) {
	t.Helper()
	var ids atomic.Int64
	transport := &http.Transport{}
	o := pagerduty.Options{
		APIKey: "key", Users: []pagerduty.User{{ID: "PANA", Name: "Ana", Email: "ana@example.com"}},
		Services:  []pagerduty.Service{{ID: "PSVC", Name: "Orders", RoutingKey: "route", Policy: "PPOL"}},
		Policies:  []pagerduty.Policy{{ID: "PPOL", Name: "Data", Schedules: []string{"PDAY"}}},
		Schedules: []pagerduty.Schedule{{ID: "PDAY", Name: "Day", User: "PANA"}},
		Now:       func() time.Time { return noon }, NewID: func() string { return fmt.Sprintf("P%d", ids.Add(1)) },
		Client: &http.Client{Transport: transport},
	}
	if change != nil {
		change(&o)
	}
	s, err := pagerduty.New(o)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Close()
		transport.CloseIdleConnections()
		web.Close()
	})
	return s, web.URL
}

// call sends one request and returns its status and body.
func call(t *testing.T, url, method, path string, header map[string]string, body string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(method, url+path, strings.NewReader(body))
	r.RequestURI = ""
	r.Header.Set("Authorization", "Token token=key")
	for k, v := range header {
		r.Header.Set(k, v)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, strings.TrimSpace(string(text))
}

const page = `{"routing_key":"route","event_action":"trigger","dedup_key":"INC-7","payload":{"summary":"short","source":"orders","severity":"error"}}`

func TestRefusals(t *testing.T) {
	t.Parallel()
	ana := map[string]string{"From": "ana@example.com"}
	s, url := start(t, nil)
	if status, text := call(t, url, "POST", "/v2/enqueue", nil, page); status != 202 || !strings.Contains(text, `"dedup_key":"INC-7"`) {
		t.Fatalf("page: %d %s", status, text)
	}
	id := s.Incidents()[0].ID
	note := "/incidents/" + id + "/notes"
	for name, tc := range map[string]struct {
		method, path string
		header       map[string]string
		body         string
		status       int
		says         string
	}{
		"wrong key":               {"GET", "/abilities", map[string]string{"Authorization": "Token token=old"}, "", 401, "2006"},
		"key as bearer":           {"GET", "/abilities", map[string]string{"Authorization": "Bearer key"}, "", 401, "2006"},
		"accepts another version": {"GET", "/abilities", map[string]string{"Accept": "application/vnd.pagerduty+json;version=1"}, "", 406, "version=2"},
		"no such path":            {"GET", "/nothing", nil, "", 404, "2100"},
		"note without content":    {"POST", note, ana, `{"note":{}}`, 400, "Content cannot be empty"},
		"note without note":       {"POST", note, ana, `{"content":"x"}`, 400, "Note must be an object"},
		"note without From":       {"POST", note, nil, `{"note":{"content":"x"}}`, 400, "2016"},
		"note with odd From":      {"POST", note, map[string]string{"From": "ana"}, `{"note":{"content":"x"}}`, 400, "1028"},
		"note of nobody":          {"POST", note, map[string]string{"From": "zoe@example.com"}, `{"note":{"content":"x"}}`, 400, "1008"},
		"note on nothing":         {"POST", "/incidents/PGONE/notes", ana, `{"note":{"content":"x"}}`, 404, "2100"},
		"notes of nothing":        {"GET", "/incidents/PGONE/notes", nil, "", 404, "2100"},
		"alerts of nothing":       {"GET", "/incidents/PGONE/alerts", nil, "", 404, "2100"},
		"incident of nothing":     {"GET", "/incidents/PGONE", nil, "", 404, "2100"},
		"user of nothing":         {"GET", "/users/PGONE", nil, "", 404, "2100"},
		"update of nothing":       {"PUT", "/incidents", ana, `{"incidents":[{"id":"PGONE","type":"incident","status":"resolved"}]}`, 404, "2100"},
		"update half of nothing":  {"PUT", "/incidents", ana, `{"incidents":[{"id":"` + id + `","type":"incident","status":"resolved"},{"id":"PGONE","type":"incident"}]}`, 404, "2100"},
		"update without type":     {"PUT", "/incidents", ana, `{"incidents":[{"id":"` + id + `","status":"resolved"}]}`, 400, "Type must be"},
		"update to odd state":     {"PUT", "/incidents", ana, `{"incidents":[{"id":"` + id + `","type":"incident","status":"done"}]}`, 400, "Status must be"},
		"level above the policy":  {"PUT", "/incidents", ana, `{"incidents":[{"id":"` + id + `","type":"incident","escalation_level":2}]}`, 400, "not a level"},
		"update without From":     {"PUT", "/incidents", nil, `{"incidents":[]}`, 400, "2016"},
		"odd state asked for":     {"GET", "/incidents?statuses[]=open", nil, "", 400, "Status must be a list"},
		"page of 101":             {"GET", "/users?limit=101", nil, "", 400, "between 1 and 100"},
		"too far":                 {"GET", "/users?limit=100&offset=9950", nil, "", 400, "10000"},
		"event is no JSON":        {"POST", "/v2/enqueue", nil, `{`, 400, "JSON parse error"},
		"event of wrong route":    {"POST", "/v2/enqueue", nil, strings.Replace(page, "route", "other", 1), 400, "Invalid routing key"},
		"event without severity":  {"POST", "/v2/enqueue", nil, strings.Replace(page, `"error"`, `"bad"`, 1), 400, "payload.severity"},
		"event without payload":   {"POST", "/v2/enqueue", nil, `{"routing_key":"route","event_action":"trigger"}`, 400, "'payload' is missing"},
		"resolve without key":     {"POST", "/v2/enqueue", nil, `{"routing_key":"route","event_action":"resolve"}`, 400, "dedup_key"},
		"event of 600 kB":         {"POST", "/v2/enqueue", nil, strings.Repeat("x", 600_000), 413, "too large"},
	} {
		if status, text := call(t, url, tc.method, tc.path, tc.header, tc.body); status != tc.status || !strings.Contains(text, tc.says) {
			t.Errorf("%s: %d %s, want %d with %q", name, status, text, tc.status, tc.says)
		}
	}
	if in := s.Incidents(); len(in) != 1 || len(in[0].Notes) != 0 || in[0].Status != pagerduty.Triggered || len(in[0].Log) != 1 {
		t.Errorf("a refused call had an effect: %+v", in)
	}
}

// TestIdempotency: an alert of a key is there once while it is open, a note each
// time.
func TestIdempotency(t *testing.T) {
	t.Parallel()
	s, url := start(t, nil)
	for range 3 {
		call(t, url, "POST", "/v2/enqueue", nil, page)
	}
	in, _ := s.Incident("INC-7")
	for range 2 {
		call(t, url, "POST", "/incidents/"+in.ID+"/notes", map[string]string{"From": "ana@example.com"}, `{"note":{"content":"x"}}`)
	}
	if in, _ = s.Incident("INC-7"); len(s.Incidents()) != 1 || len(in.Notes) != 2 || in.Assigned[0] != "PANA" {
		t.Errorf("%d incidents, %+v", len(s.Incidents()), in)
	}
	if err := s.Resolve(in.ID, "PANA"); err != nil {
		t.Fatal(err)
	}
	call(t, url, "POST", "/v2/enqueue", nil, page)
	if again, _ := s.Incident("INC-7"); again.ID == in.ID || len(s.Incidents()) != 2 {
		t.Error("after it was resolved, the same key opened no new incident")
	}
	if s.Acknowledge(in.ID, "PANA") == nil || s.Acknowledge("PGONE", "PANA") == nil || s.Annotate(in.ID, "PGONE", "x") == nil {
		t.Error("an act on what is not there, or over, was taken")
	}
}

// receiver is an endpoint that remembers what it got.
type receiver struct {
	mu   sync.Mutex
	got  []string // types
	ids  map[string]int
	bad  []string
	fail bool
}

func (rc *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var in struct {
		Event struct {
			ID   string `json:"id"`
			Type string `json:"event_type"`
		} `json:"event"`
	}
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if err := json.Unmarshal(body, &in); err != nil || r.Header.Get("X-PagerDuty-Signature") != pagerduty.Sign(body, "new", "old") || r.Header.Get("X-Webhook-Id") != in.Event.ID {
		rc.bad = append(rc.bad, string(body))
	}
	if rc.fail {
		http.Error(w, "not now", http.StatusServiceUnavailable)
		return
	}
	rc.got = append(rc.got, in.Event.Type)
	rc.ids[in.Event.ID]++
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	rc := &receiver{ids: map[string]int{}, fail: true}
	end := httptest.NewServer(rc)
	defer end.Close()
	s, url := start(t, nil)
	s.Subscribe(pagerduty.Hook{ID: "W1", URL: end.URL, Secrets: []string{"new", "old"}})
	call(t, url, "POST", "/v2/enqueue", nil, page)
	in, _ := s.Incident("INC-7")
	s.Ping()
	for _, err := range []error{s.Acknowledge(in.ID, "PANA"), s.Annotate(in.ID, "PANA", "seen"), s.Resolve(in.ID, "PANA")} {
		if err != nil {
			t.Error(err)
		}
	}
	if n, err := s.Deliver(context.Background()); n != 0 || err == nil || !strings.Contains(err.Error(), "status 503: not now") {
		t.Errorf("delivered %d to one that fails: %v", n, err)
	}
	rc.fail = false
	if n, err := s.Deliver(context.Background()); n != 5 || err != nil {
		t.Errorf("delivered %d: %v", n, err)
	}
	if want := "incident.triggered pagey.ping incident.acknowledged incident.annotated incident.resolved"; strings.Join(rc.got, " ") != want || len(rc.bad) > 0 {
		t.Errorf("got %v, bad %v", rc.got, rc.bad)
	}
	if err := s.Repeat(context.Background()); err != nil {
		t.Error(err)
	}
	for id, n := range rc.ids {
		if n != 2 {
			t.Errorf("event %s came %d times", id, n)
		}
	}
	if n, err := s.Deliver(context.Background()); n != 0 || err != nil {
		t.Errorf("an empty queue delivered %d: %v", n, err)
	}
}

// TestFaults: each fault befalls one call, before or after the effect.
func TestFaults(t *testing.T) {
	t.Parallel()
	for kind, effect := range map[pagerduty.FaultKind]int{
		pagerduty.Status500: 0, pagerduty.Status429: 0, pagerduty.CutAfterEffect: 1, pagerduty.HangAfterEffect: 1, pagerduty.OddAfterEffect: 1,
	} {
		s, url := start(t, nil)
		s.Fail(pagerduty.Fault{Operation: "createV2Event", Kind: kind, Reset: "7"})
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		r, err := http.NewRequestWithContext(ctx, "POST", url+"/v2/enqueue", strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		transport := &http.Transport{}
		res, err := (&http.Client{Transport: transport}).Do(r)
		if err == nil {
			if kind == pagerduty.Status429 && (res.StatusCode != 429 || res.Header.Get("Ratelimit-Reset") != "7" || res.Header.Get("Retry-After") != "") {
				t.Errorf("%s: %d %v", kind, res.StatusCode, res.Header)
			}
			res.Body.Close()
		}
		cancel()
		transport.CloseIdleConnections()
		if len(s.Incidents()) != effect || (err == nil) != (kind != pagerduty.CutAfterEffect && kind != pagerduty.HangAfterEffect) {
			t.Errorf("%s: %d incidents, %v", kind, len(s.Incidents()), err)
		}
		if status, text := call(t, url, "POST", "/v2/enqueue", nil, page); status != 202 {
			t.Errorf("%s: the next call: %d %s", kind, status, text)
		}
	}
}
