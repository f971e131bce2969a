package jobs

import (
	"context"
	"log/slog"
	"time"

	"dw/workflows"
)

const (
	firesAtOnce     = 4
	dueBatch        = 100
	maxFireBackoff  = 5 * time.Minute
	defaultInterval = time.Second
)

// Ticker fires stored deadlines when they are due. Any number of processes may
// run one on the same store: Fire must take the deadline by compare-and-swap.
type Ticker struct {
	// Store holds the deadlines.
	Store workflows.Store
	// Fire carries out one deadline and takes it out of the store. After an
	// error it is called again with growing pauses, for as long as the deadline
	// stands.
	Fire func(ctx context.Context, d workflows.Deadline) error
	// Now is dw's clock, by which deadlines are due.
	Now func() time.Time
	// Every is the time between looks at the store; not positive means 1 s.
	Every time.Duration
	// Log takes failures, once per change; nil discards it.
	Log *slog.Logger
}

// Run fires what is due, earliest first and at most four at once, until ctx
// ends; it returns when every Fire has returned.
func (t *Ticker) Run(ctx context.Context) {
	l := &tickerLoop{
		t: t, log: t.Log, every: t.Every,
		running: map[key]bool{},
		failing: map[key]failure{},
		over:    map[key]bool{},
		results: make(chan fired),
	}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	if l.every <= 0 {
		l.every = defaultInterval
	}
	l.run(ctx)
}

// backoff doubles with each failure, from every up to five minutes.
func backoff(every time.Duration, failures int) time.Duration {
	pause := every
	for range failures {
		if pause *= 2; pause >= maxFireBackoff {
			return maxFireBackoff
		}
	}
	return pause
}
