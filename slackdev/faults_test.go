package slackdev_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"dw/slackdev"
)

func (b *bundle) status(t *testing.T, method string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(b.ctx, http.MethodPost, b.APIURL()+method, strings.NewReader("token="+botToken))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	status, _, _ := do(t, r)
	return status
}

func TestFaultForAWhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.FailFor(slackdev.EveryMethod, 2*time.Minute, slackdev.FaultStatus(500))
	for range 3 {
		if got := b.status(t, "auth.test"); got != 500 {
			t.Fatalf("status %d within the two minutes", got)
		}
	}
	b.Fail("auth.test", 1, slackdev.FaultStatus(503))
	if got := b.status(t, "auth.test"); got != 503 {
		t.Errorf("status %d: a counted fault goes first", got)
	}
	b.clock.Advance(2 * time.Minute)
	if got := b.status(t, "auth.test"); got != 200 {
		t.Errorf("status %d after the two minutes", got)
	}
	b.FailFor("users.list", time.Hour, slackdev.FaultError("fatal_error"))
	if a := b.call(t, "auth.test"); !a.OK {
		t.Errorf("the fault of another method: %+v", a)
	}
	b.Heal()
	if a := b.call(t, "users.list"); !a.OK {
		t.Errorf("after Heal: %+v", a)
	}
}

func TestSlowCallIsCarriedOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Fail("chat.postMessage", 1, slackdev.FaultSlow(time.Hour))
	r, err := http.NewRequestWithContext(b.ctx, http.MethodPost, b.APIURL()+"chat.postMessage",
		strings.NewReader("token="+botToken+"&channel="+open+"&text=late"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	gone := make(chan error, 1)
	go func() {
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			err = resp.Body.Close()
		}
		gone <- err
	}()
	b.Fail("auth.test", 1, slackdev.FaultSlow(time.Millisecond))
	if a := b.call(t, "auth.test"); !a.OK {
		t.Errorf("a short wait: %+v", a)
	}
	if n := len(b.Messages(open)); n != 0 {
		t.Errorf("%d messages before the hour", n)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := <-gone; err == nil {
		t.Error("a call that Close cut was answered")
	}
}

func TestRevokedTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Revoke("token_revoked")
	if a := b.call(t, "auth.test"); a.Error != "token_revoked" {
		t.Errorf("%+v", a)
	}
	if _, _, err := b.api.StartSocketModeContext(b.ctx); err == nil || err.Error() != "token_revoked" {
		t.Errorf("apps.connections.open: %v", err)
	}
	b.Heal()
	if a := b.call(t, "auth.test"); !a.OK {
		t.Errorf("%+v", a)
	}
}

// TestHalfOpenConnection: the line is dead and nobody says so. What goes out is
// lost, what comes in too, and a new connection is whole.
func TestHalfOpenConnection(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) {
		o.AckTimeout, o.PingEvery, o.Pick = 300e6, 10*time.Millisecond, func(n int) int { return n - 1 }
	})
	dead := b.dial(t).hello()
	b.HalfOpen()
	if out, err := b.Command(b.ctx, ann, open, "x"); err != nil || out.Error != slackdev.NotAcked {
		t.Errorf("%+v, %v", out, err)
	}
	whole := b.dial(t).hello()
	got := whole.app(`{}`)
	if out, err := b.Command(b.ctx, ann, open, "y"); err != nil || !out.Acked {
		t.Errorf("the new connection: %+v, %v", out, err)
	}
	<-got
	b.connected(t, 2)
	// The dead line is read to its end once the whole one has had many pings.
	seen := 0
	enough := errors.New("enough")
	whole.conn.SetPingHandler(func(string) error {
		if seen++; seen == 30 {
			return enough
		}
		return nil
	})
	if _, _, err := whole.conn.ReadMessage(); !errors.Is(err, enough) {
		t.Fatal(err)
	}
	b.KillSockets()
	pings := 0
	dead.conn.SetPingHandler(func(string) error { pings++; return nil })
	if _, raw, err := dead.conn.ReadMessage(); err == nil {
		t.Errorf("the dead line brought %s", raw)
	}
	if pings > 15 { // a few may have come before it was dead
		t.Errorf("the dead line brought %d pings", pings)
	}
}

func TestFaultsOverHTTP(t *testing.T) {
	t.Parallel()
	b := setup(t)
	same := []string{"Sec-Fetch-Site", "same-origin"}
	for name, c := range map[string]struct{ what, body string }{
		"no such fault":      {"fault", `{"fault":"earthquake"}`},
		"error without code": {"fault", `{"fault":"error"}`},
		"status of success":  {"fault", `{"fault":"status","status":200}`},
		"wait of nothing":    {"fault", `{"fault":"slow"}`},
		"no reason":          {"fault", `{"fault":"disconnect"}`},
		"revoke of nothing":  {"fault", `{"fault":"revoke"}`},
		"unknown field":      {"fault", `{"fault":"kill","when":"now"}`},
		"no such change":     {"change", `{"change":"repaint"}`},
		"no such channel":    {"change", `{"change":"archive","channel":"C0NOWHERE1"}`},
		"no such person":     {"change", `{"change":"invite","channel":"` + open + `","user":"U0NOBODY01"}`},
		"invited twice":      {"change", `{"change":"invite","channel":"` + open + `","user":"` + ann + `"}`},
		"not there":          {"change", `{"change":"remove","channel":"` + secret + `","user":"` + bob + `"}`},
		"event without type": {"event", `{"event":{}}`},
		"no JSON":            {"event", `nonsense`},
	} {
		t.Run(name, func(t *testing.T) {
			if status, body := b.act(t, c.what, c.body, same...); status != http.StatusBadRequest {
				t.Errorf("status %d: %s", status, body)
			}
		})
	}
	if status, _ := b.act(t, "fault", `{"fault":"heal"}`, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"); status != http.StatusForbidden {
		t.Errorf("from another site: %d", status)
	}
	for body, want := range map[string]answer{
		`{"fault":"error","method":"auth.test","code":"fatal_error"}`: {Error: "fatal_error", status: 200},
		`{"fault":"rate_limit","method":"auth.test","retry_after":7}`: {Error: "ratelimited", status: 429, retryAfter: "7"},
		`{"fault":"revoke","code":"account_inactive"}`:                {Error: "account_inactive", status: 200},
	} {
		if status, text := b.act(t, "fault", body, same...); status != 200 {
			t.Fatalf("%s: %d %s", body, status, text)
		}
		if a := b.call(t, "auth.test"); a.Error != want.Error || a.status != want.status || a.retryAfter != want.retryAfter {
			t.Errorf("%s: %+v", body, a)
		}
		b.act(t, "fault", `{"fault":"heal"}`, same...)
	}
}
