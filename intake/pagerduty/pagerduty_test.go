package pagerduty_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dw/intake/pagerduty"

	"go.uber.org/goleak"

	fake "dw/internal/fakes/pagerduty"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	newSecret = "s3cret-new-sixteen-chars"
	oldSecret = "s3cret-old-sixteen-chars"
)

// happened is when the events of the fixtures happened.
var happened = time.Date(2026, 10, 1, 12, 20, 6, 123_000_000, time.UTC)

// incidents is a service: the state of each page that it knows, and a memory of
// events. An act on a state that is there already is no second one.
type incidents struct {
	mu     sync.Mutex
	state  map[string]string // by dedup key
	log    []string
	seen   map[string]time.Time
	err    error  // of the next acts
	forget error  // of the next memories
	inside func() // called during an act
}

func (s *incidents) act(p pagerduty.Page, who pagerduty.Person, at time.Time, state string) error {
	if s.inside != nil {
		s.inside()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	if _, ok := s.state[p.DedupKey]; !ok {
		return pagerduty.ErrNotOurs
	}
	if s.state[p.DedupKey] != state {
		s.state[p.DedupKey] = state
		s.log = append(s.log, fmt.Sprintf("%s %s %s by %s (%v) at %s", state, p.DedupKey, p.Incident, who.ID+" "+who.Name, who.IsUser(), at.Format(time.RFC3339Nano)))
	}
	return nil
}

func (s *incidents) PageAcknowledged(_ context.Context, p pagerduty.Page, who pagerduty.Person, at time.Time) error {
	return s.act(p, who, at, "acknowledged")
}

func (s *incidents) PageResolved(_ context.Context, p pagerduty.Page, who pagerduty.Person, at time.Time) error {
	return s.act(p, who, at, "resolved")
}

func (s *incidents) SeenEvent(_ context.Context, id string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.seen[id]
	return ok, nil
}

func (s *incidents) RememberEvent(_ context.Context, id string, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.forget != nil {
		return s.forget
	}
	s.seen[id] = at
	return nil
}

const fixtureKey = "dw-checkout_events-volume"

func handler(t *testing.T) (*pagerduty.Handler, *incidents, *bytes.Buffer) {
	t.Helper()
	s, log := &incidents{state: map[string]string{fixtureKey: "open"}, seen: map[string]time.Time{}}, &bytes.Buffer{}
	h, err := pagerduty.New(pagerduty.Options{
		Acts: s, Memory: s, Secrets: []string{newSecret, oldSecret}, Now: func() time.Time { return happened.Add(time.Second) },
		Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return h, s, log
}

func post(h http.Handler, body, signature string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/intake/pagerduty", strings.NewReader(body))
	if signature != "" {
		r.Header.Set(pagerduty.SignatureHeader, signature)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func signed(h http.Handler, body string) *httptest.ResponseRecorder {
	return post(h, body, fake.Sign([]byte(body), newSecret))
}

// event is a small event as PagerDuty sends it.
func event(id, kind, key string, at time.Time) string {
	return fmt.Sprintf(`{"event":{"id":%q,"event_type":%q,"resource_type":"incident","occurred_at":%q,"agent":{"id":"PANA","type":"user_reference","summary":"Ana"},"client":null,"data":{"id":"PT1","type":"incident","incident_key":%q}}}`,
		id, kind, at.Format(time.RFC3339), key)
}

func fixture(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("DW_SHARED")
	switch {
	case root == "":
		root = filepath.Join("..", "..", "..", "shared")
	case !filepath.IsAbs(root):
		root = filepath.Join("..", "..", root)
	}
	text, err := os.ReadFile(filepath.Join(root, "fixtures", "pagerduty", name))
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatal(err)
	case err != nil:
		t.Skip(err)
	}
	return string(text)
}

func TestFixtures(t *testing.T) {
	t.Parallel()
	by := "PXPGF42 Streaming platform owner (true) at 2026-10-01T12:20:06.123Z"
	for name, tc := range map[string]struct{ result, log string }{
		"incident.acknowledged":     {"done", "acknowledged " + fixtureKey + " PT4KHLK by " + by},
		"incident.resolved":         {"done", "resolved " + fixtureKey + " PT4KHLK by " + by},
		"incident.annotated":        {"ignored", ""},
		"incident.triggered":        {"ignored", ""},
		"incident.delegated":        {"ignored", ""},
		"incident.priority_updated": {"ignored", ""},
		"incident.reassigned":       {"ignored", ""},
		"pagey.ping":                {"ignored", ""},
	} {
		h, s, _ := handler(t)
		w := signed(h, fixture(t, "webhook_v3_"+name+".json"))
		if w.Code != 200 || strings.TrimSpace(w.Body.String()) != `{"result":"`+tc.result+`"}` || strings.Join(s.log, ";") != tc.log {
			t.Errorf("%s: %d %s, acts %q", name, w.Code, w.Body, s.log)
		}
	}
	e, err := pagerduty.Decode([]byte(fixture(t, "webhook_v3_incident.annotated.json")))
	if err != nil || e.Note != "Cause: records without wire format" || e.Page.Incident != "PT4KHLK" || e.Page.URL == "" {
		t.Errorf("note %+v, %v", e, err)
	}
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	body := event("E1", pagerduty.TypeAcknowledged, fixtureKey, happened)
	sign := func(secret string) string { return fake.Sign([]byte(body), secret) }
	for name, tc := range map[string]struct {
		signature string
		want      int
	}{
		"new secret":             {sign(newSecret), 200},
		"old, while rotating":    {sign(oldSecret), 200},
		"theirs rotate as well":  {fake.Sign([]byte(body), "unknown-secret-of-theirs", newSecret), 200},
		"with a space":           {"v1=00, " + sign(newSecret), 200},
		"a version to come":      {"v2=abc," + sign(newSecret), 200},
		"none":                   {"", 401},
		"old, after rotation":    {sign("s3cret-older-sixteen-chars"), 401},
		"of another body":        {fake.Sign([]byte(body+" "), newSecret), 401},
		"cut short":              {sign(newSecret)[:40], 401},
		"without version":        {strings.TrimPrefix(sign(newSecret), "v1="), 401},
		"v2":                     {"v2=" + strings.TrimPrefix(sign(newSecret), "v1="), 401},
		"in capitals":            {strings.ToUpper(sign(newSecret)), 401},
		"no hex":                 {"v1=" + strings.Repeat("zz", 32), 401},
		"the ninth":              {strings.Repeat("v1="+strings.Repeat("00", 32)+",", 8) + sign(newSecret), 401},
		"secret as signature":    {newSecret, 401},
		"empty secret":           {sign(""), 401},
		"many":                   {strings.Repeat("v1=,", 100_000), 401},
		"of an empty body":       {fake.Sign(nil, newSecret), 401},
		"the eighth of eight":    {strings.Repeat("v1="+strings.Repeat("00", 32)+",", 7) + sign(newSecret), 200},
		"hex digits in capitals": {"v1=" + strings.ToUpper(strings.TrimPrefix(sign(newSecret), "v1=")), 200},
	} {
		h, s, log := handler(t)
		w := post(h, body, tc.signature)
		if w.Code != tc.want || (len(s.log) == 1) != (tc.want == 200) {
			t.Errorf("%s: %d %s, acts %q", name, w.Code, w.Body, s.log)
		}
		if strings.Contains(log.String()+w.Body.String(), "s3cret") {
			t.Errorf("%s: a secret is printed: %s %s", name, w.Body, log)
		}
	}
}

func TestBadBodies(t *testing.T) {
	t.Parallel()
	ok := event("E1", pagerduty.TypeAcknowledged, fixtureKey, happened)
	for name, tc := range map[string]struct {
		body string
		want int
		says string
	}{
		"5 MB":               {ok + strings.Repeat(" ", 5<<20), 413, "larger than 1048576 bytes"},
		"1 MB and one":       {ok + strings.Repeat(" ", 1<<20+1-len(ok)), 413, "larger than"},
		"1 MB":               {ok + strings.Repeat(" ", 1<<20-len(ok)), 200, "done"},
		"empty":              {"", 400, "not a v3 webhook"},
		"no JSON":            {"event", 400, "not a v3 webhook"},
		"two":                {ok + ok, 400, "not a v3 webhook"},
		"v2 messages":        {`{"messages":[{"event":"incident.acknowledge"}]}`, 400, "event.id is missing"},
		"no type":            {`{"event":{"id":"E1","occurred_at":"2026-10-01T12:20:06Z"}}`, 400, "event_type is missing"},
		"no time":            {`{"event":{"id":"E1","event_type":"incident.resolved","data":{"id":"P1"}}}`, 400, "occurred_at is missing"},
		"odd time":           {`{"event":{"id":"E1","event_type":"x.y","occurred_at":"today"}}`, 400, "not a v3 webhook"},
		"no incident":        {`{"event":{"id":"E1","event_type":"incident.resolved","occurred_at":"2026-10-01T12:20:06Z","data":{}}}`, 400, "names no incident"},
		"no data":            {`{"event":{"id":"E1","event_type":"incident.resolved","occurred_at":"2026-10-01T12:20:06Z"}}`, 400, "cannot be read"},
		"odd data":           {`{"event":{"id":"E1","event_type":"incident.resolved","occurred_at":"2026-10-01T12:20:06Z","data":7}}`, 400, "cannot be read"},
		"odd data, unknown":  {`{"event":{"id":"E1","event_type":"service.created","occurred_at":"2026-10-01T12:20:06Z","data":7}}`, 200, "ignored"},
		"long id":            {event(strings.Repeat("x", 2000), pagerduty.TypeAcknowledged, fixtureKey, happened), 400, "more than 1024 bytes"},
		"backslash in key":   {event("E1", pagerduty.TypeAcknowledged, fixtureKey+`\n`, happened), 200, "not_ours"},
		"line break in name": {strings.Replace(ok, "Ana", `Ana\nroot`, 1), 400, "control characters"},
		"replay of last week": {
			event("E1", pagerduty.TypeAcknowledged, fixtureKey, happened.Add(-pagerduty.DefaultWindow-time.Minute)), 400, "older than 48h0m0s",
		},
		"two days late": {event("E1", pagerduty.TypeAcknowledged, fixtureKey, happened.Add(-pagerduty.DefaultWindow+time.Minute)), 200, "done"},
		"from tomorrow": {event("E1", pagerduty.TypeAcknowledged, fixtureKey, happened.Add(time.Hour)), 400, "future"},
		"not ours":      {event("E1", pagerduty.TypeAcknowledged, "other", happened), 200, "not_ours"},
	} {
		h, s, _ := handler(t)
		w := signed(h, tc.body)
		if w.Code != tc.want || !strings.Contains(w.Body.String(), tc.says) || (len(s.log) == 1) != strings.Contains(w.Body.String(), "done") {
			t.Errorf("%s: %d %s, acts %q; want %d that says %q", name, w.Code, w.Body, s.log, tc.want, tc.says)
		}
	}
	h, _, _ := handler(t)
	r := httptest.NewRequest(http.MethodGet, "/intake/pagerduty", nil)
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != 405 || w.Header().Get("Allow") != "POST" {
		t.Errorf("GET: %d %v", w.Code, w.Header())
	}
}

// endless is a body that is never read to its end.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) { e.read += len(p); return len(p), nil }

// TestReadsNoMoreThanNeeded: without a signature not a byte, with one little more
// than the limit.
func TestReadsNoMoreThanNeeded(t *testing.T) {
	t.Parallel()
	for signature, most := range map[string]int{"": 0, "v1=" + strings.Repeat("00", 32): 3 << 20} {
		h, _, _ := handler(t)
		body := &endless{}
		r := httptest.NewRequest(http.MethodPost, "/", body)
		r.Header.Set(pagerduty.SignatureHeader, signature)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if body.read > most || w.Code < 400 {
			t.Errorf("%q: %d after %d bytes", signature, w.Code, body.read)
		}
	}
}

// TestOnce: a repeat has no effect; what failed is done when it comes again.
func TestOnce(t *testing.T) {
	t.Parallel()
	h, s, log := handler(t)
	body := event("E1", pagerduty.TypeAcknowledged, fixtureKey, happened)
	step := func(name string, want int, says string, acts int) {
		t.Helper()
		if w := signed(h, body); w.Code != want || !strings.Contains(w.Body.String(), says) || len(s.log) != acts {
			t.Errorf("%s: %d %s, acts %q", name, w.Code, w.Body, s.log)
		}
	}
	s.err = errors.New("disk full")
	step("store down", 500, "send it again", 0)
	if !strings.Contains(log.String(), "disk full") {
		t.Errorf("the cause is not in the log: %s", log)
	}
	s.err, s.forget = nil, errors.New("disk full")
	step("memory down", 500, "send it again", 1)
	s.forget = nil
	step("again", 200, "done", 1)
	s.state[fixtureKey] = "open" // someone reopened it: only the memory stops a replay now
	step("replay", 200, "known", 1)
	if !s.seen["E1"].Equal(happened.Truncate(time.Second)) {
		t.Errorf("remembered %v", s.seen)
	}
	body = event("E2", pagerduty.TypeAcknowledged, fixtureKey, happened)
	step("another event", 200, "done", 2)
}

// TestAtTheSameTime: a repeat that comes during the act is sent away, and told to
// come again.
func TestAtTheSameTime(t *testing.T) {
	t.Parallel()
	h, s, _ := handler(t)
	body := event("E1", pagerduty.TypeAcknowledged, fixtureKey, happened)
	var during *httptest.ResponseRecorder
	s.inside = func() { s.inside = nil; during = signed(h, body) }
	first := signed(h, body)
	if first.Code != 200 || during.Code != 503 || len(s.log) != 1 {
		t.Errorf("first %d, during %d %s, acts %q", first.Code, during.Code, during.Body, s.log)
	}
	if again := signed(h, body); again.Code != 200 || !strings.Contains(again.Body.String(), "known") {
		t.Errorf("again: %d %s", again.Code, again.Body)
	}
}

// TestFromTheStandIn acts in the stand-in and sees it in dw, over HTTP, with two
// secrets and everything sent twice.
func TestFromTheStandIn(t *testing.T) {
	t.Parallel()
	h, s, _ := handler(t)
	web := httptest.NewServer(h)
	transport := &http.Transport{}
	var ids atomic.Int64
	vendor, err := fake.New(fake.Options{
		Users: []fake.User{{ID: "PANA", Name: "Ana", Email: "ana@example.com"}}, Services: []fake.Service{{ID: "PSVC", Name: "Orders", RoutingKey: "r"}},
		Now: func() time.Time { return happened }, NewID: func() string { return fmt.Sprintf("P%d", ids.Add(1)) }, Client: &http.Client{Transport: transport},
		Hooks: []fake.Hook{{ID: "W1", URL: web.URL, Secrets: []string{"their-next-secret-of-16", oldSecret}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { vendor.Close(); transport.CloseIdleConnections(); web.Close() })
	page, err := json.Marshal(map[string]any{"routing_key": "r", "event_action": "trigger", "dedup_key": fixtureKey, "payload": map[string]string{"summary": "x", "source": "y", "severity": "error"}})
	if err != nil {
		t.Fatal(err)
	}
	vendor.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/v2/enqueue", bytes.NewReader(page)))
	in, _ := vendor.Incident(fixtureKey)
	vendor.Ping()
	for _, err := range []error{vendor.Acknowledge(in.ID, "PANA"), vendor.Annotate(in.ID, "PANA", "seen"), vendor.Resolve(in.ID, "PANA")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if n, err := vendor.Deliver(context.Background()); n != 5 || err != nil {
		t.Fatalf("delivered %d: %v", n, err)
	}
	if err := vendor.Repeat(context.Background()); err != nil {
		t.Fatal(err)
	}
	at := " by PANA Ana (true) at 2026-10-01T12:20:06.123Z"
	if want := "acknowledged " + fixtureKey + " " + in.ID + at + ";resolved " + fixtureKey + " " + in.ID + at; strings.Join(s.log, ";") != want {
		t.Errorf("acts %q, want %q", s.log, want)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	s, now := &incidents{}, time.Now
	for name, o := range map[string]pagerduty.Options{
		"no acts":      {Memory: s, Secrets: []string{newSecret}, Now: now},
		"no memory":    {Acts: s, Secrets: []string{newSecret}, Now: now},
		"no clock":     {Acts: s, Memory: s, Secrets: []string{newSecret}},
		"no secret":    {Acts: s, Memory: s, Now: now},
		"short secret": {Acts: s, Memory: s, Now: now, Secrets: []string{newSecret, "s3cret"}},
	} {
		if _, err := pagerduty.New(o); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzDecode holds that what is decoded is whole, and decodes the same again.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(event("E1", pagerduty.TypeAcknowledged, fixtureKey, happened)))
	f.Add([]byte(`{"event":{"id":"E1","event_type":"incident.annotated","occurred_at":"2026-10-01T12:20:06Z","agent":null,"data":{"content":"x","incident":{"id":"P1"}}}}`))
	f.Add([]byte(`{"event":{"id":"E1","event_type":"pagey.ping","occurred_at":"2026-10-01T12:20:06Z","data":{"message":"Hello"}}}`))
	f.Add([]byte(`{"event":{"id":"E1","event_type":"incident.resolved","occurred_at":"2026-10-01T12:20:06+25:00","data":[]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := pagerduty.Decode(body)
		if err != nil {
			if e != (pagerduty.Event{}) {
				t.Errorf("%q is an error and %+v", body, e)
			}
			return
		}
		acts := e.Type == pagerduty.TypeAcknowledged || e.Type == pagerduty.TypeResolved
		if e.ID == "" || e.Type == "" || e.At.IsZero() || e.At.Location() != time.UTC || acts && e.Page.Incident == "" {
			t.Errorf("%q decoded to %+v", body, e)
		}
		for _, s := range []string{e.ID, e.Type, e.By.Name, e.Page.DedupKey, e.Page.Incident} {
			if len(s) > 1024 || strings.ContainsAny(s, "\x00\n\r\t\x1b\u0085") {
				t.Errorf("%q let %q through", body, s)
			}
		}
		if again, err := pagerduty.Decode(body); err != nil || again != e {
			t.Errorf("%q decoded to %+v, then %+v, %v", body, e, again, err)
		}
	})
}
