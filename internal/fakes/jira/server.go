// Package jira is a stand-in of Jira Cloud (REST v3 and the service desk API) and of
// Data Center (REST v2) for the demo and for tests. It refuses what the real one
// refuses, its search lags behind like the real one's, and nothing but remote links
// is idempotent: an issue that is created twice is there twice.
package jira

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// Options say what the stand-in holds.
type Options struct {
	Cloud     bool   // REST v3 with ADF, search/jql, and a service desk; else REST v2
	Email     string // with Token asked for as basic; empty asks for a bearer
	Token     string
	Projects  []Project
	Desks     []Desk
	Moves     []Move // empty is a workflow of To Do, In Progress, Done
	SearchLag int    // searches that do not know a new issue yet
	Now       func() time.Time
}

// Server is the stand-in. It is an http.Handler.
type Server struct {
	opts   Options
	routes []route
	ctx    context.Context
	stop   context.CancelFunc

	mu     sync.Mutex
	issues []*Issue
	ids    int
	calls  map[string]int
	faults []Fault
}

// New builds a stand-in; a missing option is an error. Close ends answers that hang.
func New(o Options) (*Server, error) {
	if o.Now == nil || o.Token == "" || len(o.Projects) == 0 {
		return nil, errors.New("jira stand-in: Now, Token and a project are needed")
	}
	if len(o.Moves) == 0 {
		o.Moves = defaultMoves()
	}
	s := &Server{opts: o, ids: 10000, calls: map[string]int{}}
	s.routes = s.table()
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s, nil
}

// Close ends answers that hang.
func (s *Server) Close() { s.stop() }

// Calls returns how often a call was made, whether it was refused or not. The name
// is that of the route: "createIssue".
func (s *Server) Calls(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[name]
}

// maxBody bounds a request.
const maxBody = 10 << 20

// request is a call as its handler sees it.
type request struct {
	vars  map[string]string
	query func(string) string
	body  []byte
	base  string // http://host, for self links
}

// reply is an answer; a nil body is none.
type reply struct {
	status int
	body   any
}

// ServeHTTP answers one call.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	route, vars, ok := s.route(r)
	if !ok {
		write(w, refuse(http.StatusNotFound, "null for uri: "+r.URL.Path))
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		write(w, refuse(http.StatusRequestEntityTooLarge, "The request is too large."))
		return
	}
	if !s.authorized(r) {
		s.count(route.name)
		write(w, refuse(http.StatusUnauthorized, "Client must be authenticated to access this resource."))
		return
	}
	q := request{vars: vars, query: r.URL.Query().Get, body: body, base: "http://" + r.Host}
	s.carryOut(w, r, route, q)
}

func (s *Server) authorized(r *http.Request) bool {
	want := "Bearer " + s.opts.Token
	if s.opts.Email != "" {
		want = "Basic " + base64.StdEncoding.EncodeToString([]byte(s.opts.Email+":"+s.opts.Token))
	}
	return r.Header.Get("Authorization") == want
}

func (s *Server) count(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[name]++
}

// run carries a call out under the lock.
func (s *Server) run(rt route, q request) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	return rt.serve(q)
}

// refuse is the error form of the platform.
func refuse(status int, messages ...string) reply {
	return reply{status, map[string]any{"errorMessages": messages, "errors": map[string]string{}}}
}

// refuseFields is the error form of the platform for fields.
func refuseFields(fields map[string]string) reply {
	return reply{http.StatusBadRequest, map[string]any{"errorMessages": []string{}, "errors": fields}}
}

// refuseDesk is the error form of the service desk.
func refuseDesk(status int, message string) reply {
	return reply{status, map[string]any{"errorMessage": message, "i18nErrorMessage": map[string]any{"i18nKey": "sd.error", "parameters": []string{}}}}
}

func write(w http.ResponseWriter, a reply) {
	if a.body == nil {
		w.WriteHeader(a.status)
		return
	}
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	w.WriteHeader(a.status)
	// The client may have gone; there is nobody else to tell.
	_ = json.NewEncoder(w).Encode(a.body)
}
