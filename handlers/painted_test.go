package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"dw/slackdev"
	"dw/workflows"
)

// journal counts the calls that a workspace got.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) calls(method string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Count(j.text.String(), `"method":"`+method+`"`)
}

// one is a store with one incident and the stop.
type one struct {
	incident workflows.Incident
	stop     workflows.Stop
}

func (o *one) Incident(context.Context, string) (workflows.Incident, []workflows.Proposal, error) {
	return o.incident, nil, nil
}

func (o *one) Proposal(context.Context, string) (workflows.Proposal, error) {
	return workflows.Proposal{}, workflows.ErrNotFound
}

func (o *one) Stopped(context.Context) (workflows.Stop, error) { return o.stop, nil }

func (o *one) PlaceCard(_ context.Context, _ string, at workflows.MessageRef) error {
	o.incident.Card = at
	o.incident.Rev++
	return nil
}

// TestACardIsPaintedOncePerState: repeated effects of one state cost one call,
// and every new state is painted, also one that reads as an older one did.
func TestACardIsPaintedOncePerState(t *testing.T) {
	t.Parallel()
	calls := new(journal)
	server, client := workspace(t, slackdev.Options{Journal: calls})
	at := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	state := &one{incident: workflows.Incident{ID: "INC-1", Domain: "shop", State: workflows.Open, OpenedAt: at, Rev: 1}}
	d := &Deliverer{
		Poster: client, OpenDM: client.OpenDM, Placer: state, Loader: state, Zone: time.UTC,
		Now:    func() time.Time { return at },
		Policy: func(string) (workflows.Policy, bool) { return workflows.Policy{Channel: "C0DATA"}, true },
		Logger: slog.New(slog.DiscardHandler),
	}
	deliver := func(times int) {
		t.Helper()
		payload, err := json.Marshal(workflows.IncidentRef{Incident: "INC-1"})
		if err != nil {
			t.Fatal(err)
		}
		for range times {
			if err := d.Deliver(context.Background(), workflows.Effect{Kind: workflows.EffectIncidentCard, Payload: payload}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for n, change := range []func(){
		func() {},
		func() { state.incident.State = workflows.Acknowledged; state.incident.Rev++ },
		func() { state.incident.State = workflows.Open; state.incident.Rev++ },
		func() { state.stop = workflows.Stop{On: true, Reason: "a test", At: at, Rev: 1} },
		func() { state.stop = workflows.Stop{Rev: 2} },
	} {
		change()
		deliver(4)
		if posts, updates := calls.calls("chat.postMessage"), calls.calls("chat.update"); posts != 1 || updates != n+1 {
			t.Fatalf("after %d states: %d posts, %d updates", n+1, posts, updates)
		}
	}
	server.Fail("chat.update", 1, slackdev.FaultError("message_not_found"))
	state.incident.Rev++
	payload := []byte(`{"incident":"INC-1"}`)
	if err := d.Deliver(context.Background(), workflows.Effect{Kind: workflows.EffectIncidentCard, Payload: payload}); err == nil {
		t.Fatal("a refused update gave no error")
	}
	deliver(1) // what failed is not remembered as painted
	if updates := calls.calls("chat.update"); updates != 7 {
		t.Fatalf("%d updates, want the failed one repeated", updates)
	}
}
