package pagerduty_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dw/connectors/pagerduty"
	"dw/workflows"

	"go.uber.org/goleak"

	fake "dw/internal/fakes/pagerduty"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	apiKey     = "s3cret-api-key"
	routingKey = "s3cretroutingkey0123456789abcdef"
	ana        = "ana@example.com"
	key        = "INC-7"
	marker     = "dw:INC-7:opened"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// lockedBuffer is a log that several goroutines write to.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// vendor is a stand-in with a client that talks to it over HTTP, under contract.
type vendor struct {
	*fake.Server
	client   *pagerduty.Client
	contract *contract
	log      *lockedBuffer
}

func account() fake.Options {
	var ids atomic.Int64
	return fake.Options{
		APIKey:    apiKey,
		Users:     []fake.User{{ID: "PANA", Name: "Ana Silva", Email: ana}, {ID: "PBEN", Name: "Ben ana@example.com.org", Email: "ben@example.com"}},
		Services:  []fake.Service{{ID: "PSVC", Name: "Orders data", RoutingKey: routingKey, Policy: "PPOL"}, {ID: "POTHER", Name: "Other", RoutingKey: "x", Policy: "PPOL"}},
		Policies:  []fake.Policy{{ID: "PPOL", Name: "Data", Schedules: []string{"PDAY", "PBACK"}}, {ID: "PNIGHT", Name: "Night", Schedules: []string{"PNOBODY"}}},
		Schedules: []fake.Schedule{{ID: "PDAY", Name: "Day", User: "PANA", Until: noon.Add(time.Hour)}, {ID: "PBACK", Name: "Back", User: "PBEN"}, {ID: "PNOBODY", Name: "Nobody"}},
		Now:       func() time.Time { return noon.Add(time.Duration(ids.Load()) * time.Second) },
		NewID:     func() string { return fmt.Sprintf("PX%d", ids.Add(1)) },
	}
}

func start(t *testing.T, change func(*pagerduty.Options)) vendor {
	t.Helper()
	return startWith(t, account(), change)
}

func startWith(t *testing.T, holds fake.Options, change func(*pagerduty.Options)) vendor {
	t.Helper()
	server, err := fake.New(holds)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
		web.Close()
	})
	v := vendor{Server: server, contract: underContract(t, transport), log: &lockedBuffer{}}
	o := pagerduty.Options{
		APIKey: apiKey, RoutingKeys: map[string]string{"orders": routingKey, "wrong": "s3cret-unknown-routing-key"}, BaseURL: web.URL, EventsURL: web.URL,
		Timeout: 5 * time.Second, Transport: v.contract, Now: func() time.Time { return noon },
		Log: slog.New(slog.NewTextHandler(v.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&o)
	}
	if v.client, err = pagerduty.New(o); err != nil {
		t.Fatal(err)
	}
	return v
}

func alert() pagerduty.Alert {
	return pagerduty.Alert{
		Service: "orders", DedupKey: key, Summary: "orders are 31% short", Source: "bigquery://shop.orders", Severity: "critical", At: noon,
		Details: map[string]string{"cause": "records without the wire format"}, Links: []pagerduty.Link{{Text: "Slack", Href: "https://example.slack.com/archives/C1/p1"}},
	}
}

// paged sends the alert and returns its incident.
func paged(t *testing.T, v vendor) pagerduty.Incident {
	t.Helper()
	if err := v.client.Trigger(context.Background(), alert()); err != nil {
		t.Fatal(err)
	}
	in, ok, err := v.client.FindIncident(context.Background(), key, "PSVC")
	if err != nil || !ok {
		t.Fatalf("find incident: %v, %v", ok, err)
	}
	return in
}

// must fails the test on an error.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
		return v
	}
}

