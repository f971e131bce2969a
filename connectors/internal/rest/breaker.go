package rest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sony/gobreaker/v2"
)

// Defaults of Options whose field is zero.
const (
	DefaultTrip  = 5
	DefaultPause = 10 * time.Second
)

// newBreaker keeps calls from a target that does not answer, so that a vendor
// that is down costs one call a pause and not a time-out for each effect. A
// refusal is an answer, and a caller that gave up says nothing about the target.
func newBreaker(o Options) *gobreaker.CircuitBreaker[Response] {
	return gobreaker.NewCircuitBreaker[Response](gobreaker.Settings{
		Name:        o.System,
		Timeout:     o.Pause,
		ReadyToTrip: func(c gobreaker.Counts) bool { return int(c.ConsecutiveFailures) >= o.Trip },
		IsSuccessful: func(err error) bool {
			_, refused := errors.AsType[*RefusedError](err)
			return err == nil || refused
		},
		IsExcluded: func(err error) bool { return errors.Is(err, context.Canceled) },
	})
}

// guarded makes a call unless the target has not answered for too long.
func (c *Client) guarded(call Call, do func() (Response, error)) (Response, error) {
	res, err := c.breaker.Execute(do)
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return res, &UnavailableError{Call: c.name(call), Err: fmt.Errorf(
			"not tried: %d calls in a row had no answer, so one is tried every %s", c.opts.Trip, c.opts.Pause)}
	}
	return res, err
}
