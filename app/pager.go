package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"dw/connectors/pagerduty"
	"dw/workflows"
)

// pager meets workflows.Courier with PagerDuty.
type pager struct {
	client *pagerduty.Client
	emails map[string]string // by Slack user id
}

const controlTimeout = 15 * time.Second

func (a *App) newPager() (*pager, error) {
	client, err := a.project.PagerDuty(a.log)
	if err != nil {
		return nil, err
	}
	return &pager{client: client, emails: a.emails}, nil
}

// PagerDuty builds the client of the account that the configuration names.
func (p *Project) PagerDuty(log *slog.Logger) (*pagerduty.Client, error) {
	c, keys := p.Config.PagerDuty, map[string]string{}
	for name, key := range c.RoutingKeys {
		keys[name] = key.Reveal()
	}
	client, err := pagerduty.New(pagerduty.Options{
		APIKey: c.APIKey.Reveal(), RoutingKeys: keys, BaseURL: c.APIURL, EventsURL: c.EventsURL,
		Timeout: c.Timeout.Or(controlTimeout), Now: p.Now, Log: log,
	})
	if err != nil {
		return nil, fmt.Errorf("pagerduty: %w", err)
	}
	return client, nil
}

// Name meets workflows.Courier.
func (p *pager) Name() string { return "PagerDuty" }

// Carry meets workflows.Courier.
func (p *pager) Carry(ctx context.Context, o workflows.Order) (workflows.Reference, error) {
	made, err := p.carry(ctx, o)
	return made, pagerError(err)
}

func (p *pager) carry(ctx context.Context, o workflows.Order) (workflows.Reference, error) {
	switch o.Kind {
	case workflows.EffectPageTrigger:
		return p.trigger(ctx, o)
	case workflows.EffectPageNote:
		return p.as(o, func(email string) (workflows.Reference, error) {
			id, err := p.client.Note(ctx, o.On, email, plainText(o), o.Mark)
			return workflows.Reference{ID: id}, err
		})
	case workflows.EffectPageEscalate:
		return p.as(o, func(email string) (workflows.Reference, error) {
			return pageRef(p.client.Escalate(ctx, o.On, email, nextLevel))
		})
	case workflows.EffectPageAcknowledge:
		return p.move(ctx, o, workflows.PageAcknowledged, p.client.AcknowledgeIncident, p.client.Acknowledge)
	case workflows.EffectPageResolve:
		return p.move(ctx, o, workflows.PageResolved, p.client.ResolveIncident, p.client.Resolve)
	}
	return workflows.Reference{}, fmt.Errorf("pagerduty carries no %s", o.Kind)
}

// nextLevel is the level of the escalation policy that a page starts below.
const nextLevel = 2

// trigger pages and reads back the incident that PagerDuty made of it, which
// may take seconds; the same call again settles it.
func (p *pager) trigger(ctx context.Context, o workflows.Order) (workflows.Reference, error) {
	alert := pagerduty.Alert{
		Service: o.Service, DedupKey: o.Incident, Summary: o.Title, Source: o.Source, Severity: o.Severity, At: o.Since,
		Details: map[string]string{},
	}
	for _, l := range o.Lines {
		if said := alert.Details[l.Label]; said != "" {
			l.Text = said + "\n" + l.Text
		}
		alert.Details[l.Label] = l.Text
	}
	for _, l := range o.Links {
		alert.Links = append(alert.Links, pagerduty.Link{Text: l.Text, Href: l.URL})
	}
	if err := p.client.Trigger(ctx, alert); err != nil {
		return workflows.Reference{}, err
	}
	made, found, err := p.Find(ctx, o)
	if err == nil && !found {
		err = errors.New("PagerDuty took the event and shows no incident for it yet")
	}
	if err != nil {
		return workflows.Reference{}, &workflows.UnclearError{Call: "pagerduty: read back the page", Err: err}
	}
	return made, nil
}

// as makes a call in the name of the first person of the order whom PagerDuty
// knows. A refusal for the person means that nothing was done.
func (p *pager) as(o workflows.Order, call func(email string) (workflows.Reference, error)) (workflows.Reference, error) {
	var refused error = &pagerduty.RefusedError{
		Call: "pagerduty: " + o.Kind, Reason: pagerduty.ReasonUser,
		Advice: "it needs the e-mail address of a PagerDuty user: set email of the domain's owner in people",
	}
	for _, who := range o.As {
		email := p.emails[who.User]
		if email == "" {
			continue
		}
		made, err := call(email)
		if no, ok := errors.AsType[*pagerduty.RefusedError](err); !ok || no.Reason != pagerduty.ReasonUser {
			return made, err
		}
		refused = err
	}
	return workflows.Reference{}, refused
}

// move brings a page into a state in a person's name, or by its key where
// PagerDuty knows none of the people.
func (p *pager) move(
	ctx context.Context, o workflows.Order, to string,
	byPerson func(ctx context.Context, id, email string) (pagerduty.Incident, error), byKey func(ctx context.Context, service, key string) error,
) (workflows.Reference, error) {
	made, err := p.as(o, func(email string) (workflows.Reference, error) { return pageRef(byPerson(ctx, o.On, email)) })
	if no, ok := errors.AsType[*pagerduty.RefusedError](err); ok && no.Reason == pagerduty.ReasonUser {
		if err := byKey(ctx, o.Service, o.Incident); err != nil {
			return workflows.Reference{}, err
		}
		made, err = pageRef(p.client.ReadIncident(ctx, o.On))
	}
	if err == nil && made.State != to && made.State != workflows.PageResolved {
		err = &workflows.UnclearError{Call: "pagerduty: read back the page", Err: fmt.Errorf("it is still %s", made.State)}
	}
	return made, err
}

// Find meets workflows.Courier.
func (p *pager) Find(ctx context.Context, o workflows.Order) (workflows.Reference, bool, error) {
	switch o.Kind {
	case workflows.EffectPageTrigger:
		made, found, err := p.client.FindIncident(ctx, o.Incident, "")
		ref, _ := pageRef(made, nil)
		return ref, found, err
	case workflows.EffectPageNote:
		note, found, err := p.client.FindNote(ctx, o.On, o.Mark)
		return workflows.Reference{ID: note.ID, By: note.By}, found, err
	}
	// An escalation leaves no mark that could be told from another's.
	return workflows.Reference{}, false, nil
}

func pageRef(i pagerduty.Incident, err error) (workflows.Reference, error) {
	return workflows.Reference{ID: i.ID, URL: i.URL, State: i.Status}, err
}

// pagerError tells the loop whether a call may be made again.
func pagerError(err error) error {
	if limited, ok := errors.AsType[*pagerduty.RateLimitedError](err); ok {
		return &workflows.LaterError{At: limited.RetryAt, Err: err}
	}
	no, refused := errors.AsType[*pagerduty.RefusedError](err)
	if refused && no.Reason == pagerduty.ReasonKey {
		return &workflows.BarredError{Err: err}
	}
	_, unclear := errors.AsType[*workflows.UnclearError](err)
	if err == nil || refused || unclear {
		return err
	}
	return &workflows.LaterError{Err: err}
}

// plainText writes an order for a system that knows no markup.
func plainText(o workflows.Order) string {
	var b strings.Builder
	b.WriteString(o.Title + "\n")
	for _, l := range o.Lines {
		b.WriteString("\n" + l.Label + ": " + l.Text)
	}
	for _, l := range o.Links {
		b.WriteString("\n" + l.Text + ": " + l.URL)
	}
	return b.String()
}
