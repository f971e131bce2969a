package bot

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// BenchmarkClickToAck compares the time from an envelope on the wire to its
// acknowledgement with the floor: a websocket that answers without reading. Run
// with -benchtime 4000x; what matters is the ratio within one run.
func BenchmarkClickToAck(b *testing.B) {
	small := `{"type":"slash_commands","envelope_id":"%d","accepts_response_payload":true,"payload":{"command":"/dw","text":"status",` +
		`"team_id":"T1","user_id":"U1","channel_id":"C1","response_url":"https://hooks.slack.com/x","trigger_id":"%[1]d"}}`
	block := `{"type":"section","block_id":"b","text":{"type":"mrkdwn","text":"` + strings.Repeat("some words of a card ", 14) + `"}}`
	large := `{"type":"interactive","envelope_id":"%d","payload":{"type":"block_actions","user":{"id":"U1","team_id":"T1"},"team":{"id":"T1"},` +
		`"channel":{"id":"C1"},"container":{"message_ts":"1.1","channel_id":"C1"},"message":{"ts":"1.1","blocks":[` +
		strings.TrimSuffix(strings.Repeat(block+",", 21), ",") + `]},"actions":[{"action_id":"approve","block_id":"d","value":"p1"}]}}`
	for name, template := range map[string]string{"slash": small, "click8KB": large} {
		b.Run("floor/"+name, func(b *testing.B) {
			r := newTCPRig(b, nil)
			conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimSuffix(r.base[len("http"):], "api/")+"ws", nil)
			if err != nil {
				b.Fatal(err)
			}
			done := make(chan struct{})
			go echo(conn, done)
			b.Cleanup(func() { _ = conn.Close(); <-done })
			roundTrips(b, <-r.peers, template)
		})
		b.Run("dw/"+name, func(b *testing.B) {
			r := newTCPRig(b, nil)
			r.start(func(context.Context, Event) (any, error) { return nil, nil })
			roundTrips(b, <-r.peers, template)
		})
	}
}

// echo answers each message with a fixed acknowledgement.
func echo(conn *websocket.Conn, done chan struct{}) {
	defer close(done)
	for {
		_, raw, err := conn.ReadMessage()
		if err != nil {
			return
		}
		if !bytes.Contains(raw[:min(len(raw), 30)], []byte("hello")) {
			_ = conn.WriteMessage(websocket.TextMessage, []byte(`{"envelope_id":"0"}`))
		}
	}
}

func roundTrips(b *testing.B, p *peer, template string) {
	worst := time.Duration(0)
	for i := 0; b.Loop(); i++ {
		frame := fmt.Sprintf(template, i)
		start := time.Now()
		p.write(frame)
		<-p.acks
		worst = max(worst, time.Since(start))
	}
	b.ReportMetric(float64(worst.Microseconds()), "worst-us")
}

func BenchmarkDecodeClick(b *testing.B) {
	block := `{"type":"section","block_id":"b","text":{"type":"mrkdwn","text":"` + strings.Repeat("some words of a card ", 14) + `"}}`
	raw := []byte(`{"type":"interactive","envelope_id":"1","payload":{"type":"block_actions","user":{"id":"U1"},"message":{"blocks":[` +
		strings.TrimSuffix(strings.Repeat(block+",", 21), ",") + `]},"actions":[{"action_id":"approve"}]}}`)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decodeFrame(raw, time.Time{}); err != nil {
			b.Fatal(err)
		}
	}
}
