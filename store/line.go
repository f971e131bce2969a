package store

import (
	"context"
	"slices"
	"sync"
)

// groupMost is how many updates share one commit at most: the first of them waits
// for the last.
const groupMost = 64

// line is where the updates of a SQLite database wait for their turn. Who has the
// turn has it alone, and gives it on with the transaction that is open, if one is.
type line struct {
	mu      sync.Mutex
	taken   bool
	waiting []*waiter
	entered int // who waited until now
}

type waiter struct {
	number int
	alone  bool
	turn   chan handed // takes one
}

// handed is a turn: the open transaction that comes with it, nil for none; or, with
// an error, no turn.
type handed struct {
	open *group
	err  error
}

// enter waits for the turn and returns the open transaction that comes with it, nil
// for none; alone never joins one. An error means that ctx ended first, or that the
// database could not be had all the while, and that there is no turn to give on.
func (l *line) enter(ctx context.Context, alone bool, leave func(*group)) (*group, error) {
	l.mu.Lock()
	if !l.taken {
		l.taken = true
		l.mu.Unlock()
		return nil, nil
	}
	l.entered++
	w := &waiter{number: l.entered, alone: alone, turn: make(chan handed, 1)}
	l.waiting = append(l.waiting, w)
	l.mu.Unlock()
	select {
	case h := <-w.turn:
		return h.open, h.err
	case <-ctx.Done():
	}
	if !l.drop(w) {
		if h := <-w.turn; h.err == nil {
			leave(h.open) // it came at the same moment; others wait for it
		}
	}
	return nil, ctx.Err()
}

// last is the number of whoever entered last.
func (l *line) last() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.entered
}

// refuse answers everybody up to a number who still waits. They have waited for the
// database as long as the one who was refused: each waiting as long again, one after
// the other, would keep a person waiting for minutes.
func (l *line) refuse(upTo int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = slices.DeleteFunc(l.waiting, func(w *waiter) bool {
		if w.number > upTo {
			return false
		}
		w.turn <- handed{err: err}
		return true
	})
}

// drop takes w out of the line and reports false where it had its turn already.
func (l *line) drop(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.Index(l.waiting, w)
	if at < 0 {
		return false
	}
	l.waiting = slices.Delete(l.waiting, at, at+1)
	return true
}

// join gives the turn on with g to the next in line, and reports false, keeping the
// turn, where nobody waits who may join g.
func (l *line) join(g *group) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 || l.waiting[0].alone {
		return false
	}
	l.next(g)
	return true
}

// pass gives the turn on without a transaction.
func (l *line) pass() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.taken = false
		return
	}
	l.next(nil)
}

func (l *line) next(g *group) {
	l.waiting[0].turn <- handed{open: g}
	l.waiting = slices.Delete(l.waiting, 0, 1)
}
