// Package pagerduty takes in PagerDuty's v3 webhooks: what a person does to a
// page there is done to dw's incident. It checks who sends, how much, how old and
// whether it was seen before, ahead of one call of the service.
package pagerduty

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"dw/intake"
)

// ErrNotOurs is the answer of Acts for a page that belongs to none of dw's
// incidents. Other pages of a service are none of dw's business.
var ErrNotOurs = errors.New("the page belongs to no incident of dw")

// Acts does to dw's incident what a person did to its page. At is when it was
// done, UTC. Both are called again for the same act where dw stopped between the
// act and its memory, so that doing it twice must be as doing it once.
type Acts interface {
	PageAcknowledged(ctx context.Context, p Page, who Person, at time.Time) error
	PageResolved(ctx context.Context, p Page, who Person, at time.Time) error
}

// Memory remembers the ids of events, at least for Options.Window after at.
type Memory interface {
	SeenEvent(ctx context.Context, id string) (bool, error)
	RememberEvent(ctx context.Context, id string, at time.Time) error
}

// DefaultWindow is how old an event may be. PagerDuty signs no time of sending,
// so an older one could be a replay that dw has forgotten.
const DefaultWindow = 48 * time.Hour

// future is how far ahead of dw's clock an event may be said to have happened.
const future = 10 * time.Minute

// minSecret is the shortest secret that is accepted.
const minSecret = 16

// Options configure the handler. All but Window and Log are needed.
type Options struct {
	Acts    Acts
	Memory  Memory
	Secrets []string // of the subscription; several while one is being replaced
	Window  time.Duration
	Now     func() time.Time
	Log     *slog.Logger
}

// Handler answers POST /intake/pagerduty.
type Handler struct {
	opts Options

	mu   sync.Mutex
	busy map[string]bool // events being acted on, by id
}

// New checks the options.
func New(o Options) (*Handler, error) {
	switch {
	case o.Acts == nil || o.Memory == nil || o.Now == nil:
		return nil, errors.New("intake of pagerduty: Acts, Memory and Now are needed")
	case len(o.Secrets) == 0:
		return nil, errors.New("intake of pagerduty: the webhook subscription's secret is needed, else anybody could acknowledge pages")
	}
	for _, secret := range o.Secrets {
		if len(secret) < minSecret {
			return nil, fmt.Errorf("intake of pagerduty: a secret has %d characters, at least %d are needed", len(secret), minSecret)
		}
	}
	if o.Window == 0 {
		o.Window = DefaultWindow
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Handler{opts: o, busy: map[string]bool{}}, nil
}

// The results of an event that was taken in.
const (
	resultDone    = "done"
	resultKnown   = "known"    // a repeat
	resultIgnored = "ignored"  // a type that dw does not act on
	resultNotOurs = "not_ours" // a page that dw did not send
)

// refusal is an answer that says what to do.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

// ServeHTTP takes in one event. Everything but 2xx makes PagerDuty send it again.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e, err := h.read(w, r)
	result := ""
	if err == nil {
		result, err = h.once(r.Context(), e)
	}
	var no *refusal
	switch {
	case errors.As(err, &no):
		h.opts.Log.WarnContext(r.Context(), "pagerduty webhook refused", "status", no.status, "reason", no.text)
		write(w, no.status, map[string]string{"error": no.text})
	case err != nil:
		h.opts.Log.ErrorContext(r.Context(), "pagerduty webhook not acted on", "event", e.ID, "type", e.Type, "page", e.Page.Incident, "error", err)
		write(w, http.StatusInternalServerError, map[string]string{"error": "the event could not be acted on; send it again"})
	default:
		h.opts.Log.InfoContext(r.Context(), "pagerduty webhook", "event", e.ID, "type", e.Type, "page", e.Page.Incident, "result", result)
		write(w, http.StatusOK, map[string]string{"result": result})
	}
}

// read authenticates a request over its raw body and decodes it.
func (h *Handler) read(w http.ResponseWriter, r *http.Request) (Event, error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return Event{}, &refusal{http.StatusMethodNotAllowed, "use POST"}
	}
	sent := signatures(r)
	if len(sent) == 0 {
		return Event{}, &refusal{http.StatusUnauthorized, SignatureHeader + " is missing: create the webhook subscription with a secret"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, intake.MaxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return Event{}, &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes", intake.MaxBody)}
	case err != nil:
		return Event{}, &refusal{http.StatusBadRequest, "the body could not be read"}
	case !h.genuine(sent, body):
		return Event{}, &refusal{http.StatusUnauthorized, "no signature is that of a secret which dw accepts: compare the subscription's secret with dw's configuration"}
	}
	e, err := Decode(body)
	if err != nil {
		return Event{}, &refusal{http.StatusBadRequest, err.Error()}
	}
	switch age := h.opts.Now().Sub(e.At); {
	case age > h.opts.Window:
		return Event{}, &refusal{http.StatusBadRequest, fmt.Sprintf("the event is older than %s by dw's clock, a replay for all that dw knows", h.opts.Window)}
	case age < -future:
		return Event{}, &refusal{http.StatusBadRequest, "the event lies in the future by dw's clock"}
	}
	return e, nil
}

// once acts on an event that was not acted on before.
func (h *Handler) once(ctx context.Context, e Event) (string, error) {
	if e.Type != TypeAcknowledged && e.Type != TypeResolved {
		return resultIgnored, nil
	}
	if !h.take(e.ID) {
		return "", &refusal{http.StatusServiceUnavailable, "the same event is being acted on"}
	}
	defer h.leave(e.ID)
	seen, err := h.opts.Memory.SeenEvent(ctx, e.ID)
	switch {
	case err != nil:
		return "", fmt.Errorf("look up event %s: %w", e.ID, err)
	case seen:
		return resultKnown, nil
	}
	result, err := h.act(ctx, e)
	if err != nil {
		return "", err
	}
	if err := h.opts.Memory.RememberEvent(ctx, e.ID, e.At); err != nil {
		return "", fmt.Errorf("remember event %s: %w", e.ID, err)
	}
	return result, nil
}

func (h *Handler) act(ctx context.Context, e Event) (string, error) {
	do := h.opts.Acts.PageAcknowledged
	if e.Type == TypeResolved {
		do = h.opts.Acts.PageResolved
	}
	switch err := do(ctx, e.Page, e.By, e.At); {
	case errors.Is(err, ErrNotOurs):
		return resultNotOurs, nil
	case err != nil:
		return "", fmt.Errorf("%s of page %s: %w", e.Type, e.Page.Incident, err)
	}
	return resultDone, nil
}

// take marks an event as being acted on; false where it is already.
func (h *Handler) take(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy[id] {
		return false
	}
	h.busy[id] = true
	return true
}

func (h *Handler) leave(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.busy, id)
}

func write(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// The sender may have gone; what was done stays done.
	_ = json.NewEncoder(w).Encode(value)
}
