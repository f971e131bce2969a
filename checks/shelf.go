package checks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"
)

// DefaultLateness is how old a bucket must be before no late row is looked for in
// it any more.
const DefaultLateness = 48 * time.Hour

// Shelf keeps what was counted, and what people said of it, so that nothing is
// counted twice. A Memory that is one too serves the checks that need history.
type Shelf interface {
	// Kept returns what is kept of a history from an instant on; the zero Kept,
	// but for Now, where nothing is.
	Kept(ctx context.Context, h History, from time.Time) (Kept, error)
	// Keep puts spans in place of those kept with the same start, and notes that
	// the history was read up to an instant.
	Keep(ctx context.Context, h History, read []KeptSpan, until time.Time) error
	// Answers lists what people said of a check's verdicts, oldest first.
	Answers(ctx context.Context, check string) ([]Answer, error)
}

// History names what is counted by spans. Whatever of it changes makes another
// history, of which nothing is known yet.
type History struct {
	Connection string `json:"connection"`
	Table      string `json:"table"` // as quoted
	Where      string `json:"where,omitempty"`
	Column     string `json:"column"` // of the time, as quoted
	Format     string `json:"format"` // of the time
	Measure    string `json:"measure"`
	Quarters   bool   `json:"quarters,omitempty"` // spans are quarters of an hour, else hours
}

// Key is the same for equal histories alone: 128 bits of SHA-256, in hex.
func (h History) Key() string {
	hash := sha256.New()
	for _, part := range []string{h.Connection, h.Table, h.Where, h.Column, h.Format, h.Measure, fmt.Sprint(h.Quarters)} {
		fmt.Fprintf(hash, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// step is the length of a span.
func (h History) step() time.Duration {
	if h.Quarters {
		return 15 * time.Minute
	}
	return time.Hour
}

// Kept is what is kept of a history.
type Kept struct {
	Since time.Time // when it was first read, zero if never
	Until time.Time // up to when it was read last, zero if never
	Now   time.Time // when what is read now is read
	Spans map[time.Time]KeptSpan
}

// KeptSpan is what one span held when it was read last. A span that is not kept is
// unknown, never zero.
type KeptSpan struct {
	Start time.Time  `json:"start"` // UTC
	Value float64    `json:"value"` // what is measured of the rows, where that is not their number
	Rows  float64    `json:"rows"`
	Seen  []Sighting `json:"seen,omitempty"` // how it grew; empty where it was first read when it was old
}

// Sighting is what a span held so long after its end, as it was first seen so.
type Sighting struct {
	Age   time.Duration `json:"age"`
	Value float64       `json:"value"`
}

// grown returns the span with what it holds now.
func (k KeptSpan) grown(value, rows float64, age, lateness time.Duration) KeptSpan {
	if age <= lateness && (len(k.Seen) > 0 || k.Start.IsZero()) {
		k.Seen = append(slices.Clip(k.Seen), Sighting{age, rows})
	}
	k.Value, k.Rows = value, rows
	return k
}
