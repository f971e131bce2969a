package intake

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	}
	if err := (Gate{Tokens: o.Tokens, Keys: o.Keys}).Check(); err != nil {
		return nil, fmt.Errorf("intake: %w", err)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Handler{opts: o}, nil
}

// result is the answer to what was taken in.
type result struct {
	Recorded int `json:"recorded"`
	Known    int `json:"known"` // repeats, dropped
}

func (h *Handler) gate() Gate { return Gate{Tokens: h.opts.Tokens, Keys: h.opts.Keys} }

// ServeHTTP takes in one change event or an array of them. The events of one
// request are checked before the first is recorded; a request may be repeated,
// since a known event is dropped.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	events, err := h.read(w, r)
	var res result
	if err == nil {
		res, err = h.record(r.Context(), events)
	}
	var no *RefusalError
	switch {
	case errors.As(err, &no):
		WriteRefusal(w, no)
	case err != nil:
		h.opts.Log.ErrorContext(r.Context(), "change events not recorded", "error", err, "recorded", res.Recorded)
		WriteJSON(w, http.StatusInternalServerError, map[string]string{"error": "the events could not be stored; send the same request again"})
	default:
		WriteJSON(w, http.StatusOK, res)
	}
}

// read authenticates a request over its raw body and decodes it.
func (h *Handler) read(w http.ResponseWriter, r *http.Request) ([]diagnosis.ChangeEvent, error) {
	body, err := h.gate().Read(w, r)
	if err != nil {
		return nil, err
	}
	events, err := Decode(body)
	if err != nil {
		return nil, &RefusalError{http.StatusBadRequest, err.Error()}
	}
	for i, e := range events {
		if e.At.After(h.opts.Now().Add(future)) {
			return nil, &RefusalError{http.StatusBadRequest, fmt.Sprintf("event %d: at lies in the future by dw's clock", i+1)}
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
