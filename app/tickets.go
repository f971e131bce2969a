package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"dw/connectors/jira"
	"dw/workflows"
)

// tickets meets workflows.Courier with Jira.
type tickets struct{ client *jira.Client }

// ticketTarget is what dw's one ticket of an incident is for.
const ticketTarget = "follow-up"

func (a *App) newTickets() (*tickets, error) {
	client, err := a.project.Jira(a.log)
	if err != nil {
		return nil, err
	}
	return &tickets{client: client}, nil
}

// Jira builds the client of the tracker that the configuration names.
func (p *Project) Jira(log *slog.Logger) (*jira.Client, error) {
	c := p.Config.Jira
	return jira.New(jira.Options{
		BaseURL: c.URL, SiteURL: c.SiteURL, Cloud: c.Cloud, Email: c.Email, Token: c.Token.Reveal(),
		Timeout: c.Timeout.Or(controlTimeout), Now: p.Now, Log: log,
	})
}

// Name meets workflows.Courier.
func (t *tickets) Name() string { return "Jira" }

// Carry meets workflows.Courier.
func (t *tickets) Carry(ctx context.Context, o workflows.Order) (workflows.Reference, error) {
	made, err := t.carry(ctx, o)
	return made, ticketError(err)
}

func (t *tickets) carry(ctx context.Context, o workflows.Order) (workflows.Reference, error) {
	switch o.Kind {
	case workflows.EffectTicketOpen:
		return t.open(ctx, o)
	case workflows.EffectTicketComment:
		id, err := t.client.Comment(ctx, o.On, document(o), o.Mark)
		return workflows.Reference{ID: id}, err
	case workflows.EffectTicketLink:
		return t.link(ctx, o)
	case workflows.EffectTicketTitle:
		return t.read(ctx, o, t.client.SetSummary(ctx, o.On, o.Title))
	case workflows.EffectTicketResolve:
		return t.read(ctx, o, t.client.Transition(ctx, o.On, o.MoveTo))
	}
	return workflows.Reference{}, fmt.Errorf("jira carries no %s", o.Kind)
}

// open opens the ticket and reads it back by the key that was answered.
func (t *tickets) open(ctx context.Context, o workflows.Order) (workflows.Reference, error) {
	made, err := t.create(ctx, o)
	if err != nil {
		return workflows.Reference{}, err
	}
	read, err := t.client.Get(ctx, made.Key)
	if err != nil {
		return workflows.Reference{}, &workflows.UnclearError{Call: "jira: read back " + made.Key, Err: err}
	}
	return ticketRef(read), nil
}

// create opens an issue, or raises a request at the project's service desk.
func (t *tickets) create(ctx context.Context, o workflows.Order) (jira.Issue, error) {
	fields := make(map[string]any, len(o.Fields))
	for name, value := range o.Fields {
		fields[name] = value
	}
	if o.Request != "" {
		return t.client.Request(ctx, jira.ServiceRequest{
			ServiceDesk: o.Project, RequestType: o.Request, Summary: o.Title, Description: document(o), Fields: fields,
			Incident: o.Incident, Target: ticketTarget,
		})
	}
	return t.client.Create(ctx, jira.Ticket{
		Project: o.Project, IssueType: o.IssueType, Summary: o.Title, Description: document(o), Labels: []string{"dw"}, Fields: fields,
		Incident: o.Incident, Target: ticketTarget,
	})
}

// read reads a ticket back after a change of it, which may be made again.
func (t *tickets) read(ctx context.Context, o workflows.Order, err error) (workflows.Reference, error) {
	if err != nil {
		return workflows.Reference{}, err
	}
	now, err := t.client.Get(ctx, o.On)
	if err != nil {
		return workflows.Reference{}, &workflows.UnclearError{Call: "jira: read back " + o.On, Err: err}
	}
	return ticketRef(now), nil
}

// link puts the link to the receipts on the ticket and reads it back.
func (t *tickets) link(ctx context.Context, o workflows.Order) (workflows.Reference, error) {
	if len(o.Links) == 0 {
		return workflows.Reference{}, errors.New("jira: there is no page of the receipts to link")
	}
	id := "dw:" + o.Incident
	if err := t.client.Link(ctx, o.On, jira.RemoteLink{GlobalID: id, URL: o.Links[0].URL, Title: o.Links[0].Text, Summary: o.Title}); err != nil {
		return workflows.Reference{}, err
	}
	have, found, err := t.client.ReadLink(ctx, o.On, id)
	if err == nil && !found {
		err = errors.New("the ticket does not show it")
	}
	if err != nil {
		return workflows.Reference{}, &workflows.UnclearError{Call: "jira: read back the link", Err: err}
	}
	return workflows.Reference{ID: have.GlobalID, URL: have.URL}, nil
}

// Find meets workflows.Courier.
func (t *tickets) Find(ctx context.Context, o workflows.Order) (workflows.Reference, bool, error) {
	switch o.Kind {
	case workflows.EffectTicketOpen:
		issue, found, err := t.client.Find(ctx, o.Incident, ticketTarget)
		return ticketRef(issue), found, err
	case workflows.EffectTicketComment:
		id, found, err := t.client.FindComment(ctx, o.On, o.Mark)
		return workflows.Reference{ID: id}, found, err
	case workflows.EffectTicketLink:
		have, found, err := t.client.ReadLink(ctx, o.On, "dw:"+o.Incident)
		return workflows.Reference{ID: have.GlobalID, URL: have.URL}, found, err
	}
	return workflows.Reference{}, false, nil
}

func ticketRef(i jira.Issue) workflows.Reference {
	return workflows.Reference{ID: i.Key, URL: i.URL, State: i.Status}
}

// ticketError tells the loop whether a call may be made again. Only what Jira
// or the network may mend by itself is tried again.
func ticketError(err error) error {
	if refused, ok := errors.AsType[*jira.RefusedError](err); ok {
		switch {
		case !refused.RetryAt.IsZero():
			return &workflows.LaterError{At: refused.RetryAt, Err: err}
		case refused.Status == http.StatusUnauthorized:
			return &workflows.BarredError{Err: err}
		}
	}
	if err == nil || answered(err) {
		return err
	}
	return &workflows.LaterError{Err: err}
}

// answered reports whether an error is Jira's own, or a doubt: everything else
// came before Jira took anything.
func answered(err error) bool {
	_, refused := errors.AsType[*jira.RefusedError](err)
	_, unknown := errors.AsType[*jira.UnknownError](err)
	_, fields := errors.AsType[*jira.FieldsError](err)
	_, deleted := errors.AsType[*jira.DeletedError](err)
	_, immovable := errors.AsType[*jira.TransitionError](err)
	_, unclear := errors.AsType[*workflows.UnclearError](err)
	return refused || unknown || fields || deleted || immovable || unclear
}

// document writes an order as a ticket's text.
func document(o workflows.Order) jira.Doc {
	blocks := make([]jira.Block, 0, len(o.Lines)+len(o.Links))
	for _, l := range o.Lines {
		blocks = append(blocks, jira.Paragraph(jira.Bold(l.Label+": "), jira.Text(l.Text)))
	}
	for _, l := range o.Links {
		blocks = append(blocks, jira.Paragraph(jira.Href(l.Text, l.URL)))
	}
	return jira.Document(blocks...)
}
