package bot

import "time"

// Back-off between connections: Slack bans clients that reconnect in a storm,
// and people wait while none is open.
const (
	backoffFirst = 100 * time.Millisecond
	backoffMax   = 30 * time.Second
	// crowded is the step at which waiting starts after too_many_websockets.
	crowded = 5
)

// backoff tells how long to wait before the next connection. The first attempt
// after a stable connection is immediate; then 100 ms doubling up to 30 s.
type backoff struct {
	random  func() float64 // in [0, 1)
	attempt int
	atLeast time.Duration
}

// next returns the delay before the next attempt: between half and all of the
// step, so that many clients spread.
func (b *backoff) next() time.Duration {
	step := time.Duration(0)
	if b.attempt > 0 {
		step = min(backoffFirst<<min(b.attempt-1, 20), backoffMax)
	}
	b.attempt++
	delay := step/2 + time.Duration(b.random()*float64(step/2))
	delay = max(delay, b.atLeast)
	b.atLeast = 0
	return delay
}

// reset forgets earlier failures; only a connection that lived long earns it.
func (b *backoff) reset() { b.attempt = 0 }

// forgive takes the last attempt out of the count: the connection that it led to
// did not fail, Slack asked for another.
func (b *backoff) forgive() { b.attempt = max(0, b.attempt-1) }

// crowd makes the next delay that of a later step: there are too many
// connections, and a new one at once would make it worse.
func (b *backoff) crowd() { b.attempt = max(b.attempt, crowded) }

// hold makes the next delay at least d, as Slack asked by Retry-After.
func (b *backoff) hold(d time.Duration) { b.atLeast = max(b.atLeast, min(d, 5*time.Minute)) }
