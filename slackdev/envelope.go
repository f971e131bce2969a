package slackdev

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// What the user sees when the app did not take an envelope.
const (
	// NotDelivered is shown when no connection was open.
	NotDelivered = "dispatch_failed"
	// NotAcked is shown when no acknowledgement came in time.
	NotAcked = "operation_timeout"
	// BadAck is shown when the payload of the acknowledgement was not usable.
	BadAck = "invalid_app_response"
	// EventDropped is the outcome of an event over the hourly limit; nobody sees it.
	EventDropped = "app_rate_limited"
)

// Outcome is what came of a person's act, as that person sees it.
type Outcome struct {
	Acked bool `json:"acked"`
	// Error is empty, NotDelivered, NotAcked, BadAck, or what the client itself
	// refused before asking the app, such as RequiredField.
	Error string `json:"error,omitempty"`
	// Detail explains Error to a developer.
	Detail string `json:"detail,omitempty"`
	// Payload is what the app put into its acknowledgement.
	Payload json.RawMessage `json:"payload,omitempty"`
}

// envelope is one delivery to the app.
type envelope struct {
	ID      string          `json:"envelope_id"`
	Type    string          `json:"type"`
	Accepts bool            `json:"accepts_response_payload"`
	Payload json.RawMessage `json:"payload"`
	Attempt *int            `json:"retry_attempt,omitempty"`
	Reason  *string         `json:"retry_reason,omitempty"`
}

type ack struct {
	EnvelopeID string          `json:"envelope_id"`
	Payload    json.RawMessage `json:"payload"`
}

// delivery waits for the acknowledgement of an envelope on the connections that
// carried it.
type delivery struct {
	acks    chan ack // holds one
	sockets []*socket
}

// takeAck hands an acknowledgement to who waits for it; it returns why it was
// dropped, or "".
func (s *Server) takeAck(sock *socket, a ack) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dropAcks > 0 {
		s.dropAcks--
		return "fault: lost on the way"
	}
	d := s.pending[a.EnvelopeID]
	switch {
	case d == nil:
		return "unknown envelope, or too late"
	case !slices.Contains(d.sockets, sock):
		return "came over another connection than the envelope"
	}
	select {
	case d.acks <- a:
		return ""
	default:
		return "already acknowledged"
	}
}

// dispatch delivers an envelope and waits for the app. The error is that of ctx
// or of a closed server; what the app did is in the outcome.
func (s *Server) dispatch(ctx context.Context, e envelope) (Outcome, error) {
	d, targets := s.address(&e)
	defer s.settle(e.ID)
	if len(targets) == 0 {
		s.journal("not delivered", "type", e.Type, "envelope_id", e.ID)
		return Outcome{Error: NotDelivered, Detail: "the app has no open connection"}, nil
	}
	s.journal("envelope", "type", e.Type, "envelope_id", e.ID, "payload", e.Payload)
	var failed error
	for _, sock := range targets {
		failed = errors.Join(failed, sock.lockedSend(e))
	}
	if failed != nil {
		return Outcome{Error: NotDelivered, Detail: fmt.Sprintf("write to the app: %v", failed)}, nil
	}
	timer := time.NewTimer(s.opts.AckTimeout)
	defer timer.Stop()
	select {
	case a := <-d.acks:
		return accepted(e, a), nil
	case <-timer.C:
		s.journal("not acknowledged", "envelope_id", e.ID)
		return Outcome{Error: NotAcked, Detail: "the app did not acknowledge within " + s.opts.AckTimeout.String()}, nil
	case <-ctx.Done():
		return Outcome{}, fmt.Errorf("slackdev: wait for the app's acknowledgement: %w", ctx.Err())
	case <-s.ctx.Done():
		return Outcome{}, errors.New("slackdev: closed while waiting for the app's acknowledgement")
	}
}

func accepted(e envelope, a ack) Outcome {
	out := Outcome{Acked: true}
	if e.Accepts && string(a.Payload) != "null" && string(a.Payload) != "{}" {
		out.Payload = a.Payload
	}
	return out
}

// address gives the envelope an id if it has none and picks who gets it: one
// connection at random, those told to go last; two picks for a duplicate.
func (s *Server) address(e *envelope) (*delivery, []*socket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.ID == "" {
		e.ID = s.opts.NewID()
	}
	fresh := slices.DeleteFunc(slices.Clone(s.sockets), func(k *socket) bool { return k.draining })
	if len(fresh) == 0 {
		fresh = s.sockets
	}
	d := &delivery{acks: make(chan ack, 1)}
	if len(fresh) > 0 {
		d.sockets = append(d.sockets, fresh[s.opts.Pick(len(fresh))])
		if s.duplicate > 0 {
			s.duplicate--
			d.sockets = append(d.sockets, fresh[s.opts.Pick(len(fresh))])
		}
	}
	s.pending[e.ID] = d
	kept := *e
	s.last = &kept
	return d, d.sockets
}

func (s *Server) settle(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, id)
}

// ReplayLast delivers the last envelope again: under the same envelope id, or
// under a new one as a resent request would have. What the acknowledgement
// carries is not applied.
func (s *Server) ReplayLast(ctx context.Context, sameID bool) (Outcome, error) {
	s.mu.Lock()
	last := s.last
	s.mu.Unlock()
	if last == nil {
		return Outcome{}, errors.New("slackdev: replay: nothing was delivered yet")
	}
	e := *last
	if !sameID {
		e.ID = ""
	}
	return s.dispatch(ctx, e)
}
