package slackdev

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server is a running workspace. Its methods may be called from any goroutine.
type Server struct {
	opts    Options
	ws      Workspace
	check   *schema
	page    *pageTemplates
	methods map[string]method

	listener net.Listener
	http     *http.Server
	stop     context.CancelFunc // ends every wait of the server's own goroutines
	ctx      context.Context
	running  sync.WaitGroup // Serve and the pingers

	journalMu sync.Mutex

	mu         sync.Mutex // guards all below
	state      state
	serial     uint64
	lastMicros int64
	changed    chan struct{} // closed and replaced at each change
	sockets    []*socket
	tickets    map[string]bool
	pending    map[string]*delivery
	last       *envelope
	faults     map[string][]Fault
	spells     map[string]spell
	revoked    string            // why the tokens hold no longer; empty while they do
	uploads    map[string]string // by ticket, the file to come
	eventRate  eventRate
	dropAcks   int
	duplicate  int
	buckets    map[string]bucket
	triggers   map[string]trigger
	hooks      map[string]*hook
}

// New checks the options and builds a workspace that is not yet listening. The
// error names every field that is wrong.
func New(opts Options) (*Server, error) {
	opts.setDefaults()
	if err := opts.Workspace.validate(); err != nil {
		return nil, fmt.Errorf("slackdev: %w", err)
	}
	page, err := newPageTemplates()
	if err != nil {
		return nil, fmt.Errorf("slackdev: parse page: %w", err)
	}
	s := &Server{
		opts: opts, ws: opts.Workspace, check: newSchema(), page: page, methods: methods(),
		state: newState(opts.Workspace), changed: make(chan struct{}),
		tickets: map[string]bool{}, pending: map[string]*delivery{}, faults: map[string][]Fault{},
		spells: map[string]spell{}, uploads: map[string]string{},
		buckets: map[string]bucket{}, triggers: map[string]trigger{}, hooks: map[string]*hook{},
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s, nil
}

// Start listens and serves until Close.
func (s *Server) Start() error {
	if s.listener != nil {
		return errors.New("slackdev: start: already started")
	}
	if s.ctx.Err() != nil {
		return errors.New("slackdev: start: already closed; make a new one")
	}
	listener, err := new(net.ListenConfig).Listen(s.ctx, "tcp", s.opts.Listen)
	if err != nil {
		return fmt.Errorf("slackdev: listen on %s: %w", s.opts.Listen, err)
	}
	s.listener = listener
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	s.running.Go(func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.opts.Logger.Error("serve the local workspace", "error", err)
		}
	})
	return nil
}

// URL is the address of the page, "http://127.0.0.1:port"; it is empty before Start.
func (s *Server) URL() string {
	if s.listener == nil {
		return ""
	}
	return "http://" + s.listener.Addr().String()
}

// APIURL is the base of the Web API, "http://127.0.0.1:port/api/".
func (s *Server) APIURL() string { return s.URL() + "/api/" }

// Close cuts every connection and returns when all goroutines have ended.
func (s *Server) Close() error {
	s.mu.Lock()
	s.stop() // under the mutex, so that enter counts nobody afterwards
	s.mu.Unlock()
	if s.http == nil {
		return nil
	}
	err := s.http.Close()
	s.KillSockets()
	s.running.Wait()
	if err != nil {
		return fmt.Errorf("slackdev: close: %w", err)
	}
	return nil
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/{method}", s.serveAPI)
	mux.HandleFunc("GET /link/", s.serveSocket)
	mux.HandleFunc("POST /hooks/{team}/{id}", s.serveHook)
	mux.HandleFunc("POST /upload/v1/{ticket}", s.serveUpload)
	s.pageRoutes(mux)
	return mux
}

// touch wakes everyone who waits for a change. The caller holds mu.
func (s *Server) touch() {
	s.state.seq++
	close(s.changed)
	s.changed = make(chan struct{})
}
