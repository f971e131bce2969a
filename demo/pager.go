package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"dw/internal/fakes/pagerduty"
	"dw/slackdev"
)

// E-mail addresses of the people, by which other systems know them.
const (
	ownerEmail      = "owner@demo.example"
	deputyEmail     = "deputy@demo.example"
	escalationEmail = "escalation@demo.example"
	financeEmail    = "finance@demo.example"
)

// ownerPagerID is the owner's user in PagerDuty.
const ownerPagerID = "POWNER1"

// openPager starts PagerDuty's stand-in. The owner is on call, then the deputy.
func (c *conductor) openPager() (url string, stop func() error, err error) {
	listener, err := bind("PagerDuty's stand-in")
	if err != nil {
		return "", nil, err
	}
	url = "http://" + listener.Addr().String()
	user := func(id, story, email string) pagerduty.User {
		return pagerduty.User{ID: id, Name: c.names[story], Email: email}
	}
	c.pager, err = pagerduty.New(pagerduty.Options{
		Site:   url,
		APIKey: c.tokens.pager, Now: c.clock.now, NewID: func() string { return "Q" + rand.Text()[:13] },
		Users: []pagerduty.User{
			user(ownerPagerID, personOwner, ownerEmail), user("PDEPUTY", personDeputy, deputyEmail),
			user("PESCAL1", personEscalation, escalationEmail), user("PFINANC", personFinance, financeEmail),
		},
		Services:  []pagerduty.Service{{ID: "PSERV01", Name: "Orders data", RoutingKey: c.tokens.route, Policy: "PPOLICY"}},
		Policies:  []pagerduty.Policy{{ID: "PPOLICY", Name: "Orders data", Schedules: []string{"PLEVEL1", "PLEVEL2"}}},
		Schedules: []pagerduty.Schedule{{ID: "PLEVEL1", Name: "First", User: ownerPagerID}, {ID: "PLEVEL2", Name: "Second", User: "PDEPUTY"}},
	})
	if err != nil {
		return "", nil, errors.Join(err, listener.Close())
	}
	return url, serve(listener, c.pager), nil
}

// tellDW lets PagerDuty tell dw, at its address, what people do there.
func (c *conductor) tellDW(address string) {
	c.dwAt = address
	c.pager.Subscribe(pagerduty.Hook{ID: "PHOOK01", URL: "http://" + address + "/intake/pagerduty", Secrets: []string{c.tokens.hook}})
}

// acknowledged is 12:25: the owner, who is on call, acknowledges the page on their
// phone, and Slack shows it.
func (c *conductor) acknowledged(ctx context.Context) error {
	if err := c.advance(ctx, c.day.at(12, 25)); err != nil {
		return err
	}
	incident, _ := incidentCard(c.slack.Snapshot())
	page, _ := c.pager.Incident(incident.id())
	says := "acknowledged by "
	if page.Status == pagerduty.Triggered { // else a person was faster, in Slack
		if err := c.pager.Acknowledge(page.ID, ownerPagerID); err != nil {
			return fmt.Errorf("acknowledge the page: %w", err)
		}
		says += c.names[personOwner]
		c.line.event(c.day.at(12, 25), "PagerDuty", "page acknowledged", page.ID+" by "+c.names[personOwner])
	}
	if err := c.deliver(ctx); err != nil {
		return err
	}
	err := c.await(ctx, "the incident's card says "+says, false, func(s slackdev.Snapshot) bool {
		incident, _ = incidentCard(s)
		return strings.Contains(incident.whole, says)
	})
	if err != nil {
		return err
	}
	c.line.event(c.day.at(12, 25), "dw", "acknowledgement shown in Slack", "the card says: "+lineOf(incident.whole, "In work by: ")+"; "+lineOf(incident.whole, "Page: "))
	return nil
}

// deliver sends PagerDuty's webhooks until dw has taken each, as PagerDuty does.
func (c *conductor) deliver(ctx context.Context) error {
	var last error
	err := c.until(ctx, "dw takes PagerDuty's webhooks", func() bool {
		_, last = c.pager.Deliver(ctx)
		return last == nil
	})
	if err != nil {
		return errors.Join(err, last)
	}
	return nil
}

// seePaged waits for the page of the incident in PagerDuty.
func (c *conductor) seePaged(ctx context.Context, incident string) error {
	var page pagerduty.Incident
	err := c.untilWhile(ctx, "a page of "+incident+" in PagerDuty", func() (done bool) {
		page, done = c.pager.Incident(incident)
		return done
	})
	if err != nil {
		return err
	}
	c.line.event(page.Created, "PagerDuty", "page triggered", fmt.Sprintf("%s %s; %s, dedup key %s", page.ID, page.Title, page.Severity, page.Key))
	return nil
}

// seeNote waits for the note of a stage on the page of the incident.
func (c *conductor) seeNote(ctx context.Context, incident, stage string) error {
	var note pagerduty.Note
	err := c.untilWhile(ctx, "a note "+noteMark(incident, stage)+" in PagerDuty", func() bool {
		page, _ := c.pager.Incident(incident)
		found := notesOf(page, noteMark(incident, stage))
		if len(found) > 0 {
			note = found[0]
		}
		return len(found) > 0
	})
	if err != nil {
		return err
	}
	c.line.event(note.At, "PagerDuty", "note on the page", fmt.Sprintf("by %s: %s; %s; %s",
		note.User.Name, lineOf(note.Content, "Cause: "), lineOf(note.Content, "Blast radius: "), markOf(note)))
	return nil
}

// seePageResolved waits until the page is told of the end and closed.
func (c *conductor) seePageResolved(ctx context.Context, incident string) error {
	var page pagerduty.Incident
	err := c.untilWhile(ctx, "the page of "+incident+" is told of the end and resolved", func() bool {
		page, _ = c.pager.Incident(incident)
		return page.Status == pagerduty.Resolved && len(notesOf(page, noteMark(incident, stageResolved))) > 0
	})
	if err != nil {
		return err
	}
	c.line.event(c.clock.now(), "PagerDuty", "page resolved", fmt.Sprintf("%s, with %d notes", page.ID, len(page.Notes)))
	return nil
}

// Stages of dw's notes, as their marks name them.
const (
	stageCause    = "cause-"
	stageAsked    = "asked-"
	stageDecided  = "decided-"
	stageResolved = "resolved"
)

// noteMark is how the last line of a note of dw begins.
func noteMark(incident, stage string) string { return "dw:" + incident + ":" + stage }

// markOf is the last line of a note.
func markOf(n pagerduty.Note) string { return n.Content[strings.LastIndexByte(n.Content, '\n')+1:] }

// notesOf lists the notes whose mark begins so.
func notesOf(page pagerduty.Incident, mark string) []pagerduty.Note {
	var out []pagerduty.Note
	for _, n := range page.Notes {
		if strings.HasPrefix(markOf(n), mark) {
			out = append(out, n)
		}
	}
	return out
}

// lineOf is the first line of a text that begins so, or nothing.
func lineOf(content, label string) string {
	for line := range strings.Lines(content) {
		if strings.HasPrefix(line, label) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
