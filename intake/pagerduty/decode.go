package pagerduty

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// The types of event that dw acts on, and the sender's test.
const (
	TypeAcknowledged = "incident.acknowledged"
	TypeResolved     = "incident.resolved"
	TypeAnnotated    = "incident.annotated"
	TypePing         = "pagey.ping"
)

// Person is who did something there. It may be a service or an integration, dw's
// own among them: Type says so.
type Person struct {
	ID   string
	Name string
	Type string // "user_reference" for a person
}

// IsUser reports whether it is a person with an account.
func (p Person) IsUser() bool { return p.Type == "user_reference" }

// Page is the incident that an event is about.
type Page struct {
	DedupKey string // that the page was sent with; empty where the incident groups several alerts
	Incident string // PagerDuty's id
	URL      string // of the incident's page; empty where the event names none
}

// Event is one event. The fields of types that dw does not know are empty.
type Event struct {
	ID   string
	Type string
	At   time.Time // when it happened, UTC
	By   Person    // zero where nobody did it
	Page Page
	Note string // of TypeAnnotated
}

// envelope is the outer form of every event.
type envelope struct {
	Event struct {
		ID    string          `json:"id"`
		Type  string          `json:"event_type"`
		At    time.Time       `json:"occurred_at"`
		Agent *agent          `json:"agent"`
		Data  json.RawMessage `json:"data"`
	} `json:"event"`
}

type agent struct {
	ID      string `json:"id"`
	Summary string `json:"summary"`
	Type    string `json:"type"`
}

// data is what the events of incidents carry: the incident, or a note with a
// reference to it.
type data struct {
	ID       string `json:"id"`
	URL      string `json:"html_url"`
	Key      string `json:"incident_key"`
	Content  string `json:"content"`
	Incident *struct {
		ID  string `json:"id"`
		URL string `json:"html_url"`
	} `json:"incident"`
}

// maxName bounds ids, keys and names, in bytes.
const maxName = 1024

// Decode reads one event. Unknown keys and unknown types of event are taken as
// they come; an event without id, type or time is an error, and so is one of a
// known type that names no incident.
func Decode(body []byte) (Event, error) {
	var in envelope
	if err := json.Unmarshal(body, &in); err != nil {
		return Event{}, fmt.Errorf("the body is not a v3 webhook: %w", err)
	}
	e := Event{ID: in.Event.ID, Type: in.Event.Type, At: in.Event.At.UTC()}
	if a := in.Event.Agent; a != nil {
		e.By = Person{ID: a.ID, Name: a.Summary, Type: a.Type}
	}
	if e.Type == TypeAcknowledged || e.Type == TypeResolved || e.Type == TypeAnnotated {
		if err := e.subject(in.Event.Data); err != nil {
			return Event{}, err
		}
	}
	if err := e.check(); err != nil {
		return Event{}, err
	}
	return e, nil
}

func (e *Event) subject(raw json.RawMessage) error {
	var d data
	if err := json.Unmarshal(raw, &d); err != nil {
		return fmt.Errorf("the data of %s cannot be read: %w", e.Type, err)
	}
	e.Page = Page{DedupKey: d.Key, Incident: d.ID, URL: d.URL}
	if e.Type == TypeAnnotated {
		e.Page, e.Note = Page{}, d.Content
		if d.Incident != nil {
			e.Page = Page{Incident: d.Incident.ID, URL: d.Incident.URL}
		}
	}
	if e.Page.Incident == "" {
		return fmt.Errorf("%s names no incident", e.Type)
	}
	return nil
}

// check refuses what is not whole, and text that would break what it is put in.
func (e *Event) check() error {
	switch {
	case e.ID == "":
		return errors.New("event.id is missing")
	case e.Type == "":
		return errors.New("event.event_type is missing")
	case e.At.IsZero():
		return errors.New("event.occurred_at is missing")
	}
	for _, s := range []string{e.ID, e.Type, e.By.ID, e.By.Name, e.By.Type, e.Page.DedupKey, e.Page.Incident, e.Page.URL} {
		if len(s) > maxName || strings.ContainsFunc(s, unicode.IsControl) {
			return fmt.Errorf("an id or name has more than %d bytes or holds control characters", maxName)
		}
	}
	return nil
}