// everyCall makes each call of the client, some with what is not there.
func everyCall(t *testing.T, v vendor) {
	t.Helper()
	ctx, c := context.Background(), v.client
	in := paged(t, v)
	for name, err := range map[string]error{
		"check": c.Check(ctx), "acknowledge": c.Acknowledge(ctx, "orders", key), "resolve": c.Resolve(ctx, "orders", "INC-0"),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	must[string](t)(c.Note(ctx, in.ID, ana, "Cause: no wire format", marker))
	must[pagerduty.Incident](t)(c.ReadIncident(ctx, in.ID))
	must[[]string](t)(c.DedupKeys(ctx, in.ID))
	must[pagerduty.Incident](t)(c.AcknowledgeIncident(ctx, in.ID, ana))
	must[pagerduty.Incident](t)(c.Escalate(ctx, in.ID, ana, 2))
	must[pagerduty.Incident](t)(c.ResolveIncident(ctx, in.ID, ana))
	must[pagerduty.User](t)(c.UserByEmail(ctx, ana))
	if s, ok, err := c.ServiceOf(ctx, "orders"); err != nil || !ok || s.Name != "Orders data" || s.Status != "active" || s.Policy != "Data" {
		t.Errorf("service of the key: %+v, %v, %v", s, ok, err)
	}
	if s, ok, err := c.ServiceOf(ctx, "wrong"); err != nil || ok {
		t.Errorf("service of a wrong key: %+v, %v", s, err)
	}
	for _, r := range []pagerduty.Rota{{Schedule: "PDAY"}, {Policy: "PPOL"}, {Schedule: "PNOBODY"}, {Policy: "PNIGHT"}} {
		must[[]pagerduty.OnCallUser](t)(c.OnCall(ctx, r))
	}
	_, err := c.ReadIncident(ctx, "PGONE")
	_, err2 := c.Note(ctx, in.ID, "nobody@example.com", "x", marker)
	if err == nil || err2 == nil || c.Acknowledge(ctx, "wrong", key) == nil {
		t.Errorf("what is not there was answered: %v, %v", err, err2)
	}
}

// kind names an error by its type.
func kind(err error) string {
	var refused *pagerduty.RefusedError
	var limited *pagerduty.RateLimitedError
	var unclear *workflows.UnclearError
	switch {
	case err == nil:
		return "none"
	case errors.As(err, &unclear):
		return "unclear"
	case errors.As(err, &limited):
		return "limited"
	case errors.As(err, &refused):
		return string(refused.Reason)
	}
	return "other"
}

func TestPageNoteAndClose(t *testing.T) {
	t.Parallel()
	v, ctx := start(t, nil), context.Background()
	in := paged(t, v)
	if in.Status != pagerduty.Triggered || in.Title != alert().Summary || in.Service != "Orders data" || in.Key != key || in.URL == "" || strings.Join(in.Assigned, ",") != "Ana Silva" {
		t.Errorf("incident %+v", in)
	}
	id := must[string](t)(v.client.Note(ctx, in.ID, ana, " Cause: no wire format\n", marker))
	n, ok, err := v.client.FindNote(ctx, in.ID, marker)
	if err != nil || !ok || n.ID != id || n.Text != "Cause: no wire format\n\n"+marker || n.By != "Ana Silva" || n.At.IsZero() {
		t.Errorf("note %+v, %v, %v", n, ok, err)
	}
	if got := must[[]string](t)(v.client.DedupKeys(ctx, in.ID)); len(got) != 1 || got[0] != key {
		t.Errorf("keys %v", got)
	}
	if got := must[pagerduty.Incident](t)(v.client.AcknowledgeIncident(ctx, in.ID, ana)); got.Status != pagerduty.Acknowledged {
		t.Errorf("acknowledged: %+v", got)
	}
	if got := must[pagerduty.Incident](t)(v.client.Escalate(ctx, in.ID, ana, 2)); strings.Join(got.Assigned, ",") != "Ben ana@example.com.org" {
		t.Errorf("escalated: %+v", got)
	}
	if err := v.client.Resolve(ctx, "orders", key); err != nil {
		t.Error(err)
	}
	state, _ := v.Incident(key)
	var log []string
	for _, e := range state.Log {
		log = append(log, e.What+" "+e.Who)
	}
	if want := "trigger Orders data,annotate ana@example.com,acknowledge ana@example.com,escalate ana@example.com,resolve Orders data"; strings.Join(log, ",") != want {
		t.Errorf("log %v", log)
	}
	if state.Details["cause"] != alert().Details["cause"] || !state.At.Equal(noon) {
		t.Errorf("details %v at %s", state.Details, state.At)
	}
	if state.Links[0] != alert().Links[0].Href || state.Severity != "critical" || state.Source != alert().Source {
		t.Errorf("state %+v", state)
	}
}

// TestFindIncident holds that an open incident of a key comes before a later
// resolved one of another service, and that the service narrows.
func TestFindIncident(t *testing.T) {
	t.Parallel()
	v, ctx := start(t, func(o *pagerduty.Options) { o.RoutingKeys["other"] = "x" }), context.Background()
	first := paged(t, v)
	other := alert()
	other.Service = "other"
	if err := errors.Join(v.client.Trigger(ctx, other), v.client.Resolve(ctx, "other", key)); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ key, service, want string }{
		{key, "", first.ID},
		{key, "PSVC", first.ID},
		{key, "POTHER", v.Incidents()[1].ID},
		{"INC-8", "", ""},
		{key, "PNONE", ""},
	} {
		in, ok, err := v.client.FindIncident(ctx, tc.key, tc.service)
		if err != nil || in.ID != tc.want || ok != (tc.want != "") {
			t.Errorf("%s of %q: %s, %v, %v, want %s", tc.key, tc.service, in.ID, ok, err, tc.want)
		}
	}
}

