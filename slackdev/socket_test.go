package slackdev_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"dw/slackdev"
)

func TestUserSeesThatTheAppIsNotThere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	out, err := b.Command(b.ctx, ann, open, "help")
	if err != nil || out.Acked || out.Error != slackdev.NotDelivered {
		t.Errorf("outcome %+v, %v", out, err)
	}
}

func TestLostAcksTimeOut(t *testing.T) {
	t.Parallel()
	big := `{"text":"` + strings.Repeat("x", 21000) + `"}`
	cases := map[string]func(b *bundle, r *raw, f frame){
		"no ack":        func(*bundle, *raw, frame) {},
		"ack of 20 KB":  func(_ *bundle, r *raw, f frame) { r.ack(f.ID, big) },
		"wrong id":      func(_ *bundle, r *raw, _ frame) { r.ack("other", "{}") },
		"lost by fault": func(b *bundle, r *raw, f frame) { b.DropAcks(1); r.ack(f.ID, "{}") },
		"in two frames": func(_ *bundle, r *raw, f frame) {
			r.fragments(`{"envelope_id":"` + f.ID + `","payload":{"text":"` + strings.Repeat("x", 400) + `"}}`)
		},
	}
	for name, app := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(o *slackdev.Options) { o.AckTimeout = 300e6 })
			r := b.dial(t).hello()
			done := start(func() (slackdev.Outcome, error) { return b.Command(b.ctx, ann, open, "help") })
			app(b, r, r.read())
			if got := <-done; got.err != nil || got.out.Acked || got.out.Error != slackdev.NotAcked {
				t.Errorf("outcome %+v, %v", got.out, got.err)
			}
			want := `/dw failed with the error "operation_timeout"`
			if e := b.Ephemerals(ann); len(e) != 1 || e[0].Text != want || e[0].User != "USLACKBOT" {
				t.Errorf("ann reads %+v, want Slackbot's %s alone", e, want)
			}
		})
	}
}

func TestTicketWorksOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, link, err := b.api.StartSocketModeContext(b.ctx)
	if err != nil {
		t.Fatal(err)
	}
	conn, _, err := websocket.DefaultDialer.DialContext(b.ctx, link, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // the end of the test
	for name, address := range map[string]string{"used": link, "invented": link + "1"} {
		second, resp, err := websocket.DefaultDialer.DialContext(b.ctx, address, nil)
		if err == nil {
			second.Close() //nolint:errcheck // the test has failed
			t.Fatalf("a ticket that is %s opened a connection", name)
		}
		if resp.StatusCode != 401 {
			t.Errorf("%s: status %d", name, resp.StatusCode)
		}
	}
}

func TestTenConnections(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 10 {
		if f := b.dial(t).read(); f.Type != "hello" || f.Count != i+1 {
			t.Fatalf("connection %d: %+v", i+1, f)
		}
	}
	r := b.dial(t)
	if f := r.read(); f.Type != "disconnect" || f.Reason != "too_many_websockets" {
		t.Errorf("eleventh: %+v", f)
	}
	if _, _, err := r.conn.ReadMessage(); err == nil {
		t.Error("the eleventh stayed open")
	}
	if n := b.Snapshot().Sockets; n != 10 {
		t.Errorf("%d open", n)
	}
}

func TestEnvelopeGoesToOneConnection(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) {
		o.Pick, o.AckTimeout = func(n int) int { return n - 1 }, 300e6
	})
	first, second := b.dial(t).hello(), b.dial(t).hello()
	done := start(func() (slackdev.Outcome, error) { return b.Command(b.ctx, ann, open, "x") })
	first.ack(second.read().ID, `{}`)
	if got := <-done; got.err != nil || got.out.Acked || got.out.Error != slackdev.NotAcked {
		t.Errorf("an ack over another connection counted: %+v, %v", got.out, got.err)
	}
}

func TestDuplicateAndReplay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.dial(t).hello()
	b.Duplicate(1)
	got := r.app(`{}`, `{}`, `{}`, `{}`)
	if out, err := b.Command(b.ctx, ann, open, "x"); err != nil || !out.Acked {
		t.Fatalf("%+v, %v", out, err)
	}
	one, two := <-got, <-got
	if one.ID == "" || one.ID != two.ID {
		t.Errorf("duplicate: %q and %q", one.ID, two.ID)
	}
	for same := range map[bool]bool{true: true, false: true} {
		if out, err := b.ReplayLast(b.ctx, same); err != nil || !out.Acked {
			t.Fatalf("%+v, %v", out, err)
		}
		f := <-got
		if same != (f.ID == one.ID) || mustJSON(t, f.Payload) != mustJSON(t, one.Payload) {
			t.Errorf("replay %v: %+v", same, f)
		}
		one.ID = f.ID
	}
}

func TestDisconnect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	old := b.dial(t).hello()
	b.Disconnect("warning")
	if f := old.read(); f.Type != "disconnect" || f.Reason != "warning" {
		t.Fatalf("%+v", f)
	}
	got := old.app(`{}`)
	if out, err := b.Command(b.ctx, ann, open, "x"); err != nil || !out.Acked {
		t.Errorf("a warned connection still serves while it is the only one: %+v, %v", out, err)
	}
	<-got
	fresh := b.dial(t).hello()
	got = fresh.app(`{}`)
	if out, err := b.Command(b.ctx, ann, open, "x"); err != nil || !out.Acked {
		t.Errorf("the new connection: %+v, %v", out, err)
	}
	<-got
	b.Disconnect("link_disabled")
	if f := fresh.read(); f.Reason != "link_disabled" {
		t.Errorf("%+v", f)
	}
	b.connected(t, 0)
}

func TestKilledConnection(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.dial(t).hello()
	b.KillSockets()
	b.connected(t, 0)
	if _, _, err := r.conn.ReadMessage(); err == nil {
		t.Error("the connection still lives")
	}
}

func TestEventsAreRedelivered(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) {
		o.AckTimeout, o.EventRetries = 50e6, []time.Duration{0, 0, 0}
	})
	r := b.dial(t).hello()
	done := start(func() (slackdev.Outcome, error) {
		return b.Event(b.ctx, map[string]any{"type": "app_mention", "user": ann, "text": "hi"})
	})
	ids := map[string]bool{}
	var id any
	for attempt := range 4 {
		f := r.read()
		if f.Type != "events_api" || f.Attempt != attempt || ids[f.ID] {
			t.Fatalf("delivery %d: %+v", attempt, f)
		}
		if attempt > 0 && f.Payload["event_id"] != id {
			t.Errorf("event_id changed to %v", f.Payload["event_id"])
		}
		ids[f.ID], id = true, f.Payload["event_id"]
	}
	if got := <-done; got.err != nil || got.out.Acked || got.out.Error != slackdev.NotAcked {
		t.Errorf("%+v, %v", got.out, got.err)
	}
}

func TestPings(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *slackdev.Options) { o.PingEvery = time.Millisecond })
	r := b.dial(t).hello()
	pinged := errors.New("pinged")
	r.conn.SetPingHandler(func(text string) error {
		if text != "Ping from applink-1" {
			t.Errorf("ping %q", text)
		}
		return pinged
	})
	if _, _, err := r.conn.ReadMessage(); !errors.Is(err, pinged) {
		t.Errorf("read: %v", err)
	}
}
