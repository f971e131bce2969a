package pagerduty

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"
	"unicode/utf8"
)

// event is a request of the Events API.
type event struct {
	RoutingKey string `json:"routing_key"`
	Action     string `json:"event_action"`
	DedupKey   string `json:"dedup_key"`
	Links      []struct {
		Href string `json:"href"`
	} `json:"links"`
	Payload *struct {
		Summary  string         `json:"summary"`
		Source   string         `json:"source"`
		Severity string         `json:"severity"`
		At       time.Time      `json:"timestamp"`
		Details  map[string]any `json:"custom_details"`
	} `json:"payload"`
}

func badEvent(details ...string) reply {
	return reply{http.StatusBadRequest, object{"status": "invalid event", "message": "Event object is invalid", "errors": details}}
}

// enqueue takes in an event: one open alert of a key, however often it comes.
func (s *Server) enqueue(_ *http.Request, body []byte) reply {
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return reply{http.StatusBadRequest, object{"status": "Unrecognized object", "message": "Event object format is unrecognized", "errors": []string{"JSON parse error"}}}
	}
	if details := e.faults(); len(details) > 0 {
		return badEvent(details...)
	}
	i := slices.IndexFunc(s.opts.Services, func(x Service) bool { return x.RoutingKey == e.RoutingKey })
	if i < 0 {
		return badEvent("Invalid routing key")
	}
	service := s.opts.Services[i]
	if e.DedupKey == "" {
		e.DedupKey = s.opts.NewID()
	}
	open := s.open(service, e.DedupKey)
	switch {
	case e.Action == "trigger" && open == nil:
		s.trigger(service, e)
	case e.Action == "acknowledge" && open != nil:
		s.set(open, Acknowledged, service.Name, serviceAgent(service))
	case e.Action == "resolve" && open != nil:
		s.set(open, Resolved, service.Name, serviceAgent(service))
	}
	return reply{http.StatusAccepted, object{"status": "success", "message": "Event processed", "dedup_key": e.DedupKey}}
}

// faults says what the vendor does not accept.
func (e event) faults() []string {
	var out []string
	check := func(bad bool, text string) {
		if bad {
			out = append(out, text)
		}
	}
	check(e.RoutingKey == "", "'routing_key' is missing or blank")
	check(!slices.Contains([]string{"trigger", "acknowledge", "resolve"}, e.Action), "'event_action' is missing or invalid")
	check(e.Action != "trigger" && e.DedupKey == "", "'dedup_key' is missing or blank")
	check(len(e.DedupKey) > 255, "'dedup_key' is longer than 255 characters")
	if e.Action == "trigger" {
		p := e.Payload
		check(p == nil, "'payload' is missing or blank")
		check(p != nil && p.Summary == "", "'payload.summary' is missing or blank")
		check(p != nil && utf8.RuneCountInString(p.Summary) > 1024, "'payload.summary' is longer than 1024 characters")
		check(p != nil && p.Source == "", "'payload.source' is missing or blank")
		check(p != nil && !slices.Contains([]string{"critical", "error", "warning", "info"}, p.Severity), "'payload.severity' is invalid (must be one of the following: 'critical', 'warning', 'error' or 'info')")
	}
	for i, l := range e.Links {
		u, err := url.Parse(l.Href)
		check(err != nil || u.Host == "", fmt.Sprintf("'links[%d].href' is not a URL", i))
	}
	return out
}

// open returns the incident of a key that is not resolved, or nil.
func (s *Server) open(service Service, key string) *Incident {
	for _, in := range s.incidents {
		if in.Service.ID == service.ID && in.Key == key && in.Status != Resolved {
			return in
		}
	}
	return nil
}

func (s *Server) trigger(service Service, e event) {
	in := &Incident{
		ID: s.opts.NewID(), Number: len(s.incidents) + 1, Key: e.DedupKey, Title: e.Payload.Summary, Source: e.Payload.Source,
		Severity: e.Payload.Severity, Service: service, Details: e.Payload.Details, At: e.Payload.At, Created: s.opts.Now(),
	}
	for _, l := range e.Links {
		in.Links = append(in.Links, l.Href)
	}
	s.assign(in, 1)
	s.incidents = append(s.incidents, in)
	s.set(in, Triggered, service.Name, serviceAgent(service))
}
