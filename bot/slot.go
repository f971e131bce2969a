package bot

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/slack-go/slack"
)

const (
	stableAfter = time.Minute
	// settledAfter is the age from which Slack's own wish for a new connection is
	// no failure of the old one. Slack closes ten seconds after its warning, so a
	// back-off that grew with each refresh would leave a gap.
	settledAfter = 5 * time.Second
	drainFor     = 15 * time.Second // Slack closes about 10 s after its warning
)

// Reasons of Slack's disconnect that are more than "this connection will end".
const (
	reasonLinkDisabled = "link_disabled"
	reasonTooMany      = "too_many_websockets"
)

// slot keeps one connection open. Several slots side by side make a gap-free
// set; each has its own back-off.
type slot struct {
	socket   *Socket
	back     backoff
	retiring sync.WaitGroup
}

// run keeps the slot connected until ctx ends (nil) or Slack says something that
// no new attempt can mend (*FatalError).
func (t *slot) run(ctx context.Context) error {
	defer t.retiring.Wait()
	var old *link
	for {
		current, err := t.connect(ctx)
		if old != nil {
			t.retire(ctx, old)
		}
		if err != nil {
			return ignoreEnd(ctx, err)
		}
		if old, err = t.hold(ctx, current); err != nil {
			return ignoreEnd(ctx, err)
		}
	}
}

// ignoreEnd turns the end of the context into a clean return.
func ignoreEnd(ctx context.Context, err error) error {
	if _, fatal := errors.AsType[*FatalError](err); !fatal && ctx.Err() != nil {
		return nil
	}
	return err
}

// hold stays with an open connection until it has to be replaced. It returns the
// connection if it must stay open until the next one is there.
func (t *slot) hold(ctx context.Context, l *link) (*link, error) {
	l.ended(ctx)
	reason := l.why()
	age := time.Since(l.opened)
	if age >= stableAfter {
		t.back.reset()
	}
	log, count := t.socket.log, t.socket.status.note
	switch {
	case ctx.Err() != nil:
		t.end(l)
		return nil, ctx.Err()
	case reason == "":
		log.WarnContext(ctx, "Slack's socket broke; opening a new one", "err", l.err)
		count(func(n *Status) { n.Breaks++ })
		t.end(l)
		return nil, nil
	case reason == reasonLinkDisabled:
		t.end(l)
		return nil, fatalError(reasonLinkDisabled)
	case reason == reasonTooMany:
		t.crowded(ctx)
		t.end(l)
		return nil, nil
	default:
		log.InfoContext(ctx, "Slack asks for a new socket; opening it before closing the old one", "reason", reason)
		count(func(n *Status) { n.Refreshes++ })
		if age >= settledAfter {
			t.back.forgive()
		}
		return l, nil
	}
}

// crowded notes that Slack counts too many connections.
func (t *slot) crowded(ctx context.Context) {
	t.socket.log.WarnContext(ctx, "Slack counts too many sockets of this app; is another dw running with the same app-level token?")
	t.socket.status.note(func(n *Status) { n.Crowded++ })
	t.back.crowd()
}

// end closes a connection that is not worth reading any more, without keeping
// the slot from the next one. The slot waits for it at its own end.
func (t *slot) end(l *link) { t.retiring.Go(l.finish) }

// retire keeps reading the replaced connection until Slack closes it, then
// closes it. The slot waits for it at its own end.
func (t *slot) retire(ctx context.Context, l *link) {
	t.retiring.Go(func() {
		timer := time.NewTimer(drainFor)
		defer timer.Stop()
		select {
		case <-l.done:
		case <-timer.C:
		case <-ctx.Done():
		}
		l.finish()
	})
}

// connect opens a connection, backing off between attempts.
func (t *slot) connect(ctx context.Context) (*link, error) {
	for {
		if err := t.socket.wait(ctx, t.back.next()); err != nil {
			return nil, err
		}
		l, err := t.dial(ctx)
		if err == nil {
			return l, nil
		}
		if _, fatal := errors.AsType[*FatalError](err); fatal || ctx.Err() != nil {
			return nil, err
		}
		t.socket.refused(err)
		if limited, ok := errors.AsType[*slack.RateLimitedError](err); ok {
			t.back.hold(limited.RetryAfter)
		}
		t.socket.log.WarnContext(ctx, "cannot connect to Slack; trying again", "err", err)
	}
}

// dial opens one connection and waits for Slack's hello.
func (t *slot) dial(ctx context.Context) (*link, error) {
	address, err := ticket(ctx, t.socket.api)
	if err != nil {
		return nil, err
	}
	conn, resp, err := t.socket.dialer.DialContext(ctx, address, nil) //nolint:bodyclose // gorilla: the body need not be closed
	if err != nil {
		return nil, dialError(resp, withoutURL(err))
	}
	l := newLink(conn, &t.socket.open, t.socket.heard, t.socket.receive)
	if err := t.greeting(ctx, l); err != nil {
		t.end(l)
		return nil, err
	}
	return l, nil
}

// dialError adds the status of a refused upgrade.
func dialError(resp *http.Response, err error) error {
	if resp == nil {
		return fmt.Errorf("open Slack's socket: %w", err)
	}
	return fmt.Errorf("open Slack's socket: answer %q: %w", resp.Status, err)
}

// greeting waits for Slack's hello.
func (t *slot) greeting(ctx context.Context, l *link) error {
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	select {
	case <-l.hello:
	case <-l.left:
	case <-l.done:
	case <-ctx.Done():
	}
	if l.wasGreeted() {
		return nil // whatever came right after it, hold sees it
	}
	reason := l.why()
	switch fatal := fatalError(reason); {
	case fatal != nil:
		return fatal
	case reason != "":
		if reason == reasonTooMany {
			t.crowded(ctx)
		}
		return fmt.Errorf("open Slack's socket: Slack disconnected at once (%s)", reason)
	case ctx.Err() != nil:
		return fmt.Errorf("open Slack's socket: no hello within %s: %w", helloTimeout, ctx.Err())
	default:
		return fmt.Errorf("open Slack's socket: closed before hello: %w", l.err)
	}
}
