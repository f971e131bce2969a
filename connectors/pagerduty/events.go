package pagerduty

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/PagerDuty/go-pagerduty"
)

// Severities returns the severities of an alert, worst first.
func Severities() []string { return []string{"critical", "error", "warning", "info"} }

// Alert is a page.
type Alert struct {
	Service  string // whose routing key is used, a name of Options.RoutingKeys
	DedupKey string // the id of dw's incident: one page, however often it is sent
	Summary  string // cut to 1,024 characters
	Source   string // the asset that is wrong
	Severity string // one of Severities
	At       time.Time
	Details  map[string]string
	Links    []Link
}

// Link is shown on the page.
type Link struct {
	Text string `json:"text,omitempty"`
	Href string `json:"href"`
}

// maxSummary is how many characters PagerDuty takes as a summary.
const maxSummary = 1024

// Trigger pages. It may be repeated with the same key: there is one alert. After
// an unclear outcome the error is *workflows.UnclearError, and the same call
// again settles it.
func (c *Client) Trigger(ctx context.Context, a Alert) error {
	k := &call{name: "page for " + a.DedupKey, service: a.Service, repeatable: true, changes: true}
	if err := a.check(k); err != nil {
		return err
	}
	payload := &sdk.V2Payload{Summary: cut(a.Summary, maxSummary), Source: a.Source, Severity: a.Severity}
	if !a.At.IsZero() {
		payload.Timestamp = a.At.UTC().Format(time.RFC3339)
	}
	if len(a.Details) > 0 {
		payload.Details = a.Details
	}
	event := &sdk.V2Event{Action: "trigger", DedupKey: a.DedupKey, Client: "dw", Payload: payload}
	for _, l := range a.Links {
		event.Links = append(event.Links, l)
	}
	return c.send(ctx, k, event)
}

func (a Alert) check(k *call) error {
	advice := ""
	switch {
	case strings.TrimSpace(a.Summary) == "":
		advice = "the summary is missing"
	case a.Source == "":
		advice = "the source is missing"
	case !slices.Contains(Severities(), a.Severity):
		advice = fmt.Sprintf("severity %q is not one of %s", a.Severity, strings.Join(Severities(), ", "))
	default:
		return nil
	}
	return &RefusedError{Call: System + ": " + k.name, Reason: ReasonInput, Advice: advice}
}

// Acknowledge marks the page of a key as seen. It may be repeated. PagerDuty
// answers yes for a key that it does not know.
func (c *Client) Acknowledge(ctx context.Context, service, dedupKey string) error {
	k := &call{name: "acknowledge page of " + dedupKey, service: service, repeatable: true, changes: true}
	return c.send(ctx, k, &sdk.V2Event{Action: "acknowledge", DedupKey: dedupKey})
}

// Resolve closes the page of a key. It may be repeated. PagerDuty answers yes
// for a key that it does not know.
func (c *Client) Resolve(ctx context.Context, service, dedupKey string) error {
	k := &call{name: "resolve page of " + dedupKey, service: service, repeatable: true, changes: true}
	return c.send(ctx, k, &sdk.V2Event{Action: "resolve", DedupKey: dedupKey})
}

// maxKey is how many characters PagerDuty takes as a key.
const maxKey = 255

func (c *Client) send(ctx context.Context, k *call, event *sdk.V2Event) error {
	key := c.key(k.service)
	name := System + ": " + k.name
	switch {
	case key == "":
		return &RefusedError{Call: name, Reason: ReasonUnknown, Advice: fmt.Sprintf("no routing key is configured for service %q; configured are %q", k.service, c.services)}
	case event.DedupKey == "" || len(event.DedupKey) > maxKey:
		return &RefusedError{Call: name, Reason: ReasonInput, Advice: fmt.Sprintf("the key has %d characters, PagerDuty takes 1 to %d", len(event.DedupKey), maxKey)}
	}
	event.RoutingKey = key
	answer, err := c.events.ManageEventWithContext(k.in(ctx), event)
	if err = c.judge(k, err); err != nil {
		return err
	}
	if answer.Status != "success" || answer.DedupKey != event.DedupKey {
		return k.odd(fmt.Errorf("status %q for key %q", answer.Status, answer.DedupKey))
	}
	return nil
}

// cut shortens a text to n characters, the last of which then says so.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
