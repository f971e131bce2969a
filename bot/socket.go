package bot

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// Defaults of [SocketOptions].
const (
	defaultWorkers       = 16
	defaultHandleTimeout = 2800 * time.Millisecond
	queueLength          = 256
)

// SocketOptions says how a [Socket] works. Handler, Log, Now and Rand are needed.
type SocketOptions struct {
	// APIURL is the base of the Web API; empty means Slack itself.
	APIURL string
	// HTTP makes the calls and gives the websocket its network; nil means
	// [NewHTTPClient].
	HTTP *http.Client
	// Handler is called for each event.
	Handler Handler
	// Log receives what no caller is there to be told.
	Log *slog.Logger
	// Now stamps events on arrival, and what [Socket.Status] tells.
	Now func() time.Time
	// Rand returns numbers in [0, 1) that spread reconnects. It is called from
	// one goroutine for each connection and must bear that.
	Rand func() float64
	// Connections is how many sockets are held at once; 0 means 1, Slack allows 10.
	Connections int
	// Workers is how many events are handled at once; 0 means 16.
	Workers int
	// HandleTimeout bounds one call of Handler, counted from the arrival; 0 means
	// 2.8 seconds, for Slack waits 3.
	HandleTimeout time.Duration
}

// Socket receives events over Socket Mode.
type Socket struct {
	api     webAPI
	options SocketOptions
	dialer  *websocket.Dialer
	log     *slog.Logger
	seen    *seen
	queue   chan job
	open    atomic.Int32
	status  ledger
	running atomic.Bool
	wait    func(context.Context, time.Duration) error
}

// NewSocket returns a Socket that connects with the app-level token (xapp-…)
// when Run is called. It returns an error when an option is missing.
func NewSocket(appToken string, o SocketOptions) (*Socket, error) {
	if appToken == "" {
		return nil, errors.New("new socket: the app-level token is empty")
	}
	if o.Handler == nil || o.Log == nil || o.Now == nil || o.Rand == nil {
		return nil, errors.New("new socket: Handler, Log, Now and Rand must be set")
	}
	if o.HTTP == nil {
		o.HTTP = NewHTTPClient()
	}
	o.Connections = orDefault(o.Connections, 1)
	o.Workers = orDefault(o.Workers, defaultWorkers)
	if o.HandleTimeout <= 0 {
		o.HandleTimeout = defaultHandleTimeout
	}
	return &Socket{
		api:     webAPI{base: apiURL(o.APIURL), token: newSecret(appToken), http: o.HTTP},
		options: o, dialer: newDialer(o.HTTP), log: o.Log, seen: newSeen(seenLimit),
		queue: make(chan job, queueLength), wait: waitFor,
	}, nil
}

func orDefault(n, fallback int) int {
	if n <= 0 {
		return fallback
	}
	return n
}

// Connected tells whether at least one connection is open and greeted.
func (s *Socket) Connected() bool { return s.open.Load() > 0 }

// Run connects and handles events until ctx ends, then lets the events in hand
// be answered and returns nil. It returns a *FatalError when Slack refuses in a
// way that only a person can change. It can be called once.
func (s *Socket) Run(ctx context.Context) error {
	if !s.running.CompareAndSwap(false, true) {
		return errors.New("run socket: it was run before")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var workers sync.WaitGroup
	for range s.options.Workers {
		workers.Go(func() { s.work(ctx) })
	}
	err := s.runSlots(ctx, cancel)
	if fatal, ok := errors.AsType[*FatalError](err); ok {
		s.status.note(func(n *Status) { n.Stopped = fatal })
	}
	close(s.queue) // no slot reads any more
	workers.Wait()
	s.options.HTTP.CloseIdleConnections()
	return err
}

// runSlots runs every slot; the first that fails ends all.
func (s *Socket) runSlots(ctx context.Context, cancel context.CancelFunc) error {
	failed := make([]error, s.options.Connections)
	var slots sync.WaitGroup
	for i := range failed {
		slots.Go(func() {
			t := &slot{socket: s, back: backoff{random: s.options.Rand}}
			if failed[i] = t.run(ctx); failed[i] != nil {
				cancel()
			}
		})
	}
	slots.Wait()
	return errors.Join(failed...)
}

// waitFor waits d or until ctx ends.
func waitFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
