package bot

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
)

func quiet(context.Context, Event) (any, error) { return nil, nil }

// keepAlive pings as Slack does until the connection ends.
func (p *peer) keepAlive(every time.Duration) {
	for {
		select {
		case <-p.closed:
			return
		case <-time.After(every):
			_ = p.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
		}
	}
}

func TestRefreshLosesNoEnvelope(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"warning", "refresh_requested", "something new"} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				run := r.start(quiet)
				old := <-r.peers
				old.click("before")
				old.acked(t, "before")
				old.write(`{"type":"disconnect","reason":"` + reason + `"}`)
				next := <-r.peers // opened while the old one still is
				old.click("late")
				next.click("new")
				old.acked(t, "late")
				next.acked(t, "new")
				if !run.Connected() {
					t.Fatal("not connected after the refresh")
				}
				<-old.closed // dw closes it after draining
				next.click("after")
				next.acked(t, "after")
			})
		})
	}
}

func TestRefreshAnswersWhatTheOldConnectionStillOwes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		gate := make(chan struct{})
		r.start(func(context.Context, Event) (any, error) { <-gate; return nil, nil },
			func(o *SocketOptions) { o.HandleTimeout = time.Hour })
		old := <-r.peers
		old.click("slow")
		old.write(`{"type":"disconnect","reason":"refresh_requested"}`)
		<-r.peers
		time.Sleep(2 * drainFor)
		close(gate)
		old.acked(t, "slow")
	})
}

func TestDisconnectInsteadOfHelloOwesItsAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.noHello = true
		gate := make(chan struct{})
		r.start(func(context.Context, Event) (any, error) { <-gate; return nil, nil },
			func(o *SocketOptions) { o.HandleTimeout = time.Hour })
		old := <-r.peers
		old.click("early")
		old.write(`{"type":"disconnect","reason":"refresh_requested"}`) // and never a hello
		<-r.peers                                                       // the next one does not wait for the answer
		close(gate)
		old.acked(t, "early")
	})
}

func TestHalfOpenConnectionIsReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.start(quiet)
		first := <-r.peers
		// Nothing comes any more, not even a pong.
		first.deaf.Store(true)
		select {
		case second := <-r.peers:
			second.click("E1")
			second.acked(t, "E1")
		case <-time.After(readTimeout + pingEvery):
			t.Fatal("dw still waits on a connection over which nothing comes")
		}
	})
}

func TestPingsKeepAConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.start(quiet)
		p := <-r.peers
		p.deaf.Store(true) // Slack's own pings alone must do
		go p.keepAlive(10 * time.Second)
		time.Sleep(10 * time.Minute)
		if got := r.opened.Load(); got != 1 {
			t.Fatalf("%d connections in ten minutes, want 1", got)
		}
		if got := p.pings.Load(); got < 40 {
			t.Fatalf("dw pinged %d times in ten minutes, want one each 10 to 15 s", got)
		}
	})
}

func TestLinkDisabledEndsRun(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*peer){
		"in time":               func(p *peer) { p.write(`{"type":"disconnect","reason":"link_disabled"}`) },
		"just before the break": func(p *peer) { p.write(`{"type":"disconnect","reason":"link_disabled"}`); _ = p.conn.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				run := r.start(quiet)
				leave(<-r.peers)
				err := <-run.end
				fatal, ok := errors.AsType[*FatalError](err)
				if !ok || fatal.Code != "link_disabled" || !strings.Contains(err.Error(), "switch it on under Settings, Socket Mode") {
					t.Fatalf("Run returned %v", err)
				}
				if r.opened.Load() != 1 {
					t.Fatal("dw connected again")
				}
			})
		})
	}
}

func TestTooManyWebsocketsBacksOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.start(quiet)
		p := <-r.peers
		go p.keepAlive(10 * time.Second)
		time.Sleep(5 * time.Minute) // stable, and yet no new connection at once
		at := time.Now()
		p.write(`{"type":"disconnect","reason":"too_many_websockets"}`)
		<-p.closed
		<-r.peers
		if waited := time.Since(at); waited < 800*time.Millisecond {
			t.Fatalf("connected again after %s of virtual time", waited)
		}
	})
}

