package intake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"time"

	"dw/diagnosis"
)

// Changes records change events. It reports false for one whose system and id
// were known already.
type Changes interface {
	RecordChange(ctx context.Context, c diagnosis.ChangeEvent) (bool, error)
}

// Options configure the handler. At least one token or key is needed.
type Options struct {
	Changes Changes
	Tokens  []string // bearer tokens; several while one is being replaced
	Keys    []string // HMAC keys of X-Dw-Signature; several while one is being replaced
	Now     func() time.Time
	Log     *slog.Logger
}

// minSecret is the shortest token or key that is accepted.
const minSecret = 16

// future is how far ahead of dw's clock a change may be said to have happened.
const future = 10 * time.Minute

// Handler answers POST /intake/changes.
type Handler struct{ opts Options }

// New checks the options.
func New(o Options) (*Handler, error) {
	switch {
	case o.Changes == nil || o.Now == nil:
		return nil, errors.New("intake: Changes and Now are needed")
	case len(o.Tokens)+len(o.Keys) == 0:
		return nil, errors.New("intake: a token or a key is needed, else anybody could report changes")
	}
	for _, secret := range append(append([]string(nil), o.Tokens...), o.Keys...) {
		if err := shortSecret(secret); err != nil {
			return nil, err
		}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Handler{opts: o}, nil
}

func shortSecret(secret string) error {
	if len(secret) < minSecret {
		return fmt.Errorf("intake: a token or key has %d characters, at least %d are needed", len(secret), minSecret)
	}
	return nil
}

// result is the answer to what was taken in.
type result struct {
	Recorded int `json:"recorded"`
	Known    int `json:"known"` // repeats, dropped
}

// refusal is an answer that says what to do.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

// ServeHTTP takes in one change event or an array of them. The events of one
// request are checked before the first is recorded; a request may be repeated,
// since a known event is dropped.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	events, err := h.read(w, r)
	var res result
	if err == nil {
		res, err = h.record(r.Context(), events)
	}
	var no *refusal
	switch {
	case errors.As(err, &no):
		write(w, no.status, map[string]string{"error": no.text})
	case err != nil:
		h.opts.Log.ErrorContext(r.Context(), "change events not recorded", "error", err, "recorded", res.Recorded)
		write(w, http.StatusInternalServerError, map[string]string{"error": "the events could not be stored; send the same request again"})
	default:
		write(w, http.StatusOK, res)
	}
}

// read authenticates a request over its raw body and decodes it.
func (h *Handler) read(w http.ResponseWriter, r *http.Request) ([]diagnosis.ChangeEvent, error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return nil, &refusal{http.StatusMethodNotAllowed, "use POST"}
	}
	if !h.mayKnock(r) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="dw intake"`)
		return nil, &refusal{http.StatusUnauthorized, "send Authorization: Bearer TOKEN, or X-Dw-Signature: v1=HEX, the HMAC-SHA256 of the body"}
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, &refusal{http.StatusUnsupportedMediaType, "send Content-Type: application/json"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes: send fewer events", MaxBody)}
	case err != nil:
		return nil, &refusal{http.StatusBadRequest, "the body could not be read"}
	case !h.genuine(r, body):
		return nil, &refusal{http.StatusUnauthorized, "the token or signature is not one that dw accepts"}
	}
	events, err := Decode(body)
	if err != nil {
		return nil, &refusal{http.StatusBadRequest, err.Error()}
	}
	for i, e := range events {
		if e.At.After(h.opts.Now().Add(future)) {
			return nil, &refusal{http.StatusBadRequest, fmt.Sprintf("event %d: at lies in the future by dw's clock", i+1)}
		}
	}
	return events, nil
}

func (h *Handler) record(ctx context.Context, events []diagnosis.ChangeEvent) (result, error) {
	var res result
	for _, e := range events {
		fresh, err := h.opts.Changes.RecordChange(ctx, e)
		if err != nil {
			return res, fmt.Errorf("record change %s of %s: %w", e.ID, e.System, err)
		}
		if fresh {
			res.Recorded++
		} else {
			res.Known++
		}
	}
	return res, nil
}

func write(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// The sender may have gone; what was recorded stays recorded.
	_ = json.NewEncoder(w).Encode(value)
}
