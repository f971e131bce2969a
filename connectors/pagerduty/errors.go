package pagerduty

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"dw/connectors/internal/rest"
	"dw/workflows"
)

// Reason says why a call was refused.
type Reason string

// The reasons.
const (
	ReasonKey     Reason = "key"     // the API key or routing key is wrong or may not do this
	ReasonUser    Reason = "user"    // the person has no account there
	ReasonUnknown Reason = "unknown" // the incident, service, schedule or policy does not exist
	ReasonInput   Reason = "input"   // anything else that the vendor does not accept
)

// RefusedError says that the call was refused, by PagerDuty or before it was
// sent: nothing was done.
type RefusedError struct {
	Call   string // "pagerduty: add note to PT4KHLK"
	Reason Reason
	Status int    // of the answer; zero where nothing was sent
	Code   int    // the vendor's
	Text   string // what the vendor said
	Advice string // what to do
}

// Error says what was refused, what PagerDuty said, and what to do.
func (e *RefusedError) Error() string {
	var text strings.Builder
	text.WriteString(e.Call + ": refused")
	if e.Status != 0 {
		fmt.Fprintf(&text, " with status %d", e.Status)
	}
	for _, part := range []string{e.Text, e.Advice} {
		if part != "" {
			text.WriteString(": " + part)
		}
	}
	return text.String()
}

// RateLimitedError says that PagerDuty takes no more calls for now: nothing was
// done.
type RateLimitedError struct {
	Call    string
	RetryAt time.Time
}

// Error says when to try again, in UTC.
func (e *RateLimitedError) Error() string {
	return fmt.Sprintf("%s: PagerDuty's rate limit is reached and nothing was done: try again at %s", e.Call, e.RetryAt.UTC().Format("2006-01-02 15:04:05 MST"))
}

// judge turns the outcome of a call into nil, *RefusedError, *RateLimitedError,
// *workflows.UnclearError, or an error of a call that changed nothing.
func (c *Client) judge(k *call, err error) error {
	name := System + ": " + k.name
	var unclear *rest.UnclearError
	var refused *rest.RefusedError
	switch {
	case err == nil:
		return nil
	case k.err == nil:
		return k.odd(err)
	case errors.As(k.err, &unclear):
		return &workflows.UnclearError{Call: name, Err: unclear.Err}
	case k.changes && k.reached:
		return &workflows.UnclearError{Call: name, Err: cause(k.err)}
	case errors.As(k.err, &refused) && refused.Status == http.StatusTooManyRequests:
		return &RateLimitedError{Call: name, RetryAt: retryAt(refused.RetryAfter, c.now())}
	case errors.As(k.err, &refused):
		return k.refusal(refused)
	}
	return k.err
}

// odd is the error for an answer that says yes in an unknown form.
func (k *call) odd(err error) error {
	name := System + ": " + k.name
	if k.changes {
		return &workflows.UnclearError{Call: name, Err: fmt.Errorf("the answer has another form: %w", err)}
	}
	return fmt.Errorf("%s: the answer has another form: %w", name, err)
}

// cause takes the call's name off, which the new error repeats.
func cause(err error) error {
	if u, ok := errors.AsType[*rest.UnavailableError](err); ok {
		return u.Err
	}
	return err
}

// defaultWait is how long PagerDuty counts calls before it starts anew.
const defaultWait = time.Minute

// retryAt reads Retry-After: seconds, or a date.
func retryAt(header string, now time.Time) time.Time {
	if seconds, err := strconv.Atoi(header); err == nil && seconds >= 0 {
		return now.Add(time.Duration(seconds) * time.Second)
	}
	if at, err := http.ParseTime(header); err == nil {
		return at
	}
	return now.Add(defaultWait)
}

// The vendor's codes for a From header that is missing, no address, or of nobody.
const (
	codeUserNotFound  = 1008
	codeFromMalformed = 1028
	codeFromMissing   = 2016
)

func (k *call) refusal(r *rest.RefusedError) error {
	code, text := said(r.Text)
	e := &RefusedError{Call: r.Call, Status: r.Status, Code: code, Text: text, Reason: ReasonInput}
	switch {
	case r.Status == http.StatusUnauthorized:
		e.Reason, e.Advice = ReasonKey, "put a valid REST API key into pagerduty's api_key"
	case r.Status == http.StatusForbidden:
		e.Reason, e.Advice = ReasonKey, "the API key may not do this: give dw a key with write access to this service"
	case code == codeUserNotFound || code == codeFromMalformed || code == codeFromMissing:
		e.Reason, e.Advice = ReasonUser, noAccount(k.from)
	case r.Status == http.StatusNotFound:
		e.Reason, e.Advice = ReasonUnknown, "it was deleted, or belongs to another PagerDuty account"
	case strings.Contains(strings.ToLower(text), "routing") && k.changes:
		e.Reason, e.Advice = ReasonKey, fmt.Sprintf("put the integration key of an Events API v2 integration into the routing key of service %q", k.service)
	}
	return e
}

func noAccount(email string) string {
	return fmt.Sprintf("%s has no PagerDuty account: create one, or map the person to another e-mail address", email)
}

// said reads the vendor's error object, REST or Events. What is none is
// returned as it is.
func said(body string) (int, string) {
	type object struct {
		Message string          `json:"message"`
		Code    int             `json:"code"`
		Errors  json.RawMessage `json:"errors"`
	}
	var answer struct {
		object
		Error *object `json:"error"`
	}
	if json.Unmarshal([]byte(body), &answer) != nil {
		return 0, body
	}
	o := answer.object
	if answer.Error != nil {
		o = *answer.Error
	}
	var many []string
	var one string
	if json.Unmarshal(o.Errors, &many) != nil && json.Unmarshal(o.Errors, &one) == nil {
		many = []string{one}
	}
	return o.Code, strings.Join(append([]string{o.Message}, many...), ": ")
}
