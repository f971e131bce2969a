package bot

import (
	"sync"
	"time"
)

// Status is what a [Socket] knows of its connections, for an operator. Counts
// run from the start of the process.
type Status struct {
	// Open is how many connections are open and greeted, Wanted how many are
	// held in normal running. While one is replaced there is one more.
	Open, Wanted int
	// Heard is when anything came from Slack last, pings included; Event when an
	// envelope did. Both are zero before the first.
	Heard, Event time.Time
	// Refreshes counts connections that Slack asked to replace and Breaks those
	// that ended without a word; Crowded those that Slack turned away because it
	// counted too many. Each was followed by a new attempt.
	Refreshes, Breaks, Crowded int64
	// Refusals counts attempts to connect that failed; Problem is why the last
	// one did, and is empty again once a connection is greeted.
	Refusals int64
	Problem  string
	// Events counts envelopes handed to the handler, Repeats those that came
	// again and were answered from memory.
	Events, Repeats int64
	// Unanswered counts envelopes that were not acknowledged: the handler failed
	// or there were too many. LostAcks counts acknowledgements that could not be
	// written to their connection.
	Unanswered, LostAcks int64
	// Greeted says that Slack has greeted a connection since the start. Stopped
	// is why no further one is opened; nil while dw goes on trying.
	Greeted bool
	Stopped *FatalError
}

// ledger is a Status under a lock. Open and Wanted are kept elsewhere.
type ledger struct {
	mu  sync.Mutex
	now Status
}

// note changes the status.
func (l *ledger) note(change func(*Status)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.now)
}

// Status returns what is known now.
func (s *Socket) Status() Status {
	s.status.mu.Lock()
	defer s.status.mu.Unlock()
	now := s.status.now
	now.Open, now.Wanted = int(s.open.Load()), s.options.Connections
	return now
}

// heard notes a sign of life of a connection.
func (s *Socket) heard() {
	at := s.options.Now()
	s.status.note(func(n *Status) { n.Heard = at })
}

// refused notes an attempt to connect that failed.
func (s *Socket) refused(err error) {
	s.status.note(func(n *Status) { n.Refusals++; n.Problem = err.Error() })
}
