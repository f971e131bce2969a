package app_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"dw/app"
	"dw/blocks"
	"dw/bot"
	"dw/receipts"
	"dw/slackdev"
)

// get asks dw's own listener.
func (r *rig) get(path string) (int, string) {
	r.t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+r.address+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return call(r.t, request)
}

// until asks dw's own listener until it answers with the status and all words.
func (r *rig) until(path string, status int, words ...string) {
	r.t.Helper()
	for until := time.Now().Add(patience); ; {
		got, body := r.get(path)
		missing := ""
		for _, word := range words {
			if !strings.Contains(body, word) {
				missing = word
			}
		}
		if got == status && missing == "" {
			return
		}
		if time.Now().After(until) {
			r.t.Fatalf("%s answers %d, want %d with %q:\n%s", path, got, status, missing, body)
		}
	}
}

// sockets waits until Slack holds that many connections of dw.
func (r *rig) sockets(n int) {
	r.t.Helper()
	r.wait("connections of dw", func(s slackdev.Snapshot) bool { return s.Sockets == n })
}

// TestHealth: /healthz is green while Slack is connected and says over how many
// connections, and when something came last; /metrics has the same facts.
func TestHealth(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.until("/healthz", http.StatusOK, `"slack_connected":true`, `"connections":2`, `"connections_wanted":2`,
		`"last_event_age_seconds":-1`, `"reconnects":0`, `"refusals":0`)
	r.ask(owner, "status")
	r.until("/metrics", http.StatusOK, "dw_slack_connected 1", "dw_slack_connections 2", "dw_slack_events_total 1")
	if _, metrics := r.get("/metrics"); strings.Contains(metrics, "dw_slack_last_event_age_seconds -1") {
		t.Errorf("an event came and /metrics has no age of it:\n%s", metrics)
	}
	r.slack.KillSockets()
	r.until("/metrics", http.StatusOK, "dw_slack_connections 2", `dw_slack_reconnects_total{reason="broken"} 2`, `dw_slack_reconnects_total{reason="refresh"} 0`)
	r.slack.Fail("apps.connections.open", 1, slackdev.FaultStatus(http.StatusBadGateway))
	r.slack.Disconnect("warning")
	r.until("/healthz", http.StatusOK, `"reconnects":4`, `"refusals":1`)
	r.ask(owner, "status")
}

// TestSlackGone: with no connection left /healthz is red and says why.
func TestSlackGone(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.sockets(2)
	r.slack.Fail("apps.connections.open", 1000, slackdev.FaultStatus(http.StatusBadGateway))
	r.slack.KillSockets()
	r.until("/healthz", http.StatusServiceUnavailable, `"slack_connected":false`, "no connection to Slack", "502 Bad Gateway")
}

// TestSocketModeSwitchedOff: dw opens no further connection, says what to do at
// /healthz and to the owner, and goes on checking and posting.
func TestSocketModeSwitchedOff(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.sockets(2)
	r.slack.Disconnect("link_disabled")
	const advice = "switch it on under Settings, Socket Mode"
	r.until("/healthz", http.StatusServiceUnavailable, "link_disabled", advice)
	r.wait("the owner to be told", func(s slackdev.Snapshot) bool { return direct(s, owner, advice) })
	r.at("11:15")
	r.see("new dead-letter rows", "without the schema registry")
	if n := r.slack.Snapshot().Sockets; n != 0 {
		t.Errorf("dw opened %d connections after Slack had switched them off", n)
	}
}

// TestWrongAppToken: dw does not start without hope, and says what to do.
func TestWrongAppToken(t *testing.T) {
	t.Parallel()
	r := &rig{estate: newEstate(t, replace(appToken, "xapp-canary-old")), t: t, log: new(output)}
	dw, err := r.build(app.Options{})
	if err == nil {
		err = errors.Join(dw.Run(context.Background()), dw.Close())
	}
	if fatal, ok := errors.AsType[*bot.FatalError](err); !ok || fatal.Code != "invalid_auth" || !strings.Contains(err.Error(), "create an app-level token") {
		t.Errorf("dw ended with: %v", err)
	}
	if err != nil && strings.Contains(err.Error(), "canary") {
		t.Errorf("the error shows the token: %v", err)
	}
}

// TestOneClickIsOneDecision: a click that Slack delivers twice at once, again
// under its own id, again under another, and after a restart has lost dw's
// memory of it, is one decision with one receipt and no refusal.
func TestOneClickIsOneDecision(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	r.sockets(2)
	r.slack.Duplicate(1)
	before := r.click(owner, r.card(holdTitle, blocks.ActionApprove), blocks.ActionApprove)
	r.told(owner, before, "is recorded at")
	r.replay(true)
	r.replay(false)
	r.stop()
	r.resume()
	r.sockets(2)
	r.replay(true)
	r.replay(false)
	r.card(holdTitle, "approved by")
	r.stop()
	for kind, want := range map[string]int{receipts.KindDecisionRecorded: 1, receipts.KindDecisionRefused: 0} {
		if got := len(r.receipts(kind)); got != want {
			t.Errorf("%d receipts %s, want %d", got, kind, want)
		}
	}
	r.verify()
}

// replay has Slack deliver the last click again.
func (r *rig) replay(sameID bool) {
	r.t.Helper()
	if outcome, err := r.slack.ReplayLast(context.Background(), sameID); err != nil || !outcome.Acked {
		r.t.Fatalf("the same click again: %+v, %v", outcome, err)
	}
}

// TestFault19LostAck: the acknowledgement of an approval is lost, the owner sees Slack's
// error and clicks again, and reads that it stands.
func TestFault19LostAck(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.asked()
	r.slack.DropAcks(1)
	card := r.card(holdTitle, blocks.ActionApprove)
	outcome, err := r.slack.Click(context.Background(), owner, card.Channel, card.TS, blocks.ActionApprove)
	if err != nil || outcome.Acked {
		t.Fatalf("the acknowledgement was not lost: %+v, %v", outcome, err)
	}
	r.card(holdTitle, "approved by")
	r.replay(true)
	r.stop()
	if got := len(r.receipts(receipts.KindDecisionRecorded)); got != 1 {
		t.Errorf("%d decisions, want one", got)
	}
	r.verify()
}
