// Package openlineage takes OpenLineage events in over HTTP: it checks who sends
// and how much, reads the events, and makes one call of the graph's keeper.
package openlineage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"time"

	"dw/intake"
	"dw/lineage"
	"dw/lineage/openlineage"
)

// MaxBody is the most that one request may hold, in bytes after decompression: an
// event carries the columns of all its tables.
const MaxBody = 8 << 20

// future is how far ahead of dw's clock an event may be said to have happened.
const future = 10 * time.Minute

// Recorder keeps what events state, whole or not at all.
type Recorder interface {
	RecordLineage(ctx context.Context, s lineage.Statements) error
}

// Options configure the handler. At least one token is needed.
type Options struct {
	Graph  Recorder
	Tokens []string // bearer tokens; several while one is being replaced
	Now    func() time.Time
	Log    *slog.Logger
}

// Handler answers POST /intake/openlineage: one event, or an array of them.
type Handler struct{ opts Options }

// New checks the options.
func New(o Options) (*Handler, error) {
	switch {
	case o.Graph == nil || o.Now == nil:
		return nil, errors.New("openlineage: Graph and Now are needed")
	case len(o.Tokens) == 0:
		return nil, errors.New("openlineage: a token is needed, else anybody could draw the graph")
	}
	for _, token := range o.Tokens {
		if err := intake.CheckSecret(token); err != nil {
			return nil, err
		}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Handler{opts: o}, nil
}

// refusal is an answer that says what to do.
type refusal struct {
	status int
	text   string
}

// Error returns what is wrong with the request.
func (r *refusal) Error() string { return r.text }

// result is the answer to what was taken in.
type result struct {
	Assets int `json:"assets"`
	Edges  int `json:"edges"`
}

// ServeHTTP takes in the events of one request, all or none. A request may be
// repeated: what is stated again only renews its time.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s, err := h.read(w, r)
	if err == nil {
		err = h.opts.Graph.RecordLineage(r.Context(), s)
	}
	var no *refusal
	switch {
	case errors.As(err, &no):
		answer(w, no.status, map[string]string{"error": no.text})
	case err != nil:
		h.opts.Log.ErrorContext(r.Context(), "OpenLineage events not recorded", "error", err)
		answer(w, http.StatusInternalServerError, map[string]string{"error": "the events could not be stored; send the same request again"})
	default:
		answer(w, http.StatusOK, result{Assets: len(s.Assets), Edges: len(s.Edges)})
	}
}

// read authenticates a request before its body is touched, and decodes it.
func (h *Handler) read(w http.ResponseWriter, r *http.Request) (lineage.Statements, error) {
	var none lineage.Statements
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return none, &refusal{http.StatusMethodNotAllowed, "use POST"}
	}
	if !intake.BearerIsOneOf(r, h.opts.Tokens) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="dw intake"`)
		return none, &refusal{http.StatusUnauthorized, "send Authorization: Bearer TOKEN with a token of lineage.tokens"}
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return none, &refusal{http.StatusUnsupportedMediaType, "send Content-Type: application/json"}
	}
	now := h.opts.Now()
	s, err := openlineage.Load(http.MaxBytesReader(w, r.Body, MaxBody), openlineage.Options{
		SeenAt: now, Latest: now.Add(future), SizeLimit: MaxBody,
	})
	var large *http.MaxBytesError
	var unpacked *lineage.TooLargeError
	switch {
	case errors.As(err, &large) || errors.As(err, &unpacked):
		return none, &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes: send fewer events", MaxBody)}
	case err != nil:
		return none, &refusal{http.StatusBadRequest, err.Error()}
	}
	return s, nil
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// The sender may have gone; what was recorded stays recorded.
	_ = json.NewEncoder(w).Encode(value)
}
