package workflows

import (
	"context"
	"slices"
	"strings"
	"time"
)

// The kinds of effect on a pager and on a tracker; each carries an ErrandRef.
const (
	EffectPageTrigger     = "page.trigger"
	EffectPageNote        = "page.note"
	EffectPageAcknowledge = "page.acknowledge"
	EffectPageResolve     = "page.resolve"
	EffectPageEscalate    = "page.escalate"
	EffectTicketOpen      = "ticket.open"
	EffectTicketComment   = "ticket.comment"
	EffectTicketLink      = "ticket.link"
	EffectTicketTitle     = "ticket.title"
	EffectTicketResolve   = "ticket.resolve"
)

// ErrandRef names one errand of an incident.
type ErrandRef struct {
	Incident string `json:"incident"`
	Errand   string `json:"errand"`
}

// ErrandState is where an errand stands.
type ErrandState string

// The states of an errand. Done is final; failed and asked may be begun again
// by a person.
const (
	ErrandQueued  ErrandState = "queued"
	ErrandCalled  ErrandState = "called"  // the intent is recorded, the outcome is not
	ErrandUnclear ErrandState = "unclear" // the call may or may not have had its effect
	ErrandLater   ErrandState = "later"   // nothing was done, it is tried again
	ErrandDone    ErrandState = "done"
	ErrandFailed  ErrandState = "failed" // nothing was done
	ErrandAsked   ErrandState = "asked"  // unclear, and a person was asked to look
)

// Errand is one call to the pager or the tracker for an incident. Kind and Stage
// name it: what was begun once is never begun again by dw itself.
type Errand struct {
	Kind    string      `json:"kind"`
	Stage   string      `json:"stage,omitempty"` // what it tells of, "cause-late_load"
	State   ErrandState `json:"state"`
	At      time.Time   `json:"at"` // when it was decided
	Attempt int         `json:"attempt,omitempty"`
	Looked  int         `json:"looked,omitempty"` // for an earlier call's effect
	Ref     string      `json:"ref,omitempty"`    // id that the answer named
	Problem string      `json:"problem,omitempty"`
	Barred  bool        `json:"barred,omitempty"`  // failed because the system refuses dw's key
	By      Person      `json:"by"`                // who asked for it, zero where dw did
	As      Person      `json:"as"`                // in whose name it is done, zero: the owner's
	Project string      `json:"project,omitempty"` // of a ticket
	Cause   string      `json:"cause,omitempty"`   // id of the cause named when it was decided
}

// Key names the errand among those of its incident.
func (e Errand) Key() string {
	if e.Stage == "" {
		return e.Kind
	}
	return e.Kind + "/" + e.Stage
}

// onPage reports whether it is the pager's.
func (e Errand) onPage() bool { return strings.HasPrefix(e.Kind, "page.") }

// repeatable reports whether the same call twice has one effect, because the
// system knows it by a key.
func (e Errand) repeatable() bool {
	switch e.Kind {
	case EffectPageTrigger, EffectPageAcknowledge, EffectPageResolve, EffectTicketLink, EffectTicketTitle, EffectTicketResolve:
		return true
	}
	return false
}

// Reference is a page or a ticket in its system, or a part of one, as the
// system's answer named it.
type Reference struct {
	ID    string `json:"id"`
	URL   string `json:"url,omitempty"`
	State string `json:"state,omitempty"` // the vendor's word
	By    string `json:"by,omitempty"`    // who brought it into this state there
}

// The states of a page that dw acts upon.
const (
	PageAcknowledged = "acknowledged"
	PageResolved     = "resolved"
)

// OrderLine is one fact with its label.
type OrderLine struct{ Label, Text string }

// OrderLink is a page that people open.
type OrderLink struct{ Text, URL string }

// Order is what a courier is to carry: an errand with all that its text needs.
type Order struct {
	Kind      string
	Incident  string
	Mark      string // ends the text, to find it by
	Service   string // of the pager
	Project   string // of the tracker
	IssueType string // of the tracker
	Request   string // type of a service request, in place of IssueType
	Fields    map[string]string
	MoveTo    string   // what a ticket is moved by or to when it is resolved
	On        string   // id of the page or ticket, empty for a new one
	As        []Person // in whose name: the first that the system knows
	Severity  string   // "critical", "error", "warning" or "info"
	Source    string   // the asset that is wrong
	Since     time.Time
	Title     string
	Lines     []OrderLine
	Links     []OrderLink
}

// Courier carries errands to one system. Carry makes the call and reads back
// what its answer named. An error is an *UnclearError where the effect may have
// happened, a *LaterError where nothing was done and it may be tried again, and
// else a refusal: nothing was done and trying again would not help.
type Courier interface {
	// Name is the system's, as people write it.
	Name() string
	Carry(ctx context.Context, o Order) (Reference, error)
	// Find looks for what an earlier call of the same order made.
	Find(ctx context.Context, o Order) (Reference, bool, error)
}

// BarredError says that the system refuses dw's key, so that nothing was done and
// nothing else will be until a person changes it.
type BarredError struct{ Err error }

// Error returns the cause.
func (e *BarredError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *BarredError) Unwrap() error { return e.Err }

// LaterError says that nothing was done and the call may be made again at At;
// a zero At leaves the time to dw.
type LaterError struct {
	At  time.Time
	Err error
}

// Error returns the cause.
func (e *LaterError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *LaterError) Unwrap() error { return e.Err }

// Errand returns the errand of a key.
func (i Incident) Errand(key string) (Errand, bool) {
	n := slices.IndexFunc(i.Errands, func(e Errand) bool { return e.Key() == key })
	if n < 0 {
		return Errand{}, false
	}
	return i.Errands[n], true
}

// begun returns the incident's one errand of a kind, whatever its stage.
func (i Incident) begun(kind string) (Errand, bool) {
	n := slices.IndexFunc(i.Errands, func(e Errand) bool { return e.Kind == kind })
	if n < 0 {
		return Errand{}, false
	}
	return i.Errands[n], true
}

// withErrand returns i with e in the place of the errand of its key, or added.
func (i Incident) withErrand(e Errand) Incident {
	i = i.clone()
	n := slices.IndexFunc(i.Errands, func(o Errand) bool { return o.Key() == e.Key() })
	if n < 0 {
		i.Errands = append(i.Errands, e)
	} else {
		i.Errands[n] = e
	}
	return i
}

// ready reports whether what the errand is done upon exists.
func (i Incident) ready(e Errand) bool {
	switch e.Kind {
	case EffectPageTrigger, EffectTicketOpen:
		return true
	case EffectTicketLink:
		return i.Ticket.ID != "" && i.Card.TS != ""
	case EffectTicketComment, EffectTicketTitle, EffectTicketResolve:
		return i.Ticket.ID != ""
	}
	return i.Page.ID != ""
}
