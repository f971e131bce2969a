// Package rest is the one HTTP policy of the connectors: time-outs, retries only
// of calls that may be repeated, Retry-After, limits on bodies, a request log
// without secrets, and errors that tell a refusal from an unclear outcome.
package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/sony/gobreaker/v2"
)

// Defaults of Options whose field is zero.
const (
	DefaultTimeout = 15 * time.Second
	DefaultRetries = 3
	DefaultMaxWait = 20 * time.Second
	DefaultMaxBody = 4 << 20
)

// Secret is a header that is sent with each request and never printed.
type Secret struct {
	Header string
	Value  string
}

// String hides the value.
func (s Secret) String() string { return s.Header + ": [redacted]" }

// GoString hides the value.
func (s Secret) GoString() string { return s.String() }

// LogValue hides the value.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText hides the value.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Options configure a client of one target.
type Options struct {
	System    string // for errors and logs: "dagster"
	BaseURL   string // http or https, without user or password
	Secrets   []Secret
	Timeout   time.Duration // of one attempt
	Retries   int           // after the first attempt of a call that may be repeated; negative: none
	MinWait   time.Duration // before the first retry; zero is 200 ms
	MaxWait   time.Duration // before any retry; a longer Retry-After ends the call
	MaxBody   int64         // bytes of an answer
	Trip      int           // calls in a row without an answer, after which none is made for Pause
	Pause     time.Duration // before a target that does not answer is tried again
	Log       *slog.Logger
	Transport http.RoundTripper // nil is http.DefaultTransport
}

// Client calls one target.
type Client struct {
	opts Options
	base *url.URL
	http *retryablehttp.Client

	breaker *gobreaker.CircuitBreaker[Response]
}

// Call is one request.
type Call struct {
	Name       string // for errors and logs: "launch run"
	Method     string
	Path       string // joined to the base
	Query      url.Values
	Body       []byte // JSON, nil for none
	Idempotent bool   // may be repeated without a second effect
}

// Response is an answer with a status below 300.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// New builds a client. A base that is no plain http or https URL is an error.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("%s: its URL cannot be read", o.System) // err would repeat a password
	}
	switch {
	case base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		return nil, fmt.Errorf("%s: URL must be http://host or https://host", o.System)
	case base.User != nil:
		return nil, fmt.Errorf("%s: URL must not hold a user or password; configure the token", o.System)
	}
	o = o.withDefaults()
	c := &Client{opts: o, base: base, http: retryablehttp.NewClient(), breaker: newBreaker(o)}
	c.http.HTTPClient = &http.Client{Transport: o.Transport, Timeout: o.Timeout, CheckRedirect: noRedirect}
	c.http.Logger = nil
	c.http.RetryMax = o.Retries
	c.http.RetryWaitMin, c.http.RetryWaitMax = o.MinWait, o.MaxWait
	c.http.CheckRetry = c.checkRetry
	c.http.ErrorHandler = retryablehttp.PassthroughErrorHandler
	return c, nil
}

func (o Options) withDefaults() Options {
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Retries == 0 {
		o.Retries = DefaultRetries
	}
	o.Retries = max(o.Retries, 0)
	if o.MinWait == 0 {
		o.MinWait = 200 * time.Millisecond
	}
	if o.MaxWait == 0 {
		o.MaxWait = DefaultMaxWait
	}
	if o.MaxBody == 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.Trip == 0 {
		o.Trip = DefaultTrip
	}
	if o.Pause == 0 {
		o.Pause = DefaultPause
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	return o
}

// noRedirect keeps the secrets on the host that they are for.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Do makes one call. Errors are *RefusedError (the target said no; nothing was
// done), *UnclearError (the call may have had its effect) or *UnavailableError
// (it was not sent, or may be repeated and was not answered). Where Trip calls in
// a row had no answer, none is sent until Pause is over.
func (c *Client) Do(ctx context.Context, call Call) (Response, error) {
	return c.guarded(call, func() (Response, error) { return c.do(ctx, call) })
}

func (c *Client) do(ctx context.Context, call Call) (Response, error) {
	req, err := c.request(ctx, call)
	if err != nil {
		return Response{}, err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return Response{}, c.failed(ctx, call, err)
	}
	defer res.Body.Close() //nolint:errcheck // only read
	body, err := c.read(res.Body)
	c.opts.Log.DebugContext(ctx, "http call", "system", c.opts.System, "call", call.Name, "method", req.Method,
		"host", req.URL.Host, "path", req.URL.Path, "status", res.StatusCode, "bytes", len(body))
	return c.judge(call, res, body, err)
}

func (c *Client) request(ctx context.Context, call Call) (*retryablehttp.Request, error) {
	target := c.base.JoinPath(call.Path)
	target.RawQuery = call.Query.Encode()
	ctx = context.WithValue(ctx, repeatable{}, call.Idempotent)
	var body any
	if call.Body != nil {
		body = bytes.NewReader(call.Body)
	}
	req, err := retryablehttp.NewRequestWithContext(ctx, call.Method, target.String(), body)
	if err != nil {
		return nil, &UnavailableError{Call: c.name(call), Err: bare(err)}
	}
	req.Header.Set("Accept", "application/json")
	if call.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, s := range c.opts.Secrets {
		req.Header.Set(s.Header, s.Value)
	}
	return req, nil
}

var errTooLarge = errors.New("the answer is larger than the limit")

func (c *Client) read(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, c.opts.MaxBody+1))
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", bare(err))
	}
	if int64(len(body)) > c.opts.MaxBody {
		return nil, fmt.Errorf("%w of %d bytes", errTooLarge, c.opts.MaxBody)
	}
	return body, nil
}

// judge turns an answer into a response or one of the errors of Do.
func (c *Client) judge(call Call, res *http.Response, body []byte, err error) (Response, error) {
	switch {
	case res.StatusCode >= 300 && res.StatusCode < 500:
		return Response{}, &RefusedError{Call: c.name(call), Status: res.StatusCode, Text: c.clean(body), RetryAfter: res.Header.Get("Retry-After")}
	case res.StatusCode >= 500:
		return Response{}, c.unclear(call, fmt.Errorf("status %d: %s", res.StatusCode, c.clean(body)))
	case err != nil:
		return Response{}, c.unclear(call, err)
	}
	return Response{Status: res.StatusCode, Header: res.Header, Body: body}, nil
}

func (c *Client) unclear(call Call, err error) error {
	if call.Idempotent {
		return &UnavailableError{Call: c.name(call), Err: err}
	}
	return &UnclearError{Call: c.name(call), Err: err}
}

// failed judges a call without an answer. A connection that was never made had
// no effect.
func (c *Client) failed(ctx context.Context, call Call, err error) error {
	c.opts.Log.DebugContext(ctx, "http call failed", "system", c.opts.System, "call", call.Name, "host", c.base.Host, "path", call.Path, "error", bare(err))
	if neverSent(err) {
		return &UnavailableError{Call: c.name(call), Err: bare(err)}
	}
	return c.unclear(call, bare(err))
}

func (c *Client) name(call Call) string { return c.opts.System + ": " + call.Name }

// maxText bounds foreign text in an error.
const maxText = 500

// clean makes foreign text fit for an error: short, one line, without secrets.
func (c *Client) clean(body []byte) string {
	s := string(body)
	for _, secret := range c.opts.Secrets {
		if secret.Value != "" {
			s = strings.ReplaceAll(s, secret.Value, "[redacted]")
		}
	}
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"), func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	if r := []rune(s); len(r) > maxText {
		return string(r[:maxText]) + "…"
	}
	return s
}
