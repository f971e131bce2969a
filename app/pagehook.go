package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	hook "dw/intake/pagerduty"
	"dw/workflows"
)

// mountPages takes what people do in PagerDuty in where a webhook's secret is set.
func (s *server) mountPages(mux *http.ServeMux) error {
	c := s.app.project.Config.PagerDuty
	if c == nil || len(c.WebhookSecrets) == 0 {
		return nil
	}
	var secrets []string
	for _, secret := range c.WebhookSecrets {
		secrets = append(secrets, secret.Reveal())
	}
	handler, err := hook.New(hook.Options{
		Acts: pageActs{s.app}, Memory: eventMemory{s.app.store}, Secrets: secrets, Now: s.app.project.Now, Log: s.app.log,
	})
	if err != nil {
		return fmt.Errorf("pagerduty.webhook_secrets: %w", err)
	}
	mux.Handle("/intake/pagerduty", handler)
	return nil
}

// pageActs meets hook.Acts with the loop.
type pageActs struct{ app *App }

// PageAcknowledged meets hook.Acts.
func (p pageActs) PageAcknowledged(ctx context.Context, page hook.Page, who hook.Person, at time.Time) error {
	return p.act(ctx, page, who, workflows.PageAcknowledged, at)
}

// PageResolved meets hook.Acts.
func (p pageActs) PageResolved(ctx context.Context, page hook.Page, who hook.Person, at time.Time) error {
	return p.act(ctx, page, who, workflows.PageResolved, at)
}

// act does nothing for what dw or another integration did: only a person's act
// says anything.
func (p pageActs) act(ctx context.Context, page hook.Page, who hook.Person, state string, at time.Time) error {
	if !who.IsUser() {
		return nil
	}
	by, err := p.person(ctx, who)
	if err != nil {
		return err
	}
	err = p.app.service.PageActed(ctx, workflows.PageAct{
		Incident: page.DedupKey, Page: page.Incident, URL: page.URL, State: state, By: by, System: p.app.pager.Name(), At: at,
	})
	if errors.Is(err, workflows.ErrNotFound) {
		return hook.ErrNotOurs
	}
	return err
}

// person is the Slack user whose e-mail the PagerDuty user has, or else one who
// is known there only and can decide nothing here.
func (p pageActs) person(ctx context.Context, who hook.Person) (workflows.Person, error) {
	user, err := p.app.pager.client.User(ctx, who.ID)
	if err != nil {
		return workflows.Person{}, fmt.Errorf("look up who acted in PagerDuty: %w", err)
	}
	for id, email := range p.app.emails {
		if strings.EqualFold(email, user.Email) {
			return p.app.names[id], nil
		}
	}
	return workflows.Person{Team: "pagerduty", User: who.ID, Name: or(user.Name, who.Name)}, nil
}

// eventMemory meets hook.Memory: an event is remembered as a deadline by which
// it may be forgotten.
type eventMemory struct{ store workflows.Store }

// SeenEvent meets hook.Memory.
func (m eventMemory) SeenEvent(ctx context.Context, id string) (seen bool, err error) {
	err = m.store.View(ctx, func(tx workflows.ReadTx) error {
		_, seen, err = tx.Deadline(ctx, workflows.DeadlineForget, "pagerduty/"+id)
		return err
	})
	return seen, err
}

// RememberEvent meets hook.Memory.
func (m eventMemory) RememberEvent(ctx context.Context, id string, at time.Time) error {
	return m.store.Update(ctx, func(tx workflows.Tx) error {
		return tx.SetDeadline(ctx, workflows.Deadline{
			Kind: workflows.DeadlineForget, Subject: "pagerduty/" + id, DueAt: at.Add(2 * hook.DefaultWindow).UTC(),
		})
	})
}
