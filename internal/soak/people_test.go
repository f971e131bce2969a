package soak

import (
	"context"
	"sync"
	"time"

	"dw/blocks"
	"dw/slackdev"
)

// intent is what one person means to do: approve one proposal.
type intent struct {
	proposal, user, channel, ts string
}

// tally counts what people saw of their clicks.
type tally struct {
	Sent        int // clicks, repeated ones too
	Acked       int
	Undelivered int // no connection was open: Slack's dispatch_failed
	ByKill      int // no answer in three seconds, dw was killed meanwhile
	Unanswered  int // no answer in three seconds otherwise
	Again       int // clicks that repeat one which Slack showed as failed
	Shown       int // not repeated: the card had been painted as decided
	Twice       int // envelopes that Slack delivered twice at once
	Redelivered int // clicks that Slack delivered again later, under a new envelope
	AcksDropped int // acknowledgements that Slack lost
}

// crowd is the people who click.
type crowd struct {
	slack *slackdev.Server

	mu    sync.Mutex
	count tally
	acked map[intent]bool
	down  []span // when dw was killed, until it was connected again
}

// span is a time of no dw; a zero end has not come.
type span struct{ from, to time.Time }

// press has a person click until Slack shows that it was taken.
func (c *crowd) press(ctx context.Context, in intent) error {
	for again := false; ; again = true {
		if err := c.slack.Wait(ctx, func(s slackdev.Snapshot) bool { return s.Sockets > 0 }); err != nil {
			return err
		}
		began := time.Now()
		out, err := c.slack.Click(ctx, in.user, in.channel, in.ts, blocks.ActionApprove)
		if err != nil && ctx.Err() != nil {
			return err
		}
		if c.note(in, began, again, out, err) {
			return nil
		}
	}
}

// note counts one click; it reports whether the person is done.
func (c *crowd) note(in intent, began time.Time, again bool, out slackdev.Outcome, err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil { // the button is gone
		c.count.Shown++
		return true
	}
	c.count.Sent++
	if again {
		c.count.Again++
	}
	switch {
	case out.Acked:
		c.count.Acked++
		c.acked[in] = true
	case out.Error == slackdev.NotDelivered:
		c.count.Undelivered++
	case c.wasDown(began):
		c.count.ByKill++
	default:
		c.count.Unanswered++
	}
	return out.Acked
}

// wasDown reports whether dw was down at some time since began.
func (c *crowd) wasDown(began time.Time) bool {
	for _, s := range c.down {
		if s.to.IsZero() || s.to.After(began) {
			return true
		}
	}
	return false
}

// disturb makes some of the deliveries go wrong: each tenth comes twice, each
// fortieth acknowledgement is lost, each twenty-fifth click comes again.
func (c *crowd) disturb(ctx context.Context, n int) {
	twice, dropped, again := n%10 == 3, n%40 == 7, n%25 == 11
	c.mu.Lock()
	c.count.Twice += one(twice)
	c.count.AcksDropped += one(dropped)
	c.count.Redelivered += one(again)
	c.mu.Unlock()
	if twice {
		c.slack.Duplicate(1)
	}
	if dropped {
		c.slack.DropAcks(1)
	}
	if again {
		_, _ = c.slack.ReplayLast(ctx, false) // whatever comes of it, no decision may be made twice
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
