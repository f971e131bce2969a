package pagerduty

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Hook is a webhook subscription. Each of its secrets signs: two while one is
// being replaced.
type Hook struct {
	ID      string
	URL     string
	Secrets []string
}

// delivery is one event on its way to one hook.
type delivery struct {
	id    string // of the event
	hook  Hook
	event object
}

// userAgent and serviceAgent are who did it.
func userAgent(u User) object { return u.reference() }

func serviceAgent(x Service) object { return x.reference() }

// hookIncident is an incident as webhooks show it.
func (s *Server) hookIncident(in *Incident) object {
	o := s.full(in)
	o["number"], o["assignees"], o["teams"], o["priority"] = in.Number, []object{}, []object{}, nil
	delete(o, "incident_number")
	delete(o, "assignments")
	delete(o, "summary")
	return o
}

// announce queues an event for each hook. The lock is held.
func (s *Server) announce(kind string, agent, data object) {
	id, resource := s.opts.NewID(), strings.Split(kind, ".")[0]
	e := object{"event": object{
		"id": id, "event_type": kind, "resource_type": resource, "occurred_at": s.opts.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		"agent": agent, "client": nil, "data": data,
	}}
	for _, h := range s.opts.Hooks {
		s.queue = append(s.queue, delivery{id: id, hook: h, event: e})
	}
}

// Subscribe adds a hook for the events from now on.
func (s *Server) Subscribe(h Hook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opts.Hooks = append(s.opts.Hooks, h)
}

// Ping queues the vendor's test event.
func (s *Server) Ping() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.announce("pagey.ping", nil, object{"message": "Hello from your friend Pagey!", "type": "ping"})
}

// Deliver sends what is queued, oldest first, and returns how many were taken.
// What a hook did not answer with 2xx stays queued, as the vendor repeats it.
func (s *Server) Deliver(ctx context.Context) (int, error) {
	s.mu.Lock()
	todo := s.queue
	s.queue = nil
	s.mu.Unlock()
	var failed []delivery
	var errs []error
	for _, d := range todo {
		if err := s.post(ctx, d); err != nil {
			failed, errs = append(failed, d), append(errs, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(failed, s.queue...)
	return len(todo) - len(failed), errors.Join(errs...)
}

// Repeat sends everything once more that a hook took already, as a sender does
// that saw no answer.
func (s *Server) Repeat(ctx context.Context) error {
	s.mu.Lock()
	todo := append([]delivery(nil), s.sent...)
	s.mu.Unlock()
	var errs []error
	for _, d := range todo {
		errs = append(errs, s.send(ctx, d))
	}
	return errors.Join(errs...)
}

func (s *Server) post(ctx context.Context, d delivery) error {
	if err := s.send(ctx, d); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, d)
	return nil
}

func (s *Server) send(ctx context.Context, d delivery) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	body, err := json.Marshal(d.event)
	if err != nil {
		return fmt.Errorf("encode webhook %s: %w", d.id, err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.hook.URL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("deliver webhook %s: %w", d.id, err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "PagerDuty-Webhook/V3.0")
	r.Header.Set("X-Webhook-Id", d.id)
	r.Header.Set("X-Pagerduty-Signature", Sign(body, d.hook.Secrets...))
	res, err := s.opts.Client.Do(r)
	if err != nil {
		return fmt.Errorf("deliver webhook %s: %w", d.id, err)
	}
	defer res.Body.Close() //nolint:errcheck // only read
	said, _ := io.ReadAll(io.LimitReader(res.Body, 1000))
	if res.StatusCode >= 300 {
		return fmt.Errorf("deliver webhook %s: status %d: %s", d.id, res.StatusCode, strings.TrimSpace(string(said)))
	}
	return nil
}

// Sign returns the value of X-PagerDuty-Signature for a body: one signature for
// each secret.
func Sign(body []byte, secrets ...string) string {
	var out []string
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		out = append(out, "v1="+hex.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(out, ",")
}
