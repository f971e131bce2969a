package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

const testToken = "xapp-1-secret"

// rig is a Slack of the bare protocol: apps.connections.open and a websocket
// whose every frame the test writes itself. It listens on memory, so that a test
// can run in virtual time, or on TCP.
type rig struct {
	t     testing.TB
	base  string
	http  *http.Client
	peers chan *peer

	opened  atomic.Int32
	refuse  func(n int32) (status int, body string) // answer of the nth open, when body is set
	noHello bool
	tamper  func(net.Conn) net.Conn

	loops sync.WaitGroup
}

// peer is the server's side of one connection.
type peer struct {
	conn   *websocket.Conn
	acks   chan string // every text message from dw
	closed chan struct{}
	pings  atomic.Int32
	deaf   atomic.Bool // answers no ping
}

// memory is a listener whose connections are pipes.
type memory struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}
func (m *memory) Close() error   { m.once.Do(func() { close(m.done) }); return nil }
func (m *memory) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

func (m *memory) dial(context.Context, string, string) (net.Conn, error) {
	client, end := net.Pipe()
	server := newBuffered(end)
	select {
	case m.conns <- server:
		return client, nil
	case <-m.done:
		_ = server.Close()
		return nil, net.ErrClosed
	}
}

// buffered is the server's end of a pipe whose writes do not wait for the reader,
// as those of a socket do not. What was written before Close still arrives.
type buffered struct {
	net.Conn
	out  chan []byte
	shut sync.Once
	done chan struct{}
}

func newBuffered(c net.Conn) *buffered {
	b := &buffered{Conn: c, out: make(chan []byte, 4096), done: make(chan struct{})}
	go b.pump()
	return b
}

func (b *buffered) Write(p []byte) (int, error) {
	select {
	case <-b.done:
		return 0, net.ErrClosed
	case b.out <- append([]byte(nil), p...):
		return len(p), nil
	}
}

func (b *buffered) SetWriteDeadline(time.Time) error { return nil }
func (b *buffered) SetDeadline(t time.Time) error    { return b.SetReadDeadline(t) }
func (b *buffered) Close() error                     { b.shut.Do(func() { close(b.done) }); return nil }

func (b *buffered) pump() {
	defer b.Conn.Close()
	for {
		select {
		case p := <-b.out:
			if _, err := b.Conn.Write(p); err != nil {
				return
			}
			continue
		default:
		}
		select {
		case p := <-b.out:
			if _, err := b.Conn.Write(p); err != nil {
				return
			}
		case <-b.done:
			if len(b.out) == 0 {
				return
			}
		}
	}
}

// newRig returns a rig in memory.
func newRig(t testing.TB) *rig {
	m := &memory{conns: make(chan net.Conn), done: make(chan struct{})}
	client := &http.Client{Transport: &http.Transport{DialContext: m.dial}}
	r := &rig{t: t, base: "http://slack.test/api/", http: client}
	r.serve(m)
	return r
}

// newTCPRig returns a rig on a real port; tamper, when set, wraps each connection.
func newTCPRig(t testing.TB, tamper func(net.Conn) net.Conn) *rig {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, base: "http://" + l.Addr().String() + "/api/", http: NewHTTPClient(), tamper: tamper}
	r.serve(l)
	return r
}

func (r *rig) serve(l net.Listener) {
	server := &http.Server{Handler: r.routes()}
	r.loops.Go(func() { _ = server.Serve(tampered{l, r}) })
	r.t.Cleanup(func() {
		_ = server.Close()
		r.loops.Wait()
		r.http.CloseIdleConnections()
	})
}

func (r *rig) routes() http.Handler {
	r.peers = make(chan *peer, 64)
	mux := http.NewServeMux()
	mux.HandleFunc("/api/apps.connections.open", r.serveOpen)
	mux.HandleFunc("/ws", r.serveSocket)
	return mux
}

type tampered struct {
	net.Listener
	rig *rig
}