func TestBackOffGrowsUntilAConnectionIsStable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.start(quiet)
		at := time.Now()
		for range 20 { // each connection says hello and breaks
			p := <-r.peers
			_ = p.conn.Close()
		}
		p := <-r.peers
		if storm := time.Since(at); storm < 2*time.Minute {
			t.Fatalf("20 reconnects within %s of virtual time", storm)
		}
		go p.keepAlive(10 * time.Second)
		time.Sleep(stableAfter)
		at = time.Now()
		_ = p.conn.Close()
		<-r.peers
		if waited := time.Since(at); waited > backoffFirst {
			t.Fatalf("waited %s after a stable connection", waited)
		}
	})
}

func TestOpenRefused(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"invalid_auth", "not_authed", "account_inactive", "token_revoked", "missing_scope", "not_allowed_token_type"} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				r.refuse = func(int32) (int, string) { return 200, `{"ok":false,"error":"` + code + `"}` }
				err := <-r.start(quiet).end
				if fatal, ok := errors.AsType[*FatalError](err); !ok || fatal.Code != code || fatal.Do == "" {
					t.Fatalf("Run returned %v", err)
				}
				if strings.Contains(err.Error(), testToken) {
					t.Fatal("the error shows the token")
				}
			})
		})
	}
}

func TestOpenIsTriedAgain(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		status int
		body   string
		atMin  time.Duration
	}{
		"internal error": {200, `{"ok":false,"error":"internal_error"}`, 0},
		"bad gateway":    {502, `<html>`, 0},
		"no JSON":        {200, `<html>`, 0},
		"http address":   {200, `{"ok":true,"url":"http://slack.test/ws"}`, 0},
		"rate limited":   {429, `{"ok":false,"error":"ratelimited"}`, 7 * time.Second},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				r.refuse = func(n int32) (int, string) {
					if n == 1 {
						return c.status, c.body
					}
					return 0, ""
				}
				at := time.Now()
				r.start(quiet)
				p := <-r.peers
				if waited := time.Since(at); waited < c.atMin {
					t.Fatalf("asked again after %s, Slack asked for %s", waited, c.atMin)
				}
				p.click("E1")
				p.acked(t, "E1")
			})
		})
	}
}

func TestConnectionWithoutHelloIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.noHello = true
		run := r.start(quiet)
		silent := <-r.peers
		<-silent.closed
		if run.Connected() {
			t.Fatal("connected without hello")
		}
		<-r.peers
	})
}

func TestTooManyInsteadOfHello(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.noHello = true
		r.start(quiet)
		at := time.Now()
		p := <-r.peers
		p.write(`{"type":"disconnect","reason":"too_many_websockets"}`)
		<-r.peers
		if waited := time.Since(at); waited < 800*time.Millisecond {
			t.Fatalf("connected again after %s of virtual time", waited)
		}
	})
}

func TestSeveralConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		run := r.start(quiet, func(o *SocketOptions) { o.Connections = 2 })
		one, two := <-r.peers, <-r.peers
		one.click("E1")
		two.click("E2")
		one.acked(t, "E1")
		two.acked(t, "E2")
		_ = one.conn.Close()
		two.click("E3")
		two.acked(t, "E3")
		if !run.Connected() {
			t.Fatal("not connected while one connection is open")
		}
	})
}

func TestCheckSocketURL(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, base, url string
		ok              bool
	}{
		{"wss", "https://slack.com/api/", "wss://w.slack.com/x", true},
		{"ws for a local server", "http://127.0.0.1/api/", "ws://127.0.0.1/x", true},
		{"ws for an encrypted API", "https://slack.com/api/", "ws://w.slack.com/x", false},
		{"http", "http://127.0.0.1/api/", "http://127.0.0.1/x", false},
		{"empty", "https://slack.com/api/", "", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := checkSocketURL(c.base, c.url); (err == nil) != c.ok {
				t.Fatalf("got %v, want ok %v", err, c.ok)
			}
		})
	}
}
