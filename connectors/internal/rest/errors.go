package rest

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
)

// RefusedError says that the target answered no, so that nothing was done.
type RefusedError struct {
	Call       string // "dagster: launch run"
	Status     int
	Text       string // what the target said, cleaned and cut
	RetryAfter string // as the target wrote it, empty if it did not
}

func (e *RefusedError) Error() string {
	text := fmt.Sprintf("%s: refused with status %d %s", e.Call, e.Status, http.StatusText(e.Status))
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}

// UnclearError says that a call may or may not have had its effect.
type UnclearError struct {
	Call string
	Err  error
}

func (e *UnclearError) Error() string { return e.Call + ": outcome unclear: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *UnclearError) Unwrap() error { return e.Err }

// UnavailableError says that a call could not be made, or that one which may be
// repeated was not answered. Of the latter one that changes something may have had
// its effect: whoever made it knows which of its calls do.
type UnavailableError struct {
	Call string
	Err  error
}

func (e *UnavailableError) Error() string { return e.Call + ": not available: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }

// bare takes the URL off an error of net/http: it may hold a query.
func bare(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// neverSent reports whether an error came before any byte of the request left.
func neverSent(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &op) && op.Op == "dial" || errors.As(err, &dns)
}
