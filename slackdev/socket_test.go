package slackdev_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"strings"
	"sync"
	"testing"
	"time"

	"dw/slackdev"

	"github.com/gorilla/websocket"
	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"
)

const approveBlocks = `[
	{"type":"section","block_id":"facts","text":{"type":"mrkdwn","text":"*Pause* the job?"}},
	{"type":"actions","block_id":"decide","elements":[
		{"type":"button","action_id":"approve","style":"primary","value":"p1","text":{"type":"plain_text","text":"Approve"}},
		{"type":"static_select","action_id":"when","options":[
			{"text":{"type":"plain_text","text":"Now"},"value":"now"},
			{"text":{"type":"plain_text","text":"Later"},"value":"later"}]}]}]`

// bot runs slack-go's own socketmode client with one handler until the test ends.
func (b *bundle) bot(t *testing.T, handle func(*socketmode.Client, socketmode.Event)) {
	t.Helper()
	client := socketmode.New(b.api, socketmode.OptionLog(log.New(io.Discard, "", 0)))
	ctx, cancel := context.WithCancel(b.ctx)
	ended, handled := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_ = client.RunContext(ctx)
	}()
	go func() {
		defer close(handled)
		for {
			select {
			case e := <-client.Events:
				handle(client, e)
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-ended; <-handled })
	b.connected(t, 1)
}

func (b *bundle) connected(t *testing.T, n int) {
	t.Helper()
	if err := b.Wait(b.ctx, func(s slackdev.Snapshot) bool { return s.Sockets == n }); err != nil {
		t.Fatal(err)
	}
}

func TestSlackGoCommandIsAnsweredInsideTheAck(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got := make(chan slack.SlashCommand, 1)
	b.bot(t, func(c *socketmode.Client, e socketmode.Event) {
		if cmd, ok := e.Data.(slack.SlashCommand); ok {
			got <- cmd
			c.Ack(*e.Request, map[string]any{"text": "all fresh"})
		}
	})
	out, err := b.Command(b.ctx, ann, open, "/dw status @ann <x>")
	if err != nil || !out.Acked || out.Error != "" {
		t.Fatalf("outcome %+v, %v", out, err)
	}
	cmd := <-got
	if cmd.Command != "/dw" || cmd.Text != "status <@"+ann+"|ann> &lt;x&gt;" || cmd.UserID != ann || cmd.ChannelID != open {
		t.Errorf("the app got %+v", cmd)
	}
	private := b.Ephemerals(ann)
	if len(private) != 1 || private[0].Text != "all fresh" || private[0].Channel != open {
		t.Errorf("ephemerals: %+v", private)
	}
	if n := len(b.Messages(open)); n != 0 {
		t.Errorf("a private answer left %d messages in the channel", n)
	}
}

func TestSlackGoClickAndUpdate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ts := b.post(t, "text", "Pause?", "blocks", approveBlocks)
	got := make(chan slack.InteractionCallback, 1)
	b.bot(t, func(c *socketmode.Client, e socketmode.Event) {
		if cb, ok := e.Data.(slack.InteractionCallback); ok {
			c.Ack(*e.Request)
			got <- cb
		}
	})
	out, err := b.Choose(b.ctx, bob, open, ts, "when", "later")
	if err != nil || !out.Acked {
		t.Fatalf("choose: %+v, %v", out, err)
	}
	if cb := <-got; cb.ActionCallback.BlockActions[0].SelectedOption.Value != "later" {
		t.Errorf("choice: %+v", cb.ActionCallback.BlockActions[0])
	}
	if out, err = b.Click(b.ctx, bob, open, ts, "approve"); err != nil || !out.Acked {
		t.Fatalf("click: %+v, %v", out, err)
	}
	cb := <-got
	a := cb.ActionCallback.BlockActions[0]
	if cb.Type != slack.InteractionTypeBlockActions || a.Value != "p1" || a.BlockID != "decide" || a.ActionTs == "" {
		t.Errorf("action: %+v", a)
	}
	if cb.User.ID != bob || cb.User.Name != "" || cb.User.TeamID != "T0TEAM0001" || cb.Container.MessageTs != ts {
		t.Errorf("user %+v, container %+v", cb.User, cb.Container)
	}
	if cb.Message.Timestamp != ts || len(cb.Message.Blocks.BlockSet) != 2 {
		t.Errorf("message: %+v", cb.Message)
	}
	if _, ok := cb.BlockActionState.Values["decide"]["when"]; !ok {
		t.Errorf("state: %+v", cb.BlockActionState)
	}
	if _, _, _, err := b.api.UpdateMessageContext(b.ctx, open, ts, slack.MsgOptionText("approved", false)); err != nil {
		t.Fatal(err)
	}
	m := b.Messages(open)[0]
	if m.Text != "approved" || m.Blocks != nil || m.Edited == nil {
		t.Errorf("text without blocks must clear them: %+v", m)
	}
	if _, err := b.Click(b.ctx, bob, open, ts, "approve"); err == nil {
		t.Error("a button that is gone was clicked")
	}
}