func (l tampered) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil && l.rig.tamper != nil {
		c = l.rig.tamper(c)
	}
	return c, err
}

func (r *rig) serveOpen(w http.ResponseWriter, req *http.Request) {
	n := r.opened.Add(1)
	if req.Header.Get("Authorization") != "Bearer "+testToken || req.FormValue("token") != "" {
		fmt.Fprint(w, `{"ok":false,"error":"invalid_auth"}`)
		return
	}
	if r.refuse != nil {
		if status, body := r.refuse(n); body != "" {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return
		}
	}
	scheme := "ws"
	if req.TLS != nil {
		scheme = "wss"
	}
	fmt.Fprintf(w, `{"ok":true,"url":"%s://%s/ws?ticket=%d"}`, scheme, req.Host, n)
}

func (r *rig) serveSocket(w http.ResponseWriter, req *http.Request) {
	conn, err := (&websocket.Upgrader{}).Upgrade(w, req, nil)
	if err != nil {
		r.t.Errorf("upgrade: %v", err)
		return
	}
	p := &peer{conn: conn, acks: make(chan string, 2048), closed: make(chan struct{})}
	conn.SetPingHandler(func(data string) error {
		p.pings.Add(1)
		if p.deaf.Load() {
			return nil
		}
		return conn.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(time.Second))
	})
	if !r.noHello {
		p.write(`{"type":"hello","num_connections":1}`)
	}
	r.peers <- p
	defer close(p.closed)
	defer conn.Close()
	for {
		_, raw, err := conn.ReadMessage()
		if err != nil {
			return
		}
		p.acks <- string(raw)
	}
}

func (p *peer) write(frame string) { _ = p.conn.WriteMessage(websocket.TextMessage, []byte(frame)) }

// click sends a block_actions envelope.
func (p *peer) click(envelope string) {
	p.write(`{"type":"interactive","envelope_id":"` + envelope + `","accepts_response_payload":true,` +
		`"payload":{"type":"block_actions","user":{"id":"U1","team_id":"T1"},"actions":[{"action_id":"approve","value":"v"}]}}`)
}

// next returns the next message from dw, also one that came before the end.
func (p *peer) next() (string, bool) {
	select {
	case raw := <-p.acks:
		return raw, true
	case <-p.closed:
	}
	select {
	case raw := <-p.acks:
		return raw, true
	default:
		return "", false
	}
}

// acked waits for the next acknowledgement and checks its envelope.
func (p *peer) acked(t testing.TB, envelope string) ack {
	t.Helper()
	var a ack
	raw, ok := p.next()
	if !ok {
		t.Fatalf("connection closed, want ack of %s", envelope)
	}
	if err := json.Unmarshal([]byte(raw), &a); err != nil {
		t.Fatalf("ack %q: %v", raw, err)
	}
	if a.EnvelopeID != envelope {
		t.Fatalf("acked %q, want %q", a.EnvelopeID, envelope)
	}
	return a
}

// handlerFunc is a Handler.
type handlerFunc func(ctx context.Context, e Event) (any, error)

func (f handlerFunc) Handle(ctx context.Context, e Event) (any, error) { return f(ctx, e) }

// running is a Socket in its Run.
type running struct {
	*Socket
	stop context.CancelFunc
	end  chan error
}

// start runs a Socket against the rig until the test ends.
func (r *rig) start(h handlerFunc, change ...func(*SocketOptions)) *running {
	r.t.Helper()
	o := SocketOptions{
		APIURL: r.base, HTTP: r.http, Handler: h, Log: discard(),
		Now: time.Now, Rand: func() float64 { return 0 },
	}
	for _, c := range change {
		c(&o)
	}
	s, err := NewSocket(testToken, o)
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	run := &running{Socket: s, stop: cancel, end: make(chan error, 1)}
	done := make(chan struct{})
	go func() { defer close(done); run.end <- s.Run(ctx) }()
	r.t.Cleanup(func() { cancel(); <-done })
	return run
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
