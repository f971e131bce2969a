// Package intake takes in what other systems report: change events over HTTP
// and from files. It checks who sends, how much, and that each event is whole,
// before one call of the service.
package intake

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dw/diagnosis"
)

// Limits of what is taken in.
const (
	MaxBody   = 1 << 20 // bytes of one request, or of one line of a file
	MaxEvents = 1000    // events of one request
	maxName   = 256     // bytes of a name
	maxText   = 4000    // bytes of a text
)

// Kinds returns the kinds of change event.
func Kinds() []string { return []string{"deploy", "merge", "config", "schema"} }

// Decode reads one change event, or an array of them. Unknown keys, missing
// fields and anything after the value are errors that name the event, from 1.
func Decode(body []byte) ([]diagnosis.ChangeEvent, error) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return nil, errors.New("the body is empty: send one change event or an array of them")
	}
	if !utf8.Valid(body) {
		return nil, errors.New("the body is not UTF-8")
	}
	var events []diagnosis.ChangeEvent
	if body[0] == '[' {
		if err := strict(body, &events); err != nil {
			return nil, err
		}
	} else {
		events = make([]diagnosis.ChangeEvent, 1)
		if err := strict(body, &events[0]); err != nil {
			return nil, err
		}
	}
	if len(events) > MaxEvents {
		return nil, fmt.Errorf("%d events in one request, at most %d", len(events), MaxEvents)
	}
	for i, e := range events {
		if err := Validate(e); err != nil {
			return nil, fmt.Errorf("event %d: %w", i+1, err)
		}
	}
	return events, nil
}

// strict decodes exactly one JSON value without unknown keys.
func strict(body []byte, out any) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(out); err != nil {
		return fmt.Errorf("the body is not a change event: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the change event")
	}
	return nil
}

// Validate checks that an event is whole. The error names the key.
func Validate(e diagnosis.ChangeEvent) error {
	for _, f := range []struct {
		key, value string
		limit      int
		needed     bool
	}{
		{"id", e.ID, maxName, true},
		{"system", e.System, maxName, true},
		{"kind", e.Kind, maxName, true},
		{"asset", e.Asset, maxName, true},
		{"who", e.Who, maxName, false},
		{"text", e.Text, maxText, false},
		{"url", e.URL, maxText, false},
	} {
		switch {
		case f.needed && strings.TrimSpace(f.value) == "":
			return fmt.Errorf("%s is missing", f.key)
		case len(f.value) > f.limit:
			return fmt.Errorf("%s has %d bytes, at most %d", f.key, len(f.value), f.limit)
		case strings.ContainsFunc(f.value, control):
			return fmt.Errorf("%s holds control characters", f.key)
		}
	}
	switch {
	case !slices.Contains(Kinds(), e.Kind):
		return fmt.Errorf("kind %q is not one of %s", e.Kind, strings.Join(Kinds(), ", "))
	case e.At.IsZero():
		return errors.New("at is missing: the time of the change, as 2006-01-02T15:04:05Z")
	case e.URL != "" && !webAddress(e.URL):
		return errors.New("url is not an http or https address")
	}
	return nil
}

// control reports whether a rune may not stand in any text; line breaks and tabs
// may.
func control(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' }

func webAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// LoadChanges reads a file with one change event a line. Blank lines are passed
// over. Every bad line is in the error, with its number from 1; then no event is
// returned.
func LoadChanges(r io.Reader) ([]diagnosis.ChangeEvent, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, MaxBody)
	var events []diagnosis.ChangeEvent
	var bad []error
	n := 0
	for lines.Scan() {
		n++
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		got, err := Decode(text)
		if err != nil {
			bad = append(bad, fmt.Errorf("line %d: %w", n, err))
			continue
		}
		events = append(events, got...)
	}
	if err := lines.Err(); err != nil {
		bad = append(bad, fmt.Errorf("line %d: read change events: %w", n+1, err))
	}
	if len(bad) > 0 {
		return nil, errors.Join(bad...)
	}
	return events, nil
}
