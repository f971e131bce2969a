package slackdev

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

const (
	maxSockets    = 10
	maxAck        = 20480 // an ack of this size or more is dropped without a word
	writeTime     = 5 * time.Second
	warningTime   = 10 * time.Second // from the "warning" to the close
	connectionAge = 18060            // seconds, as in Slack's hello
	debugAge      = 360 * time.Second
)

// socket is one Socket Mode connection.
type socket struct {
	conn     *websocket.Conn
	tap      *frameTap
	write    sync.Mutex
	life     time.Duration // until it is warned
	dead     atomic.Bool   // half-open: nothing goes out, and what comes in is lost
	done     chan struct{} // closed when the reader has ended
	draining bool          // told to go; the server's mutex guards it
}

func (s *Server) connectionsOpen(*call) (reply, *refusal) {
	ticket := s.opts.NewID()
	s.tickets[ticket] = true
	link := "ws" + strings.TrimPrefix(s.URL(), "http") + "/link/?ticket=" + ticket + "&app_id=" + s.ws.AppID
	return reply{"url": link}, nil
}

// enter counts a goroutine that Close must wait for; false when closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.running.Add(1)
	return true
}

// serveSocket trades a ticket for a connection and reads it until its end.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, "closed", http.StatusServiceUnavailable)
		return
	}
	defer s.running.Done()
	if !s.useTicket(r.URL.Query().Get("ticket")) {
		http.Error(w, "the ticket is unknown or was used; call apps.connections.open", http.StatusUnauthorized)
		return
	}
	sock := &socket{tap: &frameTap{}, done: make(chan struct{}), life: s.opts.SocketLife}
	if r.URL.Query().Get("debug_reconnects") == "true" {
		sock.life = debugAge
	}
	upgrader := websocket.Upgrader{
		ReadBufferSize: 4096, WriteBufferSize: 4096,
		// Clients send Slack's own origin; the one-time ticket is the permission.
		CheckOrigin: func(*http.Request) bool { return true },
	}
	conn, err := upgrader.Upgrade(&tapWriter{ResponseWriter: w, tap: sock.tap}, r, nil)
	if err != nil {
		s.opts.Logger.Warn("upgrade to a WebSocket", "error", err)
		return
	}
	sock.conn = conn
	conn.SetReadLimit(maxBody)
	pong := conn.PingHandler()
	conn.SetPingHandler(func(text string) error {
		if sock.dead.Load() {
			return nil
		}
		return pong(text)
	})
	defer conn.Close() //nolint:errcheck // the end of the connection
	if !s.greet(sock) {
		return
	}
	s.running.Go(func() { s.pingLoop(sock) })
	s.readLoop(sock)
	close(sock.done)
	s.forget(sock)
}

func (s *Server) useTicket(ticket string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.tickets[ticket]
	delete(s.tickets, ticket)
	return known
}

// greet registers the socket and says hello, or turns it away. Nothing can be
// written to the socket before the hello.
func (s *Server) greet(sock *socket) bool {
	sock.write.Lock()
	defer sock.write.Unlock()
	s.mu.Lock()
	full, closed := len(s.sockets) >= maxSockets, s.ctx.Err() != nil
	if !full && !closed {
		s.sockets = append(s.sockets, sock)
		s.touch()
	}
	count := len(s.sockets)
	s.mu.Unlock()
	if closed {
		return false
	}
	if full {
		s.journal("socket refused", "reason", "too_many_websockets")
		sock.send(disconnectFrame("too_many_websockets")) //nolint:errcheck // it is closed next
		sock.bye()
		return false
	}
	s.journal("hello", "connections", count)
	return sock.send(map[string]any{
		"type": "hello", "num_connections": count, "connection_info": map[string]any{"app_id": s.ws.AppID},
		"debug_info": map[string]any{
			"host": "applink-1", "build_number": 1, "approximate_connection_time": int(sock.life / time.Second),
		},
	}) == nil
}

func disconnectFrame(reason string) map[string]any {
	return map[string]any{"type": "disconnect", "reason": reason, "debug_info": map[string]any{"host": "applink-1"}}
}

