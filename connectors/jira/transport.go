package jira

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"dw/connectors/internal/rest"
	"dw/workflows"
)

// call is what dw knows of a request beyond its bytes.
type call struct {
	name       string // for errors: "create issue in OPS"
	key        string // of the issue that it is about, if any
	method     string
	path       string
	query      url.Values
	changes    bool // something in Jira
	repeatable bool // though it changes something: the second time changes nothing
}

type callKey struct{}

// policy is the HTTP client that go-jira calls: it hands each request to the
// connectors' one policy.
type policy struct {
	rest   *rest.Client
	prefix string // of the base URL's path, which rest adds again
}

// Do sends a request. Its errors are those of rest.Client.Do.
func (p *policy) Do(req *http.Request) (*http.Response, error) {
	q, ok := req.Context().Value(callKey{}).(call)
	if !ok {
		return nil, fmt.Errorf("jira: %s %s was not announced", req.Method, req.URL.Path)
	}
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, fmt.Errorf("jira: %s: read own body: %w", q.name, err)
		}
	}
	res, err := p.rest.Do(req.Context(), rest.Call{
		Name: q.name, Method: req.Method, Path: strings.TrimPrefix(req.URL.EscapedPath(), p.prefix), Query: req.URL.Query(),
		Body: body, Idempotent: !q.changes || q.repeatable,
	})
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status: http.StatusText(res.Status), StatusCode: res.Status, Header: res.Header,
		Body: io.NopCloser(bytes.NewReader(res.Body)), Request: req,
	}, nil
}

// send makes one call with own body and decodes the answer into out; nil skips it.
func (c *Client) send(ctx context.Context, q call, body, out any) error {
	target := q.path
	if len(q.query) > 0 {
		target += "?" + q.query.Encode()
	}
	req, err := c.jira.NewRequestWithContext(context.WithValue(ctx, callKey{}, q), q.method, target, body)
	if err != nil {
		return fmt.Errorf("jira: %s: build request: %w", q.name, err)
	}
	_, err = c.jira.Do(req, out) //nolint:bodyclose // the policy's body is bytes in memory
	return c.judge(q, err)
}

// through makes one call by a method of go-jira.
func (c *Client) through(ctx context.Context, q call, by func(context.Context) error) error {
	return c.judge(q, by(context.WithValue(ctx, callKey{}, q)))
}

// judge turns an error of a call into one of this package. After a change,
// anything but a clear answer is a *workflows.UnclearError.
func (c *Client) judge(q call, err error) error {
	if err == nil {
		return nil
	}
	if refused, ok := errors.AsType[*rest.RefusedError](err); ok {
		return c.refused(q, refused)
	}
	if unclear, ok := errors.AsType[*rest.UnclearError](err); ok {
		return c.unclear(q, unclear.Err)
	}
	if unavailable, ok := errors.AsType[*rest.UnavailableError](err); ok {
		if q.changes && !neverSent(err) {
			return c.unclear(q, unavailable.Err)
		}
		return unavailable
	}
	err = fmt.Errorf("the answer has another form: %w", err)
	if q.changes {
		return c.unclear(q, err)
	}
	return fmt.Errorf("jira: %s: %w", q.name, err)
}

func (c *Client) unclear(q call, err error) error {
	return &workflows.UnclearError{Call: System + ": " + q.name, Err: err}
}

// neverSent reports whether no connection was made.
func neverSent(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &op) && op.Op == "dial" || errors.As(err, &dns)
}
