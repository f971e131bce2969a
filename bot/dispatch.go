package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"
)

// job is one envelope on its way to the handler.
type job struct {
	key      string
	event    Event
	deadline time.Time
}

// ack is what Slack expects as the answer to an envelope.
type ack struct {
	EnvelopeID string          `json:"envelope_id"`
	Payload    json.RawMessage `json:"payload,omitempty"`
}

// receive takes one frame in the reader's goroutine and must not wait for the
// handler: while the reader waits, Slack's pings go unanswered.
func (s *Socket) receive(l *link, raw []byte) {
	f, err := decodeFrame(raw, s.options.Now())
	switch {
	case err != nil:
		s.log.Error("cannot read an envelope from Slack; acknowledging it unread", "envelope", f.envelope, "err", err)
		if f.envelope != "" {
			s.answer(target{link: l, envelope: f.envelope}, nil)
		}
	case f.kind == frameHello:
		l.greet()
		s.status.note(func(n *Status) { n.Greeted, n.Problem = true, "" })
	case f.kind == frameDisconnect:
		l.leave(or(text(f.reason), "unknown"))
	default:
		s.accept(l, f)
	}
}

// accept queues an envelope unless it is known.
func (s *Socket) accept(l *link, f frame) {
	if f.extra > 0 {
		s.log.Warn("a payload holds several actions; only the first is handled", "envelope", f.envelope, "extra", f.extra)
	}
	t := target{link: l, envelope: f.envelope, accepts: f.accepts}
	l.inflight.Add(1)
	state, payload := s.seen.begin(f.key, t)
	s.arrived(state)
	switch state {
	case seenPending: // answered when the first delivery is
	case seenDone:
		s.answer(t, payload)
		l.inflight.Done()
	case seenNew:
		select {
		case s.queue <- job{key: f.key, event: f.event, deadline: time.Now().Add(s.options.HandleTimeout)}:
		default:
			s.log.Error("too many events wait to be handled; this one is dropped and the person sees Slack's error", "envelope", f.envelope)
			s.release(f.key)
		}
	}
}

// arrived counts an envelope.
func (s *Socket) arrived(state seenState) {
	at := s.options.Now()
	s.status.note(func(n *Status) {
		n.Event = at
		if state == seenNew {
			n.Events++
		} else {
			n.Repeats++
		}
	})
}

// work handles events until the queue is closed. The context's end does not cut
// an event short: what was accepted is finished.
func (s *Socket) work(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	for j := range s.queue {
		s.handle(ctx, j)
	}
}

func (s *Socket) handle(ctx context.Context, j job) {
	ctx, cancel := context.WithDeadline(ctx, j.deadline)
	defer cancel()
	reply, err := s.call(ctx, j.event)
	if err != nil {
		s.log.ErrorContext(ctx, "an event was not handled; it stays unacknowledged and the person sees Slack's error",
			"envelope", j.event.EnvelopeID(), "err", err)
		s.release(j.key)
		return
	}
	payload := s.payload(j.event.EnvelopeID(), reply)
	for _, t := range s.seen.complete(j.key, payload) {
		s.answer(t, payload)
		t.link.inflight.Done()
	}
}

// release gives an envelope up: nobody is answered, a redelivery is handled.
func (s *Socket) release(key string) {
	waiting := s.seen.forget(key)
	s.status.note(func(n *Status) { n.Unanswered += int64(len(waiting)) })
	for _, t := range waiting {
		t.link.inflight.Done()
	}
}

// call runs the handler; its panic is an error of this one event.
func (s *Socket) call(ctx context.Context, e Event) (reply any, err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("handle %T: it waited longer than Slack does: %w", e, err)
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("handle %T: panic: %v\n%s", e, p, debug.Stack())
		}
	}()
	reply, err = s.options.Handler.Handle(ctx, e)
	if err != nil {
		return nil, fmt.Errorf("handle %T: %w", e, err)
	}
	return reply, nil
}

// payload encodes the handler's reply. What it did is durable by now, so a reply
// that cannot be sent must not cost the acknowledgement.
func (s *Socket) payload(envelope string, reply any) json.RawMessage {
	if reply == nil {
		return nil
	}
	raw, err := json.Marshal(reply)
	if err != nil {
		s.log.Error("cannot encode the reply to an event; acknowledging without it", "envelope", envelope, "err", err)
		return nil
	}
	return raw
}

// answer acknowledges an envelope on the connection that brought it. An
// acknowledgement that cannot be written is only logged: the handler's work
// stands, and a redelivery is answered from memory.
func (s *Socket) answer(t target, payload json.RawMessage) {
	if payload != nil && !t.accepts {
		s.log.Warn("Slack takes no reply to this envelope; acknowledging without it", "envelope", t.envelope)
		payload = nil
	}
	message, err := encodeAck(t.envelope, payload)
	if err != nil {
		s.log.Error("the reply to an event cannot be sent; acknowledging without it", "envelope", t.envelope, "err", err)
		message, err = encodeAck(t.envelope, nil)
	}
	if err == nil {
		err = t.link.send(message)
	}
	if err != nil {
		s.log.Warn("an acknowledgement did not reach Slack", "envelope", t.envelope, "err", err)
		s.status.note(func(n *Status) { n.LostAcks++ })
	}
}

// encodeAck returns the bytes of one acknowledgement, under Slack's limit.
func encodeAck(envelope string, payload json.RawMessage) ([]byte, error) {
	message, err := json.Marshal(ack{EnvelopeID: envelope, Payload: payload})
	if err != nil {
		return nil, fmt.Errorf("encode acknowledgement: %w", err)
	}
	if len(message) >= ackLimit {
		return nil, fmt.Errorf("encode acknowledgement: %d bytes, Slack reads less than %d", len(message), ackLimit)
	}
	return message, nil
}
