package slackdev_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"dw/slackdev"
)

// app answers n envelopes on a connection with these ack payloads in turn, and
// returns the frames it got.
func (r *raw) app(payloads ...string) <-chan frame {
	got := make(chan frame, len(payloads))
	go func() {
		defer close(got)
		for _, p := range payloads {
			var f frame
			if err := r.conn.ReadJSON(&f); err != nil {
				r.t.Error(err)
				return
			}
			r.ack(f.ID, p)
			got <- f
		}
	}()
	return got
}

func TestActsThatAreImpossible(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ts := b.post(t, "blocks", approveBlocks)
	hidden, err := b.Command(b.ctx, guest, open, "help")
	if err == nil {
		t.Errorf("a guest typed in a channel they are not in: %+v", hidden)
	}
	acts := map[string]func() (slackdev.Outcome, error){
		"unknown user":   func() (slackdev.Outcome, error) { return b.Command(b.ctx, "U0", open, "x") },
		"deleted user":   func() (slackdev.Outcome, error) { return b.Command(b.ctx, gone, open, "x") },
		"the bot itself": func() (slackdev.Outcome, error) { return b.Command(b.ctx, "U0BOT00001", open, "x") },
		"said nothing": func() (slackdev.Outcome, error) {
			m, err := b.Say(ann, open, "", " ")
			return slackdev.Outcome{Detail: m.Text}, err
		},
		"said in a private channel": func() (slackdev.Outcome, error) {
			m, err := b.Say(bob, secret, "", "x")
			return slackdev.Outcome{Detail: m.Text}, err
		},
		"said in no thread": func() (slackdev.Outcome, error) {
			m, err := b.Say(ann, open, "1.000001", "x")
			return slackdev.Outcome{Detail: m.Text}, err
		},
		"unknown channel":        func() (slackdev.Outcome, error) { return b.Command(b.ctx, ann, "C0", "x") },
		"private channel":        func() (slackdev.Outcome, error) { return b.Command(b.ctx, bob, secret, "x") },
		"another command":        func() (slackdev.Outcome, error) { return b.Command(b.ctx, ann, open, "/other x") },
		"stranger in public":     func() (slackdev.Outcome, error) { return b.Click(b.ctx, foreign, open, ts, "approve") },
		"no such message":        func() (slackdev.Outcome, error) { return b.Click(b.ctx, ann, open, "1.000001", "approve") },
		"no such button":         func() (slackdev.Outcome, error) { return b.Click(b.ctx, ann, open, ts, "destroy") },
		"no such option":         func() (slackdev.Outcome, error) { return b.Choose(b.ctx, ann, open, ts, "when", "never") },
		"no such view":           func() (slackdev.Outcome, error) { return b.Submit(b.ctx, ann, "V0", nil) },
		"close of no view":       func() (slackdev.Outcome, error) { return b.CloseView(b.ctx, ann, "V0") },
		"button in no view":      func() (slackdev.Outcome, error) { return b.ChooseInView(b.ctx, ann, "V0", "a", "") },
		"replay of nothing":      func() (slackdev.Outcome, error) { return b.ReplayLast(b.ctx, true) },
		"home of an unknown one": func() (slackdev.Outcome, error) { return b.OpenHome(b.ctx, "U0") },
	}
	for name, act := range acts {
		t.Run(name, func(t *testing.T) {
			if out, err := act(); err == nil {
				t.Errorf("outcome %+v", out)
			}
		})
	}
}

