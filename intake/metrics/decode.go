// Package metrics takes in values that a team pushes: numbers of its own, by name
// and time, which checks judge as they judge what they query.
package metrics

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of what is taken in.
const (
	MaxBody   = 1 << 20 // bytes of one request
	MaxValues = 10_000  // values of one request
	MaxAge    = 400 * 24 * time.Hour
	future    = 10 * time.Minute // how far ahead of dw's clock a value may be
)

// namePattern is what a metric may be called: it becomes the name of a table, of
// which SQLite takes great and small letters for the same.
var namePattern = regexp.MustCompile(`^[a-z_][a-z0-9_./:-]{0,127}$`)

// reservedPrefix begins names that SQLite keeps for itself.
const reservedPrefix = "sqlite_"

// Value is one value of a metric at a time.
type Value struct {
	Metric string    `json:"metric"`
	At     time.Time `json:"at"`
	Value  float64   `json:"value"`
}

// sent is a value as it is sent; a key that is left out is told from a zero.
type sent struct {
	Metric string     `json:"metric"`
	At     *time.Time `json:"at"`
	Value  *float64   `json:"value"`
}

// Decode reads one value, or an array of them, as of now. Unknown keys, missing
// keys, a time outside of what is kept and anything after the value are errors that
// name the value, from 1. Times are returned in UTC, to the microsecond.
func Decode(body []byte, now time.Time) ([]Value, error) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return nil, errors.New("the body is empty: send {\"metric\", \"at\", \"value\"} or an array of them")
	}
	if !utf8.Valid(body) {
		return nil, errors.New("the body is not UTF-8")
	}
	all := make([]sent, 1)
	var into any = &all[0]
	if body[0] == '[' {
		all, into = nil, &all
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return nil, fmt.Errorf("the body is no value of a metric: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the value")
	}
	switch {
	case len(all) == 0:
		return nil, errors.New("the array is empty")
	case len(all) > MaxValues:
		return nil, fmt.Errorf("%d values in one request, at most %d", len(all), MaxValues)
	}
	out := make([]Value, len(all))
	for i, s := range all {
		v, err := s.value(now)
		if err != nil {
			return nil, fmt.Errorf("value %d: %w", i+1, err)
		}
		out[i] = v
	}
	return out, nil
}

// value checks that what was sent is whole.
func (s sent) value(now time.Time) (Value, error) {
	if err := CheckName(s.Metric); err != nil {
		return Value{}, err
	}
	switch {
	case s.At == nil:
		return Value{}, errors.New("at is missing: when the value was true, such as 2026-10-01T12:00:00Z")
	case s.Value == nil:
		return Value{}, errors.New("value is missing: a number")
	case math.IsInf(*s.Value, 0) || math.IsNaN(*s.Value):
		return Value{}, errors.New("value is no finite number")
	case s.At.After(now.Add(future)):
		return Value{}, errors.New("at lies in the future by dw's clock")
	case s.At.Before(now.Add(-MaxAge)):
		return Value{}, errors.New("at lies more than 400 days back, which is not kept")
	}
	return Value{Metric: s.Metric, At: s.At.UTC().Truncate(time.Microsecond), Value: *s.Value}, nil
}

// CheckName refuses a name that cannot be a metric's.
func CheckName(name string) error {
	if !namePattern.MatchString(name) || strings.HasPrefix(name, reservedPrefix) {
		return fmt.Errorf("metric %.40q: write 1 to 128 of small letters, digits, _ . / : -, a letter or _ first, and not %s", name, reservedPrefix)
	}
	return nil
}
