package metrics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"dw/intake"
)

// Answer counts what became of pushed values.
type Answer struct {
	Recorded int `json:"recorded"`
	Known    int `json:"known"` // the same value at the same time was there
	Other    int `json:"other"` // another value at the same time was there, and stays
}

// Recorder stores values, all or none. Recording the same again answers Known.
type Recorder interface {
	RecordMetrics(ctx context.Context, values []Value) (Answer, error)
}

// Options configure the handler. All but Log are needed, and a token or a key.
type Options struct {
	Recorder Recorder
	Tokens   []string // bearer tokens; several while one is being replaced
	Keys     []string // HMAC keys of X-Dw-Signature; several while one is being replaced
	Now      func() time.Time
	Log      *slog.Logger
}

// Handler answers POST /intake/metrics.
type Handler struct {
	opts Options
	gate intake.Gate
}

// New checks the options.
func New(o Options) (*Handler, error) {
	if o.Recorder == nil || o.Now == nil {
		return nil, errors.New("intake of metrics: Recorder and Now are needed")
	}
	gate := intake.Gate{Tokens: o.Tokens, Keys: o.Keys, Max: MaxBody}
	if err := gate.Check(); err != nil {
		return nil, fmt.Errorf("intake of metrics: %w", err)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Handler{opts: o, gate: gate}, nil
}

// ServeHTTP takes in one value or an array of them. All are checked before the
// first is stored, and they are stored together; a request may be repeated.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := h.take(w, r)
	var no *intake.RefusalError
	switch {
	case errors.As(err, &no):
		h.opts.Log.WarnContext(r.Context(), "metrics refused", "status", no.Status, "reason", no.Text)
		intake.WriteRefusal(w, no)
	case err != nil:
		h.opts.Log.ErrorContext(r.Context(), "metrics not recorded", "error", err)
		intake.WriteJSON(w, http.StatusInternalServerError, map[string]string{"error": "the values could not be stored; send the same request again"})
	default:
		intake.WriteJSON(w, http.StatusOK, answer)
	}
}

func (h *Handler) take(w http.ResponseWriter, r *http.Request) (Answer, error) {
	body, err := h.gate.Read(w, r)
	if err != nil {
		return Answer{}, err
	}
	values, err := Decode(body, h.opts.Now())
	if err != nil {
		return Answer{}, &intake.RefusalError{Status: http.StatusBadRequest, Text: err.Error()}
	}
	return h.opts.Recorder.RecordMetrics(r.Context(), values)
}
