package jobs

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"dw/workflows"
)

// errStands says that Fire answered success and left the deadline where it was.
// Firing it again at once would never end.
var errStands = errors.New("it was fired, but it still stands in the store")

// tickerLoop is the state of one Run; only its own goroutine touches it.
type tickerLoop struct {
	t       *Ticker
	log     *slog.Logger
	every   time.Duration
	waiting []workflows.Deadline // due, not yet started, earliest first
	more    bool                 // the store had more than was asked for
	running map[key]bool
	failing map[key]failure
	over    map[key]bool // fired with success, not yet seen to be gone
	results chan fired
	problem string // why the store could not be read, as last logged
}

// key identifies a deadline whatever the location of its time.
type key struct {
	kind, subject string
	due           int64
}

func keyOf(d workflows.Deadline) key { return key{d.Kind, d.Subject, d.DueAt.UnixMicro()} }

// failure is a deadline that could not be fired.
type failure struct {
	count  int
	reason string // as last logged
	again  time.Time
}

type fired struct {
	deadline workflows.Deadline
	err      error
}

func (l *tickerLoop) run(ctx context.Context) {
	tick := time.NewTicker(l.every)
	defer tick.Stop()
	l.look(ctx)
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
			l.look(ctx)
		case f := <-l.results:
			l.note(ctx, f)
			l.next(ctx)
		}
	}
	for len(l.running) > 0 {
		f := <-l.results
		delete(l.running, keyOf(f.deadline))
	}
}

// next starts what waits, and looks again where the last look was cut short.
func (l *tickerLoop) next(ctx context.Context) {
	l.start(ctx)
	if len(l.waiting) == 0 && l.more {
		l.look(ctx)
	}
}

// look reads what is due. Failing and running deadlines stay in the store, so
// the batch is larger by their number: they never crowd out others.
func (l *tickerLoop) look(ctx context.Context) {
	limit := dueBatch + len(l.failing) + len(l.running)
	var due []workflows.Deadline
	err := l.t.Store.View(ctx, func(tx workflows.ReadTx) (err error) {
		due, err = tx.Due(ctx, l.t.Now(), limit)
		return err
	})
	l.noteProblem(ctx, err)
	if err != nil {
		return
	}
	l.more = len(due) >= limit
	if !l.more {
		l.forget(ctx, due)
	}
	l.choose(ctx, due)
	l.start(ctx)
}

// choose keeps what can be started now.
func (l *tickerLoop) choose(ctx context.Context, due []workflows.Deadline) {
	now := l.t.Now()
	l.waiting = l.waiting[:0]
	for _, d := range due {
		k := keyOf(d)
		if l.over[k] {
			delete(l.over, k)
			l.fail(ctx, d, errStands)
		}
		if f, failed := l.failing[k]; l.running[k] || (failed && now.Before(f.again)) {
			continue
		}
		l.waiting = append(l.waiting, d)
	}
}

// forget drops what is known of deadlines that no longer stand.
func (l *tickerLoop) forget(ctx context.Context, due []workflows.Deadline) {
	standing := make(map[key]bool, len(due))
	for _, d := range due {
		standing[keyOf(d)] = true
	}
	for k, f := range l.failing {
		if standing[k] || l.running[k] {
			continue
		}
		if l.over[k] {
			l.of(k).InfoContext(ctx, "a deadline fired after failures", "failures", f.count)
		}
		delete(l.failing, k)
	}
	for k := range l.over {
		if !standing[k] {
			delete(l.over, k)
		}
	}
}

// start fires waiting deadlines while there is room. A deadline that has moved
// since the look is harmless: Fire takes exactly the one it is given.
func (l *tickerLoop) start(ctx context.Context) {
	for len(l.waiting) > 0 && len(l.running) < firesAtOnce && ctx.Err() == nil {
		d := l.waiting[0]
		l.waiting = l.waiting[1:]
		l.running[keyOf(d)] = true
		// run receives every result, also after ctx has ended.
		go func() { l.results <- fired{d, l.t.Fire(ctx, d)} }()
	}
}

func (l *tickerLoop) note(ctx context.Context, f fired) {
	k := keyOf(f.deadline)
	delete(l.running, k)
	switch {
	case ctx.Err() != nil:
		// It was cut off, which says nothing about the deadline.
	case f.err != nil:
		l.fail(ctx, f.deadline, f.err)
	default:
		l.over[k] = true
	}
}

func (l *tickerLoop) of(k key) *slog.Logger {
	return l.log.With("deadline", k.kind, "subject", k.subject)
}

func (l *tickerLoop) fail(ctx context.Context, d workflows.Deadline, err error) {
	k := keyOf(d)
	before := l.failing[k]
	pause := backoff(l.every, before.count)
	if err.Error() != before.reason {
		l.of(k).ErrorContext(ctx, "a deadline could not be fired; it is tried again", "error", err, "pause", pause)
	}
	l.failing[k] = failure{before.count + 1, err.Error(), l.t.Now().Add(pause)}
}

func (l *tickerLoop) noteProblem(ctx context.Context, err error) {
	switch {
	case err == nil && l.problem != "":
		l.problem = ""
		l.log.InfoContext(ctx, "deadlines can be read again")
	case err != nil && ctx.Err() == nil && err.Error() != l.problem:
		l.problem = err.Error()
		l.log.ErrorContext(ctx, "deadlines cannot be read; nothing fires until they can", "error", err)
	}
}
