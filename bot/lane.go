package bot

import (
	"context"
	"errors"
	"sync"
	"time"
)

// pace is how often something may be done: once in every, and burst at once.
type pace struct {
	every time.Duration
	burst int
}

// postPace is Slack's limit of one message per second and channel, and a few at
// once.
func postPace() pace { return pace{every: time.Second, burst: 3} }

// updatePace is tier 3 of Slack's limits, 50 a minute over the whole workspace,
// and a few at once. A channel's second does not count for it.
func updatePace() pace { return pace{every: time.Minute / 50, burst: 10} }

// errBusy is the cause of an UnsentError from a queue that is too long.
var errBusy = errors.New("too many messages wait before this one")

// lane keeps a pace: one turn after the other after a small burst, none while
// Slack asked to be left alone, the urgent first.
type lane struct {
	pace
	mu      sync.Mutex
	free    time.Time // when the bucket is next empty of debt
	paused  time.Time // Slack's Retry-After
	waiting []*turn   // urgent ones first, each kind in order of arrival
	timer   *time.Timer
}

// turn is one caller's place in the queue.
type turn struct {
	urgent bool
	ready  chan struct{}
}

// take waits for the caller's turn, at most wait long. It returns how long it
// would take when that is too long.
func (l *lane) take(ctx context.Context, urgent bool, wait time.Duration) (time.Duration, error) {
	t, expected := l.join(urgent, wait)
	if t == nil {
		return expected, errBusy
	}
	limit := time.NewTimer(wait)
	defer limit.Stop()
	select {
	case <-t.ready:
		return 0, nil
	case <-ctx.Done():
		l.drop(t)
		return 0, ctx.Err()
	case <-limit.C:
		l.drop(t)
		return l.every, errBusy
	}
}

// join queues a turn, or returns nil and the expected wait when it is hopeless.
func (l *lane) join(urgent bool, wait time.Duration) (*turn, time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := len(l.waiting)
	if urgent {
		for at > 0 && !l.waiting[at-1].urgent {
			at--
		}
	}
	expected := l.delay(time.Now()) + time.Duration(at)*l.every
	if expected > wait {
		return nil, expected
	}
	t := &turn{urgent: urgent, ready: make(chan struct{})}
	l.waiting = append(l.waiting, nil)
	copy(l.waiting[at+1:], l.waiting[at:])
	l.waiting[at] = t
	l.grant()
	return t, expected
}

// drop takes a turn out of the queue.
func (l *lane) drop(t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, other := range l.waiting {
		if other == t {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			return
		}
	}
}

// pause keeps the lane closed for d.
func (l *lane) pause(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := time.Now().Add(d); until.After(l.paused) {
		l.paused = until
	}
}

// grant lets all go whose time has come and sets the timer for the next one.
// The lock is held.
func (l *lane) grant() {
	for len(l.waiting) > 0 {
		now := time.Now()
		if d := l.delay(now); d > 0 {
			l.arm(d)
			return
		}
		if l.free.Before(now) {
			l.free = now
		}
		l.free = l.free.Add(l.every)
		close(l.waiting[0].ready)
		l.waiting = l.waiting[1:]
	}
}

// delay returns how long the next turn has to wait. The lock is held.
func (l *lane) delay(now time.Time) time.Duration {
	budget := l.free.Add(-time.Duration(l.burst-1) * l.every).Sub(now)
	return max(0, budget, l.paused.Sub(now))
}

func (l *lane) arm(d time.Duration) {
	if l.timer != nil {
		l.timer.Stop()
	}
	l.timer = time.AfterFunc(d, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.grant()
	})
}

// idle reports that the lane remembers nothing worth keeping.
func (l *lane) idle(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting) == 0 && !l.free.After(now) && !l.paused.After(now)
}
