// Package pagerduty speaks PagerDuty's REST API v2 and Events API v2: it pages,
// acknowledges and resolves by the key of dw's incident, writes notes and finds
// them again by their marker, and reads who is on call. go-pagerduty builds the
// requests; the connectors' HTTP policy sends them.
package pagerduty

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"dw/connectors/internal/rest"

	sdk "github.com/PagerDuty/go-pagerduty"
)

// System is the name of the system in errors, logs and actions.
const System = "pagerduty"

// The vendor's addresses. An account in the EU has others.
const (
	DefaultBaseURL   = "https://api.pagerduty.com"
	DefaultEventsURL = "https://events.pagerduty.com"
)

// Options configure a client. Now and an API key or a routing key are needed.
type Options struct {
	APIKey string // of the REST API; empty: only events can be sent
	// RoutingKeys holds the integration key of each service, by the name that
	// dw's configuration gives the service. The name "" is the default.
	RoutingKeys map[string]string
	BaseURL     string        // empty is DefaultBaseURL
	EventsURL   string        // empty is DefaultEventsURL
	Timeout     time.Duration // of one attempt
	Retries     int           // of calls that may be repeated; negative: none
	Now         func() time.Time
	Log         *slog.Logger
	Transport   http.RoundTripper
}

// Client calls one PagerDuty account. It is safe for many goroutines.
type Client struct {
	api      *sdk.Client // nil without an API key
	events   *sdk.Client
	services []string                    // that have a routing key
	key      func(service string) string // a function does not print
	now      func() time.Time
}

// New builds a client without calling PagerDuty.
func New(o Options) (*Client, error) {
	switch {
	case o.Now == nil:
		return nil, errors.New("pagerduty: Now is needed")
	case o.APIKey == "" && len(o.RoutingKeys) == 0:
		return nil, errors.New("pagerduty: an API key or the routing key of a service is needed")
	}
	o = o.withDefaults()
	keys := maps.Clone(o.RoutingKeys)
	c := &Client{services: slices.Sorted(maps.Keys(keys)), key: func(service string) string { return keys[service] }, now: o.Now}
	for _, service := range c.services {
		if keys[service] == "" {
			return nil, fmt.Errorf("pagerduty: the routing key of service %q is empty", service)
		}
	}
	// go-pagerduty sees no host: the policy joins each path to its own base.
	events, err := o.sender(o.EventsURL)
	if err != nil {
		return nil, err
	}
	c.events = sdk.NewClient("", sdk.WithV2EventsAPIEndpoint(""))
	c.events.HTTPClient = events
	if o.APIKey == "" {
		return c, nil
	}
	api, err := o.sender(o.BaseURL)
	if err != nil {
		return nil, err
	}
	c.api = sdk.NewClient(o.APIKey, sdk.WithAPIEndpoint(""))
	c.api.HTTPClient = api
	return c, nil
}

func (o Options) withDefaults() Options {
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if o.EventsURL == "" {
		o.EventsURL = DefaultEventsURL
	}
	o.EventsURL = strings.TrimSuffix(strings.TrimSuffix(o.EventsURL, "/"), "/v2/enqueue")
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	return o
}

// sender builds the policy for one base. Every key is given to it, so that none
// is repeated from an answer; edge keeps them off the wire.
func (o Options) sender(base string) (sender, error) {
	secrets := []rest.Secret{{Header: "Authorization", Value: o.APIKey}}
	for _, service := range slices.Sorted(maps.Keys(o.RoutingKeys)) {
		secrets = append(secrets, rest.Secret{Header: "X-Routing-Key", Value: o.RoutingKeys[service]})
	}
	c, err := rest.New(rest.Options{
		System: System, BaseURL: base, Secrets: secrets, Timeout: o.Timeout, Retries: o.Retries,
		Log: o.Log, Transport: edge{o.Transport},
	})
	return sender{c}, err
}

// Check asks for the account's abilities, which any valid API key may read.
func (c *Client) Check(ctx context.Context) error {
	return c.ask(ctx, &call{name: "check the API key", repeatable: true}, func(ctx context.Context) error {
		_, err := c.api.ListAbilitiesWithContext(ctx)
		return err
	})
}

// ask makes one call of the REST API and judges its outcome.
func (c *Client) ask(ctx context.Context, k *call, do func(context.Context) error) error {
	if c.api == nil {
		return &RefusedError{Call: System + ": " + k.name, Reason: ReasonKey, Advice: "no API key is configured: set pagerduty's api_key"}
	}
	return c.judge(k, do(k.in(ctx)))
}

// wordForm is the form of the vendor's ids. They go into paths as they are.
var wordForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// checkID refuses what cannot be the id of a thing before anything is sent.
func checkID(k *call, what, id string) error {
	if wordForm.MatchString(id) {
		return nil
	}
	return &RefusedError{Call: System + ": " + k.name, Reason: ReasonInput, Advice: fmt.Sprintf("%q is not the id of a PagerDuty %s, which looks like PT4KHLK", id, what)}
}
