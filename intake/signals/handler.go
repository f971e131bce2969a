package signals

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"dw/intake"
)

// Source is one sender that is configured.
type Source struct {
	Name   string // as in the address: POST /intake/signals/NAME
	Tool   string // one of Tools
	Tokens []string
	Keys   []string
}

// Gate lets in what the source sends. The error says what is wrong with its
// name, tool, tokens or keys.
func (s Source) Gate() (intake.Gate, error) {
	t, ok := toolOf(s.Tool)
	if !ok {
		return intake.Gate{}, fmt.Errorf("%w: %q", ErrTool, s.Tool)
	}
	g := intake.Gate{Tokens: s.Tokens, Keys: s.Keys, Vendor: t.signed, Max: MaxBody}
	if err := g.Check(); err != nil {
		return intake.Gate{}, fmt.Errorf("source %s: %w", s.Name, err)
	}
	return g, nil
}

// Outcome is what became of one signal.
type Outcome string

// The outcomes of a signal.
const (
	Recorded Outcome = "recorded"
	Known    Outcome = "known"   // a repeat, dropped
	Old      Outcome = "old"     // the tool has said something newer since, or it is too old
	Unknown  Outcome = "unknown" // kept, but no asset is known by any name it gives
)

// Recorder records one signal of a source. The text goes with Unknown and says
// why no asset was found. Recording the same signal again answers Known.
type Recorder interface {
	RecordSignal(ctx context.Context, source string, s Signal) (Outcome, string, error)
}

// MaxAge is how old a statement may be: repeats are remembered for longer than
// this, so that nothing older can be told from a replay.
const MaxAge = 7 * 24 * time.Hour

// future is how far ahead of dw's clock a signal may be said to be.
const future = 10 * time.Minute

// Options configure the handler. All but Log are needed.
type Options struct {
	Source   Source
	Recorder Recorder
	Now      func() time.Time
	Log      *slog.Logger
}

// Handler answers POST /intake/signals/NAME of one source.
type Handler struct {
	opts Options
	gate intake.Gate

	mu sync.Mutex // one request at a time: of two deliveries of one signal the second sees the first
}

// New checks the options.
func New(o Options) (*Handler, error) {
	if o.Recorder == nil || o.Now == nil {
		return nil, errors.New("intake of signals: Recorder and Now are needed")
	}
	gate, err := o.Source.Gate()
	if err != nil {
		return nil, fmt.Errorf("intake of signals: %w", err)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Handler{opts: o, gate: gate}, nil
}

// Answer is what is answered to what was taken in.
type Answer struct {
	Recorded int            `json:"recorded"`
	Known    int            `json:"known"` // repeats, dropped
	Old      int            `json:"old"`   // overtaken by what the tool said since, or older than MaxAge
	Unknown  []UnknownAsset `json:"unknown,omitempty"`
}

// UnknownAsset is a signal that was kept and belongs to no asset that is known.
type UnknownAsset struct {
	Check   string   `json:"check"`
	Named   []string `json:"named"`
	Problem string   `json:"problem"`
}

// maxUnknown bounds how many unknown assets an answer names.
const maxUnknown = 100

// ServeHTTP takes in one payload of the source's tool. All of it is decoded
// before the first signal is recorded; a request may be repeated, since a known
// signal is dropped.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := h.take(w, r)
	log := h.opts.Log.With("source", h.opts.Source.Name)
	var no *intake.RefusalError
	switch {
	case errors.As(err, &no):
		log.WarnContext(r.Context(), "signals refused", "status", no.Status, "reason", no.Text)
		intake.WriteRefusal(w, no)
	case err != nil:
		log.ErrorContext(r.Context(), "signals not recorded", "error", err, "recorded", answer.Recorded)
		intake.WriteRefusal(w, &intake.RefusalError{Status: http.StatusInternalServerError, Text: "the signals could not be stored; send the same request again"})
	default:
		log.InfoContext(r.Context(), "signals", "recorded", answer.Recorded, "known", answer.Known, "old", answer.Old, "unknown", len(answer.Unknown))
		intake.WriteJSON(w, http.StatusOK, answer)
	}
}

func (h *Handler) take(w http.ResponseWriter, r *http.Request) (Answer, error) {
	body, err := h.gate.Read(w, r)
	if err != nil {
		return Answer{}, err
	}
	found, err := Decode(h.opts.Source.Tool, body)
	if err != nil {
		return Answer{}, &intake.RefusalError{Status: http.StatusBadRequest, Text: err.Error()}
	}
	now := h.opts.Now()
	for i := range found {
		if found[i].At.After(now.Add(future)) {
			return Answer{}, &intake.RefusalError{Status: http.StatusBadRequest, Text: fmt.Sprintf("result %d lies in the future by dw's clock", i+1)}
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var answer Answer
	for _, s := range found {
		if err := h.record(r.Context(), s, now, &answer); err != nil {
			return answer, err
		}
	}
	return answer, nil
}

// record records one signal and counts it. An alert that began long ago and
// still fires is no replay where nothing was signed: who sends it holds a token.
func (h *Handler) record(ctx context.Context, s Signal, now time.Time, answer *Answer) error {
	if len(h.opts.Source.Keys) > 0 && !s.At.IsZero() && now.Sub(s.At) > MaxAge {
		answer.Old++
		return nil
	}
	return answer.record(ctx, h.opts.Recorder, h.opts.Source.Name, s)
}

// record records one signal and counts it.
func (answer *Answer) record(ctx context.Context, to Recorder, source string, s Signal) error {
	outcome, problem, err := to.RecordSignal(ctx, source, s)
	if err != nil {
		return fmt.Errorf("record signal of check %s: %w", s.Check, err)
	}
	switch outcome {
	case Recorded:
		answer.Recorded++
	case Known:
		answer.Known++
	case Old:
		answer.Old++
	case Unknown:
		answer.Recorded++
		if len(answer.Unknown) < maxUnknown {
			answer.Unknown = append(answer.Unknown, UnknownAsset{Check: s.Check, Named: s.Named, Problem: problem})
		}
	}
	return nil
}