// send writes one message; the caller holds write.
func (k *socket) send(v any) error {
	if k.dead.Load() {
		return nil
	}
	raw, err := marshalPlain(v)
	if err != nil {
		return err
	}
	if err := k.conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	return k.conn.WriteMessage(websocket.TextMessage, raw)
}

func (k *socket) lockedSend(v any) error {
	k.write.Lock()
	defer k.write.Unlock()
	return k.send(v)
}

func (s *Server) pingLoop(sock *socket) {
	tick := time.NewTicker(s.opts.PingEvery)
	defer tick.Stop()
	old := time.NewTimer(sock.life)
	defer old.Stop()
	for {
		select {
		case <-old.C:
			s.journal("connection is old", "connections", 1)
			s.retire(sock, "warning")
		case <-tick.C:
			if sock.dead.Load() {
				continue
			}
			deadline := time.Now().Add(writeTime)
			if sock.conn.WriteControl(websocket.PingMessage, []byte("Ping from applink-1"), deadline) != nil {
				sock.conn.Close() //nolint:errcheck // the reader ends with it
				return
			}
		case <-sock.done:
			return
		}
	}
}

func (s *Server) readLoop(sock *socket) {
	for {
		_, raw, err := sock.conn.ReadMessage()
		if err != nil {
			return
		}
		fragmented := sock.tap.pop()
		if sock.dead.Load() {
			s.journal("lost", "bytes", len(raw), "reason", "half-open")
			continue
		}
		s.receive(sock, raw, fragmented)
	}
}

func (s *Server) forget(sock *socket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sockets = slices.DeleteFunc(s.sockets, func(k *socket) bool { return k == sock })
	s.touch()
}

// receive takes what a client wrote: an acknowledgement, or nothing of use.
func (s *Server) receive(sock *socket, raw []byte, fragmented bool) {
	var a ack
	dropped := ""
	switch {
	case len(raw) >= maxAck:
		dropped = "20,480 bytes or more"
	case fragmented:
		dropped = "more than one frame"
	case json.Unmarshal(raw, &a) != nil || a.EnvelopeID == "":
		dropped = "not an acknowledgement"
	default:
		s.journal("ack", "envelope_id", a.EnvelopeID, "payload", a.Payload)
		dropped = s.takeAck(sock, a)
	}
	if dropped != "" {
		s.journal("ack dropped", "envelope_id", a.EnvelopeID, "reason", dropped, "bytes", len(raw))
	}
}

// Disconnect tells every connection to go, with a reason of Slack's: "warning"
// leaves it open for ten more seconds, any other closes it at once.
func (s *Server) Disconnect(reason string) {
	s.mu.Lock()
	sockets := slices.Clone(s.sockets)
	s.mu.Unlock()
	s.journal("disconnect", "reason", reason, "connections", len(sockets))
	for _, sock := range sockets {
		s.retire(sock, reason)
	}
}

// retire tells one connection to go.
func (s *Server) retire(sock *socket, reason string) {
	s.mu.Lock()
	sock.draining = true
	s.mu.Unlock()
	sent := sock.lockedSend(disconnectFrame(reason)) == nil
	if !sent || reason != "warning" || !s.enter() {
		sock.bye()
		return
	}
	go func() {
		defer s.running.Done()
		sock.closeAfter(warningTime)
	}()
}

func (k *socket) closeAfter(wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		k.bye()
	case <-k.done:
	}
}

// bye closes a connection in order: with a close frame, so that a client does not
// take the end for an error of the network.
func (k *socket) bye() {
	if !k.dead.Load() {
		gone := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
		k.conn.WriteControl(websocket.CloseMessage, gone, time.Now().Add(writeTime)) //nolint:errcheck // it is cut next
	}
	k.conn.Close() //nolint:errcheck // the reader ends with it
}

// KillSockets cuts every connection without a word.
func (s *Server) KillSockets() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sock := range s.sockets {
		sock.conn.Close() //nolint:errcheck // the reader ends with it
	}
}
