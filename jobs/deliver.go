package jobs

import (
	"context"
	"errors"
	"strings"

	"dw/workflows"
)

// Deliverer carries out effects outside dw. An effect may come again with the
// same Key after a crash or a time-out. An error is retried, unless it is
// wrapped by Permanent.
type Deliverer interface {
	Deliver(ctx context.Context, e workflows.Effect) error
}

// ErrNoDeliverer says that no deliverer was given for an effect's kind.
var ErrNoDeliverer = errors.New("no deliverer for this kind of effect")

type permanentError struct{ err error }

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

// Permanent marks err as one that no retry will mend: the effect is given up at
// once and reported. Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanentError{err}
}

// IsPermanent reports whether err, or one that it wraps, came from Permanent.
func IsPermanent(err error) bool {
	var p *permanentError
	return errors.As(err, &p)
}

// choose returns the deliverer with the longest prefix of kind.
func choose(deliverers map[string]Deliverer, kind string) (Deliverer, bool) {
	var best Deliverer
	length := -1
	for prefix, d := range deliverers {
		if len(prefix) > length && strings.HasPrefix(kind, prefix) {
			best, length = d, len(prefix)
		}
	}
	return best, length >= 0
}
