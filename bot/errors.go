package bot

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/slack-go/slack"
)

// UnclearError says that nobody knows whether Slack did what was asked: the
// answer never came, or it was no answer. A post that ends so must not be sent
// again before [Client.FindByKey] has looked for it; calls that change nothing
// or set a whole state (updates, reads) may simply be repeated.
type UnclearError struct {
	// Method is the Web API method.
	Method string
	// Err is what happened.
	Err error
}

// Error names the method and what happened.
func (e *UnclearError) Error() string {
	return fmt.Sprintf("%s: it is not known whether Slack carried it out: %v", e.Method, e.Err)
}

// Unwrap returns what happened.
func (e *UnclearError) Unwrap() error { return e.Err }

// UnsentError says that Slack certainly did nothing: the call was never sent, or
// was turned away for its rate. It may be repeated after RetryAfter.
type UnsentError struct {
	// Method is the Web API method.
	Method string
	// RetryAfter is the shortest useful wait; 0 when it is not known.
	RetryAfter time.Duration
	// Err is what happened.
	Err error
}

// Error names the method and what happened.
func (e *UnsentError) Error() string {
	if e.RetryAfter > 0 {
		return fmt.Sprintf("%s: not sent, try again in %s: %v", e.Method, e.RetryAfter.Round(time.Second), e.Err)
	}
	return fmt.Sprintf("%s: not sent: %v", e.Method, e.Err)
}

// Unwrap returns what happened.
func (e *UnsentError) Unwrap() error { return e.Err }

// errRate is the cause of an UnsentError that came from Slack's limits.
var errRate = errors.New("the rate limit of Slack is reached")

// classify turns any error of a call into *RefusedError, *UnclearError or
// *UnsentError; the address, which may be a credential, is left out.
func classify(method string, err error) error {
	if err == nil {
		return nil
	}
	if after, limited := rateLimit(err); limited {
		return &UnsentError{Method: method, RetryAfter: after, Err: errRate}
	}
	if s, ok := errors.AsType[slack.SlackErrorResponse](err); ok {
		return refusedOrUnclear(method, s)
	}
	if s, ok := errors.AsType[slack.StatusCodeError](err); ok && s.Code < http.StatusInternalServerError {
		return refusal(method, fmt.Sprintf("http_%d", s.Code), "")
	}
	err = withoutURL(err)
	if neverSent(err) {
		return &UnsentError{Method: method, Err: err}
	}
	return &UnclearError{Method: method, Err: err}
}

// rateLimit reports whether Slack turned the call away for its rate, and for how
// long it wants to be left alone.
func rateLimit(err error) (time.Duration, bool) {
	if limited, ok := errors.AsType[*slack.RateLimitedError](err); ok {
		return max(limited.RetryAfter, time.Second), true
	}
	switch codeOf(err) {
	case "ratelimited", "rate_limited", "message_limit_exceeded", "http_429":
		return time.Second, true
	}
	return 0, false
}

func refusedOrUnclear(method string, s slack.SlackErrorResponse) error {
	switch s.Err {
	case "internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org":
		return &UnclearError{Method: method, Err: s} // Slack: "some aspect may have succeeded"
	}
	detail := ""
	if s.Needed != "" {
		detail = "needed: " + s.Needed
	} else if len(s.ResponseMetadata.Messages) > 0 {
		detail = s.ResponseMetadata.Messages[0]
	}
	return refusal(method, s.Err, detail)
}

// neverSent reports that no byte of the request can have left: the name was not
// found, the connection was refused, or its certificate was not accepted.
func neverSent(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok && (op.Op == "dial" || op.Op == "proxyconnect") {
		return true
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	return errors.Is(err, slack.ErrParametersMissing) || errors.Is(err, slack.ErrBlockIDNotUnique)
}

// repeatable reports that a call which changes nothing, or sets a whole state,
// is worth another try at once.
func repeatable(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	_, unclear := errors.AsType[*UnclearError](err)
	return unclear
}
