package bot

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// tap keeps what a connection's peer sent.
type tap struct {
	net.Conn
	mu   sync.Mutex
	seen bytes.Buffer
}

func (c *tap) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen.Write(b[:n])
	return n, err
}

// textFrames counts websocket frames of a client's stream: whole text messages,
// and anything that is a part of a message.
func (c *tap) textFrames() (whole, parts int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, raw, _ := bytes.Cut(c.seen.Bytes(), []byte("\r\n\r\n"))
	for len(raw) >= 2 {
		head, size, at := raw[0], int(raw[1]&0x7f), 2
		switch size {
		case 126:
			size, at = int(raw[2])<<8|int(raw[3]), 4
		case 127:
			return whole, parts + 1
		}
		switch head {
		case 0x81:
			whole++
		case 0x01, 0x00, 0x80:
			parts++
		}
		raw = raw[min(len(raw), at+4+size):]
	}
	return whole, parts
}

func TestAckIsOneFrameOverTCP(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var taps []*tap
	r := newTCPRig(t, func(c net.Conn) net.Conn {
		mu.Lock()
		defer mu.Unlock()
		taps = append(taps, &tap{Conn: c})
		return taps[len(taps)-1]
	})
	big := strings.Repeat("x", ackLimit-100)
	r.start(func(context.Context, Event) (any, error) { return big, nil })
	p := <-r.peers
	p.click("E1")
	if got := len(p.acked(t, "E1").Payload); got != len(big)+2 {
		t.Fatalf("payload of %d bytes, want %d", got, len(big)+2)
	}
	mu.Lock()
	defer mu.Unlock()
	whole, parts := 0, 0
	for _, c := range taps {
		w, f := c.textFrames()
		whole, parts = whole+w, parts+f
	}
	if whole != 1 || parts != 0 {
		t.Fatalf("%d whole frames and %d parts, want 1 and 0", whole, parts)
	}
}

func TestManyClicksOverTCPAreEachAckedOnce(t *testing.T) {
	t.Parallel()
	r := newTCPRig(t, nil)
	r.start(quiet)
	p := <-r.peers
	const clicks = 200
	for i := range clicks {
		p.click(string(rune('A'+i%26)) + strings.Repeat("x", i))
	}
	got := make(map[string]int)
	for range clicks {
		got[<-p.acks]++
	}
	if len(got) != clicks {
		t.Fatalf("%d different acks for %d clicks", len(got), clicks)
	}
}

func TestSocketOverTLS(t *testing.T) {
	t.Parallel()
	r := &rig{t: t, http: NewHTTPClient()}
	server := httptest.NewUnstartedServer(r.routes())
	server.EnableHTTP2 = true // as Slack's API does; the websocket must not follow
	server.StartTLS()
	t.Cleanup(server.Close)
	r.base = server.URL + "/api/"
	r.http.Transport.(*http.Transport).TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
	r.start(quiet)
	p := <-r.peers
	p.click("E1")
	p.acked(t, "E1")
}
