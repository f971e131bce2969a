package slackdev_test

import (
	"encoding/json"
	"testing"

	"dw/slackdev"

	"github.com/gorilla/websocket"
)

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
	dialer := websocket.Dialer{WriteBufferSize: 1 << 16} // one frame for each message
	conn, resp, err := dialer.DialContext(b.ctx, link, nil)
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

// fragments writes a message in two frames, as a client with a small buffer does.
func (r *raw) fragments(text string) {
	r.t.Helper()
	cut := len(text) / 2
	frame := func(first byte, part string) []byte {
		head := []byte{first, 0x80 | 126, byte(len(part) >> 8), byte(len(part)), 0, 0, 0, 0}
		return append(head, part...) // a mask of zeros leaves the bytes as they are
	}
	wire := append(frame(0x01, text[:cut]), frame(0x80, text[cut:])...)
	if _, err := r.conn.NetConn().Write(wire); err != nil {
		r.t.Error(err)
	}
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

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
