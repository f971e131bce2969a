package bot

import (
	"container/list"
	"encoding/json"
	"sync"
)

// seenLimit is how many answered envelopes are remembered.
const seenLimit = 1000

// seen remembers envelopes, so that one which Slack delivers again is answered
// with the same payload and not handled again. An envelope in the hands of the
// handler collects those who wait for its answer.
type seen struct {
	mu      sync.Mutex
	entries map[string]*seenEntry
	order   *list.List // keys of answered entries, oldest first
	limit   int
}

type seenEntry struct {
	done    bool
	payload json.RawMessage
	waiting []target
}

// target is where an acknowledgement goes.
type target struct {
	link     *link
	envelope string
	accepts  bool
}

func newSeen(limit int) *seen {
	return &seen{entries: make(map[string]*seenEntry), order: list.New(), limit: limit}
}

// seenState is what is known of an envelope on arrival.
type seenState int

const (
	seenNew     seenState = iota // never seen: the caller must handle it
	seenPending                  // being handled: the target will be answered then
	seenDone                     // answered before: send the payload again
)

// begin registers an arrival. The payload is that of an earlier answer.
func (s *seen) begin(key string, t target) (seenState, json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.entries[key]
	switch {
	case !ok:
		s.entries[key] = &seenEntry{waiting: []target{t}}
		return seenNew, nil
	case e.done:
		return seenDone, e.payload
	default:
		e.waiting = append(e.waiting, t)
		return seenPending, nil
	}
}

// complete keeps the payload of a handled envelope and returns all who wait.
func (s *seen) complete(key string, payload json.RawMessage) []target {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[key]
	waiting := e.waiting
	e.done, e.payload, e.waiting = true, payload, nil
	s.order.PushBack(key)
	for s.order.Len() > s.limit {
		delete(s.entries, s.order.Remove(s.order.Front()).(string))
	}
	return waiting
}

// forget drops an envelope that was not handled, so that a redelivery is, and
// returns all who wait.
func (s *seen) forget(key string) []target {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[key]
	delete(s.entries, key)
	return e.waiting
}
