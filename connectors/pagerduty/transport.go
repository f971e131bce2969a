package pagerduty

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"dw/connectors/internal/rest"
)

// call is what dw knows about a request that go-pagerduty builds, and what the
// policy learns about it. go-pagerduty flattens errors to text; they travel here.
type call struct {
	name       string // for errors and logs
	repeatable bool   // a second one has no second effect
	changes    bool   // it has an effect at all
	from       string // e-mail address of the person who acts
	service    string // whose routing key is used

	header  http.Header
	reached bool  // an attempt may have had its effect
	err     error // of the policy
}

// callKey is the context key of the call.
type callKey struct{}

func (k *call) in(ctx context.Context) context.Context { return context.WithValue(ctx, callKey{}, k) }

func callOf(r *http.Request) (*call, error) {
	if k, ok := r.Context().Value(callKey{}).(*call); ok {
		return k, nil
	}
	return nil, fmt.Errorf("pagerduty: %s %s is not one of dw's calls", r.Method, r.URL.Path)
}

// sender hands go-pagerduty's requests to the one HTTP policy.
type sender struct{ rest *rest.Client }

// Do meets go-pagerduty's HTTPClient.
func (s sender) Do(r *http.Request) (*http.Response, error) {
	k, err := callOf(r)
	if err != nil {
		return nil, err
	}
	var body []byte
	if r.Body != nil {
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, fmt.Errorf("read request: %w", err)
		}
	}
	k.header = r.Header
	res, err := s.rest.Do(r.Context(), rest.Call{
		Name: k.name, Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), Body: body, Idempotent: k.repeatable,
	})
	if err != nil {
		k.err = err
		return nil, err
	}
	return &http.Response{StatusCode: res.Status, Header: res.Header, Body: io.NopCloser(bytes.NewReader(res.Body)), Request: r}, nil
}

// edge is the last step before the wire: it sends the headers that go-pagerduty
// set and no others, and sees each attempt.
type edge struct{ base http.RoundTripper }

// RoundTrip sends one attempt.
func (e edge) RoundTrip(r *http.Request) (*http.Response, error) {
	k, err := callOf(r)
	if err != nil {
		return nil, err
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	out := r.Clone(r.Context())
	out.Header = k.header.Clone()
	res, err := e.base.RoundTrip(out)
	if err != nil {
		k.reached = k.reached || !neverSent(err)
		return nil, err
	}
	k.reached = k.reached || res.StatusCode < 300 || res.StatusCode >= 500
	if reset := res.Header.Get("Ratelimit-Reset"); res.StatusCode == http.StatusTooManyRequests && res.Header.Get("Retry-After") == "" && reset != "" {
		res.Header.Set("Retry-After", reset) // both count seconds
	}
	return res, nil
}

// neverSent reports whether a connection was never made.
func neverSent(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &op) && op.Op == "dial" || errors.As(err, &dns)
}