func TestOnCall(t *testing.T) {
	t.Parallel()
	v, ctx := start(t, nil), context.Background()
	ben := pagerduty.OnCallUser{Name: "Ben ana@example.com.org", Email: "ben@example.com", ID: "PBEN", Level: 2}
	day := pagerduty.OnCallUser{Name: "Ana Silva", Email: ana, ID: "PANA", Level: 1, Until: noon.Add(time.Hour)}
	for name, tc := range map[string]struct {
		rota pagerduty.Rota
		want string
		err  string
	}{
		"schedule":          {pagerduty.Rota{Schedule: "PDAY"}, fmt.Sprint([]pagerduty.OnCallUser{day}), "none"},
		"policy":            {pagerduty.Rota{Policy: "PPOL"}, fmt.Sprint([]pagerduty.OnCallUser{day, ben}), "none"},
		"nobody":            {pagerduty.Rota{Schedule: "PNOBODY"}, "[]", "none"},
		"nobody of policy":  {pagerduty.Rota{Policy: "PNIGHT"}, "[]", "none"},
		"unknown schedule":  {pagerduty.Rota{Schedule: "PGONE"}, "[]", "unknown"},
		"unknown policy":    {pagerduty.Rota{Policy: "PGONE"}, "[]", "unknown"},
		"neither":           {pagerduty.Rota{}, "[]", "input"},
		"both":              {pagerduty.Rota{Schedule: "PDAY", Policy: "PPOL"}, "[]", "input"},
		"not an id of ours": {pagerduty.Rota{Schedule: "../users"}, "[]", "input"},
	} {
		got, err := v.client.OnCall(ctx, tc.rota)
		if fmt.Sprint(got) != tc.want || kind(err) != tc.err {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	v.SetOnCall("PBACK", "PANA")
	if got := must[[]pagerduty.OnCallUser](t)(v.client.OnCall(ctx, pagerduty.Rota{Policy: "PPOL"})); len(got) != 1 || got[0] != day {
		t.Errorf("one person on two levels: %+v", got)
	}
}

// TestOnCallOfALongPolicy reads a list of two pages.
func TestOnCallOfALongPolicy(t *testing.T) {
	t.Parallel()
	holds := account()
	long := fake.Policy{ID: "PLONG", Name: "Long"}
	for range 101 {
		long.Schedules = append(long.Schedules, "PDAY")
	}
	long.Schedules = append(long.Schedules, "PBACK")
	holds.Policies = append(holds.Policies, long)
	v := startWith(t, holds, nil)
	got := must[[]pagerduty.OnCallUser](t)(v.client.OnCall(context.Background(), pagerduty.Rota{Policy: "PLONG"}))
	if len(got) != 2 || got[1].ID != "PBEN" || got[1].Level != 102 || v.Calls()["listOnCalls"] != 2 {
		t.Errorf("%d calls: %+v", v.Calls()["listOnCalls"], got)
	}
}

func TestUserByEmail(t *testing.T) {
	t.Parallel()
	v, ctx := start(t, nil), context.Background()
	if u := must[pagerduty.User](t)(v.client.UserByEmail(ctx, "Ana@example.com")); u.ID != "PANA" || u.Name != "Ana Silva" || u.URL == "" {
		t.Errorf("user %+v", u)
	}
	_, err := v.client.UserByEmail(ctx, "na@example.com") // a part of Ana's
	if kind(err) != "user" || !strings.Contains(err.Error(), "na@example.com has no PagerDuty account") {
		t.Errorf("part of an address: %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return noon }
	for name, o := range map[string]pagerduty.Options{
		"no clock":          {APIKey: "k"},
		"no key":            {Now: now},
		"empty routing key": {Now: now, RoutingKeys: map[string]string{"a": ""}},
		"odd base":          {Now: now, APIKey: "k", BaseURL: "api.pagerduty.com"},
		"odd events":        {Now: now, APIKey: "k", EventsURL: "ftp://events"},
	} {
		if _, err := pagerduty.New(o); err == nil || !strings.HasPrefix(err.Error(), "pagerduty: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
