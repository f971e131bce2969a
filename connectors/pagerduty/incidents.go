package pagerduty

import (
	"context"
	"fmt"
	"slices"
	"time"

	sdk "github.com/PagerDuty/go-pagerduty"
)

// The states of a PagerDuty incident.
const (
	Triggered    = "triggered"
	Acknowledged = "acknowledged"
	Resolved     = "resolved"
)

// Incident is a PagerDuty incident.
type Incident struct {
	ID        string
	Number    int
	URL       string // of its page
	Title     string
	Status    string // Triggered, Acknowledged or Resolved
	Key       string // empty where the incident groups alerts; see DedupKeys
	ServiceID string
	Service   string   // name
	Assigned  []string // names
	Created   time.Time
}

func incidentOf(i sdk.Incident) Incident {
	out := Incident{
		ID: i.ID, Number: int(i.IncidentNumber), URL: i.HTMLURL, Title: i.Title, Status: i.Status, Key: i.IncidentKey,
		ServiceID: i.Service.ID, Service: i.Service.Summary, Created: instant(i.CreatedAt),
	}
	for _, a := range i.Assignments {
		out.Assigned = append(out.Assigned, a.Assignee.Summary)
	}
	return out
}

// FindIncident returns the incident that an alert key belongs to: one that is
// not resolved, else the latest. With the id of a service only its incidents are
// looked at. It reports false where there is none; PagerDuty may take seconds to
// make one from an event.
func (c *Client) FindIncident(ctx context.Context, dedupKey, serviceID string) (Incident, bool, error) {
	k := &call{name: "find incident of " + dedupKey, repeatable: true}
	if dedupKey == "" {
		return Incident{}, false, &RefusedError{Call: System + ": " + k.name, Reason: ReasonInput, Advice: "the key is empty and would match every incident"}
	}
	o := sdk.ListIncidentsOptions{IncidentKey: dedupKey, DateRange: "all", SortBy: "created_at:desc", Limit: 100}
	if serviceID != "" {
		o.ServiceIDs = []string{serviceID}
	}
	var listed *sdk.ListIncidentsResponse
	err := c.ask(ctx, k, func(ctx context.Context) (err error) {
		listed, err = c.api.ListIncidentsWithContext(ctx, o)
		return err
	})
	if err != nil || len(listed.Incidents) == 0 {
		return Incident{}, false, err
	}
	found := make([]Incident, 0, len(listed.Incidents))
	for _, i := range listed.Incidents {
		found = append(found, incidentOf(i))
	}
	slices.SortStableFunc(found, func(a, b Incident) int { return b.Created.Compare(a.Created) })
	if open := slices.IndexFunc(found, func(i Incident) bool { return i.Status != Resolved }); open >= 0 {
		return found[open], true, nil
	}
	return found[0], true, nil
}

// ReadIncident reads an incident by its id.
func (c *Client) ReadIncident(ctx context.Context, id string) (Incident, error) {
	k := &call{name: "read incident " + id, repeatable: true}
	if err := checkID(k, "incident", id); err != nil {
		return Incident{}, err
	}
	var got *sdk.Incident
	err := c.ask(ctx, k, func(ctx context.Context) (err error) {
		got, err = c.api.GetIncidentWithContext(ctx, id)
		return err
	})
	if err != nil {
		return Incident{}, err
	}
	return incidentOf(*got), nil
}

// DedupKeys returns the keys of an incident's alerts, at most a hundred. An
// incident that groups alerts has no key of its own.
func (c *Client) DedupKeys(ctx context.Context, id string) ([]string, error) {
	k := &call{name: "read alerts of " + id, repeatable: true}
	if err := checkID(k, "incident", id); err != nil {
		return nil, err
	}
	var listed *sdk.ListAlertsResponse
	err := c.ask(ctx, k, func(ctx context.Context) (err error) {
		listed, err = c.api.ListIncidentAlertsWithContext(ctx, id, sdk.ListIncidentAlertsOptions{Limit: 100})
		return err
	})
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, a := range listed.Alerts {
		if a.AlertKey != "" && !slices.Contains(keys, a.AlertKey) {
			keys = append(keys, a.AlertKey)
		}
	}
	return keys, nil
}

// AcknowledgeIncident acknowledges an incident in a person's name. It may be
// repeated.
func (c *Client) AcknowledgeIncident(ctx context.Context, id, fromEmail string) (Incident, error) {
	k := &call{name: "acknowledge incident " + id, from: fromEmail, repeatable: true, changes: true}
	return c.manage(ctx, k, sdk.ManageIncidentsOptions{ID: id, Status: Acknowledged})
}

// ResolveIncident resolves an incident in a person's name. It may be repeated.
func (c *Client) ResolveIncident(ctx context.Context, id, fromEmail string) (Incident, error) {
	k := &call{name: "resolve incident " + id, from: fromEmail, repeatable: true, changes: true}
	return c.manage(ctx, k, sdk.ManageIncidentsOptions{ID: id, Status: Resolved})
}

// Escalate assigns an incident to those of a level of its escalation policy,
// from 1, and pages them. It is sent once: a second one would page them again.
func (c *Client) Escalate(ctx context.Context, id, fromEmail string, level int) (Incident, error) {
	k := &call{name: fmt.Sprintf("escalate incident %s to level %d", id, level), from: fromEmail, changes: true}
	if level < 1 {
		return Incident{}, &RefusedError{Call: System + ": " + k.name, Reason: ReasonInput, Advice: "levels start at 1"}
	}
	return c.manage(ctx, k, sdk.ManageIncidentsOptions{ID: id, EscalationLevel: uint(level)})
}

func (c *Client) manage(ctx context.Context, k *call, want sdk.ManageIncidentsOptions) (Incident, error) {
	if err := checkID(k, "incident", want.ID); err != nil {
		return Incident{}, err
	}
	if err := checkFrom(k); err != nil {
		return Incident{}, err
	}
	var answer *sdk.ListIncidentsResponse
	err := c.ask(ctx, k, func(ctx context.Context) (err error) {
		answer, err = c.api.ManageIncidentsWithContext(ctx, k.from, []sdk.ManageIncidentsOptions{want})
		return err
	})
	if err != nil {
		return Incident{}, err
	}
	for _, i := range answer.Incidents {
		if i.ID == want.ID && (want.Status == "" || i.Status == want.Status) {
			return incidentOf(i), nil
		}
	}
	return Incident{}, k.odd(fmt.Errorf("it does not show incident %s as asked", want.ID))
}
