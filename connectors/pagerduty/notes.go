package pagerduty

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"regexp"
	"strings"
	"time"

	"dw/workflows"

	sdk "github.com/PagerDuty/go-pagerduty"
)

// Note is a note of a PagerDuty incident.
type Note struct {
	ID   string
	By   string // name of the person or service
	Text string
	At   time.Time
}

// Marker returns the line that ends a note of dw: what it is about, by which
// the note is found again.
func Marker(incident, stage string) string { return "dw:" + incident + ":" + stage }

// markerForm is one word that is recognisably dw's.
var markerForm = regexp.MustCompile(`^dw:\S{1,200}$`)

// maxNote bounds the text of a note, so that its marker is never cut off.
const maxNote = 20_000

// Note adds a note to a PagerDuty incident in the name of the user with that
// e-mail address and returns its id, after it was read back by this id. PagerDuty
// has no key against repeats, so it is sent once: after *workflows.UnclearError
// look for it with FindNote.
func (c *Client) Note(ctx context.Context, incident, fromEmail, text, marker string) (string, error) {
	k := &call{name: "add note to " + incident, from: fromEmail, changes: true}
	if err := checkNote(k, incident, text, marker); err != nil {
		return "", err
	}
	note := sdk.IncidentNote{
		Content: cut(strings.TrimSpace(text), maxNote) + "\n\n" + marker,
		User:    sdk.APIObject{Summary: fromEmail}, // go-pagerduty takes the From header from here
	}
	var made *sdk.IncidentNote
	err := c.ask(ctx, k, func(ctx context.Context) (err error) {
		made, err = c.api.CreateIncidentNoteWithContext(ctx, incident, note)
		return err
	})
	if err != nil {
		return "", err
	}
	if made.ID == "" {
		return "", k.odd(errors.New("it names no note"))
	}
	return made.ID, c.readBack(ctx, k, incident, made.ID, marker)
}

// readBack looks for the note that an answer named.
func (c *Client) readBack(ctx context.Context, k *call, incident, id, marker string) error {
	notes, err := c.Notes(ctx, incident)
	if err == nil {
		err = fmt.Errorf("note %s was answered but is not on the incident", id)
		for _, n := range notes {
			if n.ID == id && marked(n.Text, marker) {
				return nil
			}
		}
	}
	return &workflows.UnclearError{Call: System + ": " + k.name + ": read back note " + id, Err: err}
}

func checkNote(k *call, incident, text, marker string) error {
	if err := checkID(k, "incident", incident); err != nil {
		return err
	}
	advice := ""
	switch {
	case strings.TrimSpace(text) == "":
		advice = "the text is missing"
	case !markerForm.MatchString(marker):
		advice = fmt.Sprintf("marker %q is not of the form dw:incident:stage", marker)
	default:
		return checkFrom(k)
	}
	return &RefusedError{Call: System + ": " + k.name, Reason: ReasonInput, Advice: advice}
}

// checkFrom refuses what is no e-mail address before it becomes a header.
func checkFrom(k *call) error {
	if a, err := mail.ParseAddress(k.from); err == nil && a.Address == k.from {
		return nil
	}
	return &RefusedError{Call: System + ": " + k.name, Reason: ReasonUser, Advice: fmt.Sprintf("%q is not an e-mail address; PagerDuty needs that of the person who acts", k.from)}
}

// marked reports whether the last line of a note is the marker.
func marked(text, marker string) bool {
	text = strings.TrimRight(text, " \r\n\t")
	return text[strings.LastIndexByte(text, '\n')+1:] == marker
}

// Notes returns the notes of an incident as PagerDuty lists them.
func (c *Client) Notes(ctx context.Context, incident string) ([]Note, error) {
	k := &call{name: "read notes of " + incident, repeatable: true}
	if err := checkID(k, "incident", incident); err != nil {
		return nil, err
	}
	var listed []sdk.IncidentNote
	err := c.ask(ctx, k, func(ctx context.Context) (err error) {
		listed, err = c.api.ListIncidentNotesWithContext(ctx, incident)
		return err
	})
	if err != nil {
		return nil, err
	}
	var notes []Note
	for _, n := range listed {
		notes = append(notes, Note{ID: n.ID, By: n.User.Summary, Text: n.Content, At: instant(n.CreatedAt)})
	}
	return notes, nil
}

// FindNote looks for the note that ends with the marker. It reports false where
// there is none; of several it returns the first that was written.
func (c *Client) FindNote(ctx context.Context, incident, marker string) (Note, bool, error) {
	notes, err := c.Notes(ctx, incident)
	if err != nil {
		return Note{}, false, err
	}
	var first Note
	found := false
	for _, n := range notes {
		if marked(n.Text, marker) && (!found || n.At.Before(first.At)) {
			first, found = n, true
		}
	}
	return first, found, nil
}

// instant reads the vendor's times; what is none is the zero time.
func instant(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