// raw is a hand-made Socket Mode client, for what no library would do.
type raw struct {
	t    *testing.T
	conn *websocket.Conn
}

func (b *bundle) dial(t *testing.T) *raw {
	t.Helper()
	_, link, err := b.api.StartSocketModeContext(b.ctx)
	if err != nil {
		t.Fatal(err)
	}
	conn, resp, err := websocket.DefaultDialer.DialContext(b.ctx, link, nil)
	if err != nil {
		t.Fatal(err, resp)
	}
	t.Cleanup(func() { conn.Close() }) //nolint:errcheck // the end of the test
	return &raw{t: t, conn: conn}
}

type frame struct {
	ID      string         `json:"envelope_id"`
	Type    string         `json:"type"`
	Reason  string         `json:"reason"`
	Count   int            `json:"num_connections"`
	Accepts bool           `json:"accepts_response_payload"`
	Attempt int            `json:"retry_attempt"`
	Payload map[string]any `json:"payload"`
	AppInfo map[string]any `json:"connection_info"`
}

func (r *raw) read() frame {
	r.t.Helper()
	var f frame
	if err := r.conn.ReadJSON(&f); err != nil {
		r.t.Fatal(err)
	}
	return f
}

func (r *raw) hello() *raw {
	r.t.Helper()
	if f := r.read(); f.Type != "hello" || f.AppInfo["app_id"] != "A0APP00001" {
		r.t.Fatalf("first frame %+v", f)
	}
	return r
}

func (r *raw) ack(id string, payload string) {
	r.t.Helper()
	body, err := json.Marshal(map[string]any{"envelope_id": id, "payload": json.RawMessage(payload)})
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.conn.WriteMessage(websocket.TextMessage, body); err != nil {
		r.t.Fatal(err)
	}
}

type result struct {
	out slackdev.Outcome
	err error
}

// start runs an act while the test plays the app.
func start(act func() (slackdev.Outcome, error)) <-chan result {
	done := make(chan result, 1)
	go func() {
		out, err := act()
		done <- result{out, err}
	}()
	return done
}

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
			w, err := r.conn.NextWriter(websocket.TextMessage)
			if err != nil {
				r.t.Error(err)
				return
			}
			body := `{"envelope_id":"` + f.ID + `","payload":{"text":"` + strings.Repeat("x", 9000) + `"}}`
			_, err = io.WriteString(w, body)
			if err != nil || w.Close() != nil {
				r.t.Error("write fragments", err)
			}
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
			if len(b.Ephemerals(ann)) != 0 {
				t.Error("the answer of a dropped ack was shown")
			}
		})
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
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
	b := setup(t, func(o *slackdev.Options) { o.Pick = func(n int) int { return n - 1 } })
	first, second := b.dial(t).hello(), b.dial(t).hello()
	done := start(func() (slackdev.Outcome, error) { return b.Command(b.ctx, ann, open, "x") })
	f := second.read()
	first.ack(f.ID, `{"text":"from the wrong connection"}`)
	second.ack(f.ID, `{}`)
	if got := <-done; got.err != nil || !got.out.Acked || got.out.Payload != nil {
		t.Errorf("%+v, %v", got.out, got.err)
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

func TestJournalTellsAllButSecrets(t *testing.T) {
	t.Parallel()
	var lines lockedBuffer
	b := setup(t, func(o *slackdev.Options) { o.Journal = &lines })
	r := b.dial(t).hello()
	b.post(t, "text", "x")
	b.command(t, r, ann, open)
	text := lines.String()
	for _, want := range []string{`"what":"hello"`, `"method":"chat.postMessage"`, `"what":"envelope"`, `"what":"ack"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the journal", want)
		}
	}
	for _, secret := range []string{botToken, appToken} {
		if strings.Contains(text, secret) {
			t.Errorf("the journal tells %s", secret)
		}
	}
	for line := range strings.Lines(text) {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
}

// lockedBuffer is a buffer that several goroutines write to.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
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
