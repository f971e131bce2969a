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
}

type waiter struct {
	alone bool
	turn  chan *group // takes one: the open transaction, or nil
}

// enter waits for the turn and returns the open transaction that comes with it, nil
// for none; alone never joins one. An error means that ctx ended first, and that
// there is no turn to give on.
func (l *line) enter(ctx context.Context, alone bool, leave func(*group)) (*group, error) {
	l.mu.Lock()
	if !l.taken {
		l.taken = true
		l.mu.Unlock()
		return nil, nil
	}
	w := &waiter{alone: alone, turn: make(chan *group, 1)}
	l.waiting = append(l.waiting, w)
	l.mu.Unlock()
	select {
	case g := <-w.turn:
		return g, nil
	case <-ctx.Done():
	}
	if !l.drop(w) {
		leave(<-w.turn) // it came at the same moment; others wait for it
	}
	return nil, ctx.Err()
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
	l.waiting[0].turn <- g
	l.waiting = slices.Delete(l.waiting, 0, 1)
}