func TestEphemeralMessageIsForOneAndCannotBeUpdated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.dial(t).hello()
	if a := b.call(t, "chat.postEphemeral", "channel", open, "user", bob, "blocks", approveBlocks); !a.OK {
		t.Fatal(a)
	}
	m := b.Ephemerals(bob)[0]
	if len(b.Messages(open)) != 0 || len(b.Ephemerals(ann)) != 0 {
		t.Error("others see it")
	}
	if a := b.call(t, "chat.update", "channel", open, "ts", m.TS, "text", "x"); a.Error != "message_not_found" {
		t.Errorf("update of an ephemeral message: %+v", a)
	}
	if _, err := b.Click(b.ctx, ann, open, m.TS, "approve"); err == nil {
		t.Error("somebody else clicked it")
	}
	got := r.app(`{"text":"a click takes no answer in its ack"}`)
	if out, err := b.Click(b.ctx, bob, open, m.TS, "approve"); err != nil || !out.Acked || out.Payload != nil {
		t.Fatalf("%+v, %v", out, err)
	}
	f := <-got
	if _, there := f.Payload["message"]; there || f.Accepts {
		t.Errorf("payload of an ephemeral click: %+v", f)
	}
	if container, _ := f.Payload["container"].(map[string]any); container["is_ephemeral"] != true {
		t.Errorf("container: %v", container)
	}
	link, _ := f.Payload["response_url"].(string)
	if a := b.hook(t, link, `{"replace_original":true,"text":"decided"}`); !a.OK {
		t.Errorf("replace: %+v", a)
	}
	if m := b.Ephemerals(bob)[0]; m.Text != "decided" || m.Blocks != nil {
		t.Errorf("after replace: %+v", m)
	}
	if a := b.hook(t, link, `{"delete_original":"true"}`); !a.OK || len(b.Ephemerals(bob)) != 0 {
		t.Errorf("delete: %+v, %+v", a, b.Ephemerals(bob))
	}
}

func (b *bundle) hook(t *testing.T, link, body string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(b.ctx, http.MethodPost, link, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	return b.send(t, r)
}

// command types a command and returns the payload that the app got.
func (b *bundle) command(t *testing.T, r *raw, user, channel string) map[string]any {
	t.Helper()
	got := r.app(`{}`)
	if out, err := b.Command(b.ctx, user, channel, "x"); err != nil || !out.Acked {
		t.Fatalf("%+v, %v", out, err)
	}
	return (<-got).Payload
}

func TestResponseURL(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.dial(t).hello()
	link, _ := b.command(t, r, ann, secret)["response_url"].(string)
	if a := b.hook(t, link, `{"response_type":"in_channel","text":"for all"}`); !a.OK {
		t.Fatalf("in a channel where the bot is no member: %+v", a)
	}
	if m := b.Messages(secret); len(m) != 1 || m[0].Text != "for all" {
		t.Errorf("messages: %+v", m)
	}
	if a := b.hook(t, link, `{"text":""}`); a.Error != "no_text" || a.status != http.StatusBadRequest {
		t.Errorf("empty: %+v", a)
	}
	if a := b.hook(t, link, `{"replace_original":true,"text":"x"}`); a.Error != "message_not_found" {
		t.Errorf("a command has no original: %+v", a)
	}
	for range 2 {
		if a := b.hook(t, link, `{"text":"for ann"}`); !a.OK {
			t.Fatalf("%+v", a)
		}
	}
	if a := b.hook(t, link, `{"text":"one too many"}`); a.Error != "used_url" || a.status != http.StatusNotFound {
		t.Errorf("sixth use: %+v", a)
	}
	if n := len(b.Ephemerals(ann)); n != 2 {
		t.Errorf("%d ephemeral messages", n)
	}
	link, _ = b.command(t, r, ann, open)["response_url"].(string)
	b.clock.Advance(30*time.Minute + time.Second)
	if a := b.hook(t, link, `{"text":"late"}`); a.Error != "expired_url" {
		t.Errorf("after 30 minutes: %+v", a)
	}
}

func TestAckPayloadOfACommand(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		payload, wantError string
		inChannel, private int
	}{
		"private by default": {`{"text":"x"}`, "", 0, 1},
		"for the channel":    {`{"text":"x","response_type":"in_channel"}`, "", 1, 0},
		"nothing":            {`null`, "", 0, 0},
		"no object":          {`[1]`, slackdev.BadAck, 0, 0},
		"bad blocks":         {`{"blocks":[{"type":"poem"}]}`, slackdev.BadAck, 0, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.dial(t).hello().app(c.payload)
			out, err := b.Command(b.ctx, ann, open, "x")
			if err != nil || !out.Acked || out.Error != c.wantError {
				t.Errorf("%+v, %v", out, err)
			}
			if len(b.Messages(open)) != c.inChannel || len(b.Ephemerals(ann)) != c.private {
				t.Errorf("channel %+v, private %+v", b.Messages(open), b.Ephemerals(ann))
			}
		})
	}
}
