// Package pagerduty is a stand-in of PagerDuty's REST API v2, its Events API v2
// and its v3 webhooks for the demo and for tests. It refuses what the real one
// refuses and keeps its one idempotency: a note that is sent twice is there
// twice, an alert of one key once.
package pagerduty

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// User is a person of the account.
type User struct {
	ID    string
	Name  string
	Email string
}

// Service receives events under its routing key.
type Service struct {
	ID         string
	Name       string
	RoutingKey string
	Policy     string // id of its escalation policy
	Status     string // empty: active
}

// Policy is an escalation policy. Each level is a schedule.
type Policy struct {
	ID        string
	Name      string
	Schedules []string // ids, from level 1
}

// Schedule says who is on call.
type Schedule struct {
	ID    string
	Name  string
	User  string    // id; empty: nobody
	Until time.Time // zero: always
}

// Options say what the account holds. Now and NewID are needed.
type Options struct {
	APIKey    string // asked for where set
	Users     []User
	Services  []Service
	Policies  []Policy
	Schedules []Schedule
	Hooks     []Hook
	Client    *http.Client // sends webhooks; nil is one with ten seconds
	Site      string       // where people reach the Server; empty: addresses of incidents' pages lead nowhere
	Now       func() time.Time
	NewID     func() string // letters and digits
}

// Server is the stand-in. It is an http.Handler for both APIs.
type Server struct {
	opts Options
	mux  *http.ServeMux
	ctx  context.Context
	stop context.CancelFunc

	mu        sync.Mutex
	incidents []*Incident
	faults    []Fault
	forbidden map[string]bool // operations that the key has no right to
	calls     map[string]int
	queue     []delivery
	sent      []delivery
}

// New builds a stand-in; a missing option is an error. Close ends answers that
// hang.
func New(o Options) (*Server, error) {
	if o.Now == nil || o.NewID == nil {
		return nil, errors.New("pagerduty stand-in: Now and NewID are needed")
	}
	if o.Client == nil {
		o.Client = &http.Client{Timeout: 10 * time.Second}
	}
	o.Schedules, o.Hooks = slices.Clone(o.Schedules), slices.Clone(o.Hooks) // they change
	s := &Server{opts: o, mux: http.NewServeMux(), calls: map[string]int{}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.routes()
	return s, nil
}

// Close ends answers that hang.
func (s *Server) Close() { s.stop() }

// ServeHTTP answers a call.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// operation answers one call while the state is locked.
type operation func(r *http.Request, body []byte) reply

// reply is a status and what is encoded as its body.
type reply struct {
	status int
	body   any
}

func (s *Server) routes() {
	for pattern, op := range map[string]struct {
		name string
		do   operation
	}{
		"GET /abilities":                {"listAbilities", s.listAbilities},
		"GET /incidents":                {"listIncidents", s.listIncidents},
		"PUT /incidents":                {"updateIncidents", s.updateIncidents},
		"GET /incidents/{id}":           {"getIncident", s.getIncident},
		"GET /incidents/{id}/alerts":    {"listIncidentAlerts", s.listAlerts},
		"GET /incidents/{id}/notes":     {"listIncidentNotes", s.listNotes},
		"POST /incidents/{id}/notes":    {"createIncidentNote", s.createNote},
		"GET /oncalls":                  {"listOnCalls", s.listOnCalls},
		"GET /services":                 {"listServices", s.listServices},
		"GET /users":                    {"listUsers", s.listUsers},
		"GET /users/{id}":               {"getUser", s.getUser},
		"GET /schedules/{id}/users":     {"listScheduleUsers", s.listScheduleUsers},
		"GET /escalation_policies/{id}": {"getEscalationPolicy", s.getPolicy},
	} {
		s.mux.HandleFunc(pattern, s.serve(op.name, s.allowed, op.do))
	}
	s.mux.HandleFunc("GET "+sitePath+"{id}", s.showIncident)
	s.mux.HandleFunc("POST /v2/enqueue", s.serve("createV2Event", nil, s.enqueue))
	s.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { write(w, notFound()) })
}

// maxBody bounds a request.
const maxBody = 512 << 10

// serve wraps an operation with its count, its fault and what all have in common.
func (s *Server) serve(name string, guard func(*http.Request) (reply, bool), do operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
		if err != nil {
			return // the caller has gone
		}
		s.mu.Lock()
		s.calls[name]++
		fault, faulty := s.takeFault(name)
		forbidden := s.forbidden[name]
		s.mu.Unlock()
		if forbidden {
			write(w, reply{http.StatusForbidden, refusal(2010, "Access Denied")})
			return
		}
		if faulty && fault.before(w) {
			return
		}
		res := reply{http.StatusRequestEntityTooLarge, refusal(2001, "Invalid Input Provided", "The request is too large.")}
		if len(body) <= maxBody {
			res = s.locked(r, body, guard, do)
		}
		if faulty && s.after(w, r, fault) {
			return
		}
		write(w, res)
	}
}

func (s *Server) locked(r *http.Request, body []byte, guard func(*http.Request) (reply, bool), do operation) reply {
	if guard != nil {
		if res, ok := guard(r); !ok {
			return res
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return do(r, body)
}

// allowed checks the key and the version that the caller accepts.
func (s *Server) allowed(r *http.Request) (reply, bool) {
	if s.opts.APIKey != "" && r.Header.Get("Authorization") != "Token token="+s.opts.APIKey {
		return reply{http.StatusUnauthorized, refusal(2006, "Unauthorized")}, false
	}
	switch accept := r.Header.Get("Accept"); {
	case accept == "", strings.Contains(accept, "*/*"), strings.Contains(accept, "application/json"),
		strings.Contains(accept, "application/vnd.pagerduty+json;version=2"):
		return reply{}, true
	}
	return reply{http.StatusNotAcceptable, refusal(2001, "Not Acceptable", "Accept application/vnd.pagerduty+json;version=2.")}, false
}

// Calls returns how often each operation was called, by the name that the
// vendor's description gives it.
func (s *Server) Calls() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]int, len(s.calls))
	maps.Copy(out, s.calls)
	return out
}

// object is a JSON object.
type object = map[string]any

// refusal is the vendor's error object.
func refusal(code int, message string, details ...string) object {
	e := object{"code": code, "message": message}
	if len(details) > 0 {
		e["errors"] = details
	}
	return object{"error": e}
}

func notFound() reply { return reply{http.StatusNotFound, refusal(2100, "Not Found")} }

func invalid(details ...string) reply {
	return reply{http.StatusBadRequest, refusal(2001, "Invalid Input Provided", details...)}
}

func write(w http.ResponseWriter, res reply) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(res.status)
	// The client may have gone; there is nobody else to tell.
	_ = json.NewEncoder(w).Encode(res.body)
}
