package bot

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

const (
	handshakeTimeout = 10 * time.Second
	helloTimeout     = 10 * time.Second
	readTimeout      = 30 * time.Second // Slack pings every 10 s
	pingEvery        = 12 * time.Second // keeps a NAT from forgetting an idle line
	writeTimeout     = 5 * time.Second
	readLimit        = 4 << 20
	ackLimit         = 20 << 10 // Slack silently drops larger acknowledgements
)

// link is one open websocket. It owns two goroutines, the reader and the pinger;
// finish waits for both.
type link struct {
	conn   *websocket.Conn
	opened time.Time

	hello  chan struct{} // closed at Slack's hello
	left   chan struct{} // closed at Slack's disconnect
	reason string        // of the disconnect; read after left
	done   chan struct{} // closed when the reader has ended
	err    error         // why it ended; read after done

	pinger   sync.WaitGroup
	inflight sync.WaitGroup // envelopes that still owe an answer

	writeMu  sync.Mutex
	deadline sync.Mutex // guards stopped and the read deadline
	stopped  bool

	open    *atomic.Int32 // counts greeted connections that are read
	heard   func()        // told of every sign of life
	greeted bool          // used by the reader alone
}

// newLink starts to read a connection; receive is called for each text frame in
// the reader's goroutine and must not block, and heard for every frame.
func newLink(conn *websocket.Conn, open *atomic.Int32, heard func(), receive func(*link, []byte)) *link {
	l := &link{
		conn: conn, opened: time.Now(), open: open, heard: heard,
		hello: make(chan struct{}), left: make(chan struct{}), done: make(chan struct{}),
	}
	conn.SetReadLimit(readLimit)
	conn.SetPingHandler(l.pong)
	conn.SetPongHandler(func(string) error { l.alive(); return nil })
	l.extend()
	go l.read(receive)
	l.pinger.Go(l.ping)
	return l
}

func (l *link) read(receive func(*link, []byte)) {
	defer close(l.done)
	defer l.uncount()
	for {
		kind, raw, err := l.conn.ReadMessage()
		if err != nil {
			l.err = fmt.Errorf("read from Slack's socket: %w", err)
			return
		}
		l.alive()
		if kind == websocket.TextMessage {
			receive(l, raw)
		}
	}
}

// pong answers Slack's ping. A failed write is left to the reader to find, for
// there may still be envelopes to read.
func (l *link) pong(data string) error {
	l.alive()
	_ = l.conn.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(time.Second))
	return nil
}

func (l *link) ping() {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-l.done:
			return
		case <-tick.C:
			_ = l.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
		}
	}
}

// alive notes a sign of life of the other side.
func (l *link) alive() {
	l.heard()
	l.extend()
}

// extend gives the other side another 30 seconds to say anything at all.
func (l *link) extend() {
	l.deadline.Lock()
	defer l.deadline.Unlock()
	if !l.stopped {
		_ = l.conn.SetReadDeadline(time.Now().Add(readTimeout))
	}
}

// stopReading ends the reader; answers can still be written.
func (l *link) stopReading() {
	l.deadline.Lock()
	defer l.deadline.Unlock()
	l.stopped = true
	_ = l.conn.SetReadDeadline(time.Unix(1, 0))
}

// send writes one text message in one frame.
func (l *link) send(message []byte) error {
	if len(message) > ackLimit {
		return fmt.Errorf("write to Slack's socket: %d bytes are more than the %d that Slack reads", len(message), ackLimit)
	}
	l.writeMu.Lock()
	defer l.writeMu.Unlock()
	if err := l.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return fmt.Errorf("write to Slack's socket: %w", err)
	}
	if err := l.conn.WriteMessage(websocket.TextMessage, message); err != nil {
		return fmt.Errorf("write to Slack's socket: %w", err)
	}
	return nil
}

// greet notes Slack's hello, in the reader's goroutine.
func (l *link) greet() {
	if !l.greeted {
		l.greeted = true
		l.open.Add(1)
		close(l.hello)
	}
}

// wasGreeted reports whether Slack's hello has come.
func (l *link) wasGreeted() bool {
	select {
	case <-l.hello:
		return true
	default:
		return false
	}
}

func (l *link) uncount() {
	if l.greeted {
		l.open.Add(-1)
	}
}

// ended waits until Slack disconnects, the connection breaks or ctx ends.
func (l *link) ended(ctx context.Context) {
	select {
	case <-l.left:
	case <-l.done:
	case <-ctx.Done():
	}
}

// why returns the reason of Slack's disconnect, empty when there was none. A
// reason that came just before the connection broke is not missed.
func (l *link) why() string {
	select {
	case <-l.left:
		return l.reason
	default:
		return ""
	}
}

// leave notes the reason of Slack's disconnect, in the reader's goroutine; the
// first one counts.
func (l *link) leave(reason string) {
	if l.reason == "" {
		l.reason = reason
		close(l.left)
	}
}

// finish stops reading, waits until every envelope taken from this connection
// is answered or given up, then closes it.
func (l *link) finish() {
	l.stopReading()
	<-l.done
	l.inflight.Wait()
	bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	_ = l.conn.WriteControl(websocket.CloseMessage, bye, time.Now().Add(time.Second)) // a courtesy
	_ = l.conn.Close()
	l.pinger.Wait()
}
