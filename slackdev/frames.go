package slackdev

import (
	"bufio"
	"encoding/binary"
	"net"
	"net/http"
)

// frameTap watches the bytes a client sends over a WebSocket and remembers for
// each message whether it came in more than one frame: Slack drops such acks.
// Only the reading goroutine uses it.
type frameTap struct {
	net.Conn
	head      []byte // bytes of a frame header not complete yet
	skip      uint64 // payload bytes still to pass
	open      bool   // inside a message whose last frame has not come
	fragments []bool // one per complete message, oldest first
}

func (t *frameTap) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	t.scan(p[:n])
	return n, err
}

// pop says whether the oldest message not asked about yet was fragmented.
func (t *frameTap) pop() bool {
	if len(t.fragments) == 0 {
		return false
	}
	first := t.fragments[0]
	t.fragments = t.fragments[1:]
	return first
}

func (t *frameTap) scan(p []byte) {
	for len(p) > 0 {
		if t.skip > 0 {
			n := min(t.skip, uint64(len(p)))
			t.skip -= n
			p = p[n:]
			continue
		}
		t.head = append(t.head, p[0])
		p = p[1:]
		if size, payload, ok := frameHeader(t.head); ok && len(t.head) == size {
			t.frame(t.head[0], payload)
			t.head = t.head[:0]
		}
	}
}

// frameHeader returns the length of the header and of the payload once enough
// bytes of the header are there.
func frameHeader(h []byte) (size int, payload uint64, ok bool) {
	if len(h) < 2 {
		return 0, 0, false
	}
	size, payload = 2, uint64(h[1]&0x7f)
	switch payload {
	case 126:
		size += 2
	case 127:
		size += 8
	}
	if len(h) < size {
		return size, 0, false
	}
	switch size {
	case 4:
		payload = uint64(binary.BigEndian.Uint16(h[2:]))
	case 10:
		payload = binary.BigEndian.Uint64(h[2:])
	}
	if h[1]&0x80 != 0 {
		size += 4 // the mask
	}
	return size, payload, true
}

func (t *frameTap) frame(first byte, payload uint64) {
	t.skip = payload
	final, opcode := first&0x80 != 0, first&0x0f
	if opcode >= 8 {
		return // control frames may come between
	}
	if final {
		t.fragments = append(t.fragments, t.open)
	}
	t.open = !final
}

// tapWriter hands the WebSocket library a tapped connection.
type tapWriter struct {
	http.ResponseWriter
	tap *frameTap
}

func (w *tapWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	w.tap.Conn = conn
	return w.tap, rw, nil
}
