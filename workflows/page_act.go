package workflows

import (
	"context"
	"fmt"
	"time"

	"dw/receipts"
)

// PageAct is what a person did to an incident's page in the pager.
type PageAct struct {
	Incident string // dw's id, where the page names it
	Page     string // the pager's id
	URL      string
	State    string // PageAcknowledged or PageResolved
	By       Person
	System   string // the pager's name
	At       time.Time
}

// PageActed does to dw's incident what was done to its page. It fails with
// ErrNotFound where no incident has this page. An acknowledgement there is one
// here; a page that was resolved there says nothing about the numbers, so the
// incident stays as it is and its thread says so.
func (s *Service) PageActed(ctx context.Context, a PageAct) error {
	err := s.write(ctx, func(w *work) error {
		i, err := w.paged(ctx, a)
		if err != nil {
			return err
		}
		if i.Page.State == a.State || i.Page.State == PageResolved || i.echoes(a) {
			return nil
		}
		w.setIncident(pageActed(i, a, w.now))
		return nil
	})
	if err != nil {
		return fmt.Errorf("record what %s did to page %s: %w", a.By.shown(), a.Page, err)
	}
	return nil
}

// echoes reports whether an act is dw's own call come back: the pager shows it
// as done by the person in whose name dw called.
func (i Incident) echoes(a PageAct) bool {
	kind := EffectPageAcknowledge
	if a.State == PageResolved {
		kind = EffectPageResolve
	}
	e, begun := i.begun(kind)
	return begun && (e.State == ErrandCalled || e.State == ErrandUnclear || e.State == ErrandDone)
}

// paged finds the incident of a page: by the id that the page was sent with, or
// among those that are open by the page's own.
func (w *work) paged(ctx context.Context, a PageAct) (Incident, error) {
	if a.Incident != "" {
		i, err := w.incident(ctx, a.Incident)
		if err != nil {
			return Incident{}, err
		}
		if _, begun := i.begun(EffectPageTrigger); !begun {
			return Incident{}, ErrNotFound
		}
		return i, nil
	}
	open, err := w.tx.Incidents(ctx, true, manyIncidents)
	if err != nil {
		return Incident{}, fmt.Errorf("list open incidents: %w", err)
	}
	for _, i := range open {
		if i.Page.ID == a.Page {
			return w.incident(ctx, i.ID)
		}
	}
	return Incident{}, ErrNotFound
}

func pageActed(i Incident, a PageAct, now time.Time) (Incident, Outcome) {
	i = i.clone()
	if i.Page.ID == "" {
		i.Page.ID, i.Page.URL = a.Page, a.URL
	}
	i.Page.State, i.Page.By, i.UpdatedAt = a.State, a.By.shown(), now.UTC()
	var out Outcome
	out.receipt(i.draft(receipts.KindIncidentUpdated, human(a.By), now, receipts.Object{
		"what": "page " + a.State, "system": a.System, "page": clean(a.Page), "arrived_at": timeOr(a.At), "state": string(i.State),
	}))
	switch {
	case a.State == PageResolved && i.State != Resolved:
		out.note(i.ID, fmt.Sprintf("%s resolved the page in %s. That does not say that the numbers are right: dw goes on, and resolves the incident when they are verified.",
			a.By.shown(), a.System))
	case a.State == PageAcknowledged && i.State != Resolved:
		if i.AckedBy.User == "" {
			i.AckedBy = a.By
		}
		if i.State == Open {
			i.State = Acknowledged
		}
		out.note(i.ID, fmt.Sprintf("%s acknowledged the page in %s.", a.By.shown(), a.System))
	}
	return i, out
}
