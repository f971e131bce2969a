package workflows

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dw/receipts"
)

// ErrandRequest is a person's wish for a page or a ticket.
type ErrandRequest struct {
	By       Person
	Incident string
	Project  string // of a ticket; empty: the domain's
	At       time.Time
}

// Requester takes people's requests for pages and tickets. The answer is for the
// person who asked; what came of it is said in the incident's thread.
type Requester interface {
	RequestPage(ctx context.Context, r ErrandRequest) (Answer, error)
	RequestTicket(ctx context.Context, r ErrandRequest) (Answer, error)
}

// CanPage reports whether a person may ask for the page of i.
func (p Policy) CanPage(i Incident) bool {
	return p.PageService != "" && p.Page != Never && i.Page.ID == "" && i.State != Resolved && i.open(EffectPageTrigger)
}

// CanTicket reports whether a person may ask for the ticket of i.
func (p Policy) CanTicket(i Incident) bool {
	return p.TicketProject != "" && p.Ticket != Never && i.Ticket.ID == "" && i.open(EffectTicketOpen)
}

// open reports whether an errand of a kind may be begun, or begun again.
func (i Incident) open(kind string) bool {
	e, begun := i.begun(kind)
	return !begun || e.State == ErrandFailed || e.State == ErrandAsked
}

// RequestPage queues the page of an incident.
func (s *Service) RequestPage(ctx context.Context, r ErrandRequest) (Answer, error) {
	return s.request(ctx, r, s.pager, func(i Incident, policy Policy) (Errand, string) {
		switch {
		case policy.PageService == "" || policy.Page == Never:
			return Errand{}, fmt.Sprintf("The domain %s pages nobody: set its pagerduty_service and page in dw's configuration.", i.Domain)
		case i.State == Resolved:
			return Errand{}, "Nobody is paged: this incident is resolved."
		case i.Page.ID != "":
			return Errand{}, "This incident has a page: " + i.Page.ID + " " + i.Page.URL
		}
		return Errand{Kind: EffectPageTrigger}, ""
	})
}

// RequestTicket queues the ticket of an incident.
func (s *Service) RequestTicket(ctx context.Context, r ErrandRequest) (Answer, error) {
	return s.request(ctx, r, s.tickets, func(i Incident, policy Policy) (Errand, string) {
		if r.Project == "" {
			r.Project = policy.TicketProject
		}
		switch {
		case policy.Ticket == Never || (policy.TicketProject == "" && r.Project == ""):
			return Errand{}, fmt.Sprintf("The domain %s has no tickets: set its jira_project and ticket in dw's configuration.", i.Domain)
		case i.Ticket.ID != "":
			return Errand{}, "This incident has a ticket: " + i.Ticket.ID + " " + i.Ticket.URL
		}
		return Errand{Kind: EffectTicketOpen, Project: r.Project}, ""
	})
}

func (s *Service) request(ctx context.Context, r ErrandRequest, courier Courier, want func(Incident, Policy) (Errand, string)) (Answer, error) {
	if courier == nil {
		return Answer{Text: "dw is connected to no such system; add it to dw's configuration."}, nil
	}
	var a Answer
	err := s.write(ctx, func(w *work) error {
		i, err := w.incident(ctx, r.Incident)
		if errors.Is(err, ErrNotFound) {
			a = Answer{Text: fmt.Sprintf("There is no incident %q.", r.Incident)}
			return nil
		}
		if err != nil {
			return err
		}
		e, refusal := want(i, s.policy(i.Domain))
		if refusal != "" {
			a = Answer{Text: refusal}
			return nil
		}
		a = w.ask(i, e, r, courier.Name())
		return nil
	})
	if err != nil {
		return Answer{}, fmt.Errorf("record the request on incident %s: %w", r.Incident, err)
	}
	return a, nil
}

// ask begins an errand, or begins one again that was refused, or of which a
// person was asked to look for.
func (w *work) ask(i Incident, e Errand, r ErrandRequest, system string) Answer {
	if old, begun := i.begun(e.Kind); begun {
		if old.State != ErrandFailed && old.State != ErrandAsked {
			return Answer{OK: true, Text: fmt.Sprintf("%s: %s is under way already; what comes of it is said in the incident's thread.", system, e.shown())}
		}
		old.Project, e = e.Project, old
	}
	e.State, e.By, e.As, e.Looked, e.Problem = ErrandQueued, r.By, r.By, 0, ""
	e.At, e.Cause = w.now.UTC(), causeID(i.Diagnosis)
	var out Outcome
	out.receipt(i.draft(receipts.KindIncidentUpdated, human(r.By), w.now, receipts.Object{
		"what": "asked for " + e.Kind, "project": clean(e.Project), "arrived_at": timeOr(r.At),
	}))
	w.setIncident(i.withErrand(e), out)
	return Answer{OK: true, Text: fmt.Sprintf("%s: %s is on its way; what comes of it is said in the incident's thread.", system, e.shown())}
}
