package pagerduty

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// The states of an incident.
const (
	Triggered    = "triggered"
	Acknowledged = "acknowledged"
	Resolved     = "resolved"
)

// Incident is an incident with its one alert.
type Incident struct {
	ID       string
	Number   int
	Key      string // dedup key of its alert
	Title    string
	Source   string
	Severity string
	Details  map[string]any // custom_details of the event
	At       time.Time      // timestamp of the event, zero without one
	Links    []string       // addresses
	Service  Service
	Status   string
	Level    int      // of the escalation policy, from 1
	Assigned []string // ids of users
	Created  time.Time
	Notes    []Note
	Log      []Entry
}

// Note is a note of an incident.
type Note struct {
	ID      string
	User    User
	Content string
	At      time.Time
}

// Entry says what happened to an incident.
type Entry struct {
	What string // trigger, acknowledge, resolve, escalate, annotate
	Who  string // e-mail address, or the name of the service for events
	At   time.Time
}

// Incidents returns a copy of all incidents, oldest first.
func (s *Server) Incidents() []Incident {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Incident, len(s.incidents))
	for i, in := range s.incidents {
		out[i] = in.copied()
	}
	return out
}

// Incident returns the latest incident of a dedup key.
func (s *Server) Incident(key string) (Incident, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, in := range slices.Backward(s.incidents) {
		if in.Key == key {
			return in.copied(), true
		}
	}
	return Incident{}, false
}

func (in *Incident) copied() Incident {
	out := *in
	out.Links, out.Assigned = slices.Clone(in.Links), slices.Clone(in.Assigned)
	out.Notes, out.Log = slices.Clone(in.Notes), slices.Clone(in.Log)
	return out
}

// Acknowledge acknowledges an incident, as a person does in the vendor's page.
func (s *Server) Acknowledge(incident, user string) error {
	return s.act(incident, user, func(in *Incident, u User) { s.set(in, Acknowledged, u.Email, userAgent(u)) })
}

// Resolve resolves an incident, as a person does in the vendor's page.
func (s *Server) Resolve(incident, user string) error {
	return s.act(incident, user, func(in *Incident, u User) { s.set(in, Resolved, u.Email, userAgent(u)) })
}

// Annotate adds a note to an incident, as a person does in the vendor's page.
func (s *Server) Annotate(incident, user, text string) error {
	return s.act(incident, user, func(in *Incident, u User) { s.annotate(in, u, text) })
}

func (s *Server) act(incident, user string, do func(*Incident, User)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	in, u := s.byID(incident), s.user(user)
	if in == nil || u.ID == "" {
		return fmt.Errorf("pagerduty stand-in: incident %q or user %q does not exist", incident, user)
	}
	if in.Status == Resolved {
		return errors.New("pagerduty stand-in: incident " + incident + " is resolved already")
	}
	do(in, u)
	return nil
}

// set changes the state of an incident. One that is in the state already stays
// as it is. The lock is held.
func (s *Server) set(in *Incident, status, who string, agent object) {
	if in.Status == status {
		return
	}
	in.Status = status
	what := map[string]string{Acknowledged: "acknowledge", Resolved: "resolve", Triggered: "trigger"}[status]
	in.Log = append(in.Log, Entry{What: what, Who: who, At: s.opts.Now()})
	if status == Resolved {
		in.Assigned = nil
	}
	s.announce("incident."+status, agent, s.hookIncident(in))
}

// annotate adds a note. The lock is held.
func (s *Server) annotate(in *Incident, u User, text string) Note {
	n := Note{ID: s.opts.NewID(), User: u, Content: text, At: s.opts.Now()}
	in.Notes = append(in.Notes, n)
	in.Log = append(in.Log, Entry{What: "annotate", Who: u.Email, At: n.At})
	s.announce("incident.annotated", userAgent(u), object{
		"id": n.ID, "type": "incident_note", "content": text, "trimmed": false, "incident": s.refer(in),
	})
	return n
}

// byID returns an incident or nil. The lock is held.
func (s *Server) byID(id string) *Incident {
	for _, in := range s.incidents {
		if in.ID == id {
			return in
		}
	}
	return nil
}

func (s *Server) user(id string) User {
	for _, u := range s.opts.Users {
		if u.ID == id {
			return u
		}
	}
	return User{}
}

func (s *Server) policy(id string) (Policy, bool) {
	i := slices.IndexFunc(s.opts.Policies, func(p Policy) bool { return p.ID == id })
	if i < 0 {
		return Policy{}, false
	}
	return s.opts.Policies[i], true
}

func (s *Server) schedule(id string) (Schedule, bool) {
	i := slices.IndexFunc(s.opts.Schedules, func(x Schedule) bool { return x.ID == id })
	if i < 0 {
		return Schedule{}, false
	}
	return s.opts.Schedules[i], true
}

// assign gives an incident to those of a level. It reports false for a level
// that the policy does not have. The lock is held.
func (s *Server) assign(in *Incident, level int) bool {
	p, ok := s.policy(in.Service.Policy)
	if !ok || level < 1 || level > len(p.Schedules) {
		return false
	}
	in.Level, in.Assigned = level, nil
	if x, ok := s.schedule(p.Schedules[level-1]); ok && x.User != "" {
		in.Assigned = []string{x.User}
	}
	return true
}
