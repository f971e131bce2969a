// Package openlineage reads OpenLineage events (specification 1-0-0 to 2-0-2) as
// statements about assets and edges: which job read what and wrote what, which
// columns feed which, who owns a dataset, and under which other names it is
// known.
package openlineage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"dw/lineage"
)

// Source is the name of what this package reads, in every statement.
const Source = "OpenLineage"

// defaultLimit is the most that is read, in bytes after decompression.
const defaultLimit = 50 << 20

// Options say how to read events.
type Options struct {
	SeenAt    time.Time // the time of an event that does not say when it happened
	Latest    time.Time // an event of a later time is refused; zero means none is
	SizeLimit int64     // bytes after decompression; 0 means 50 MB
}

// Load reads events, plain or gzip: one, an array of them, or any number one
// after the other. What is said twice is folded. The error names the first event
// that dw refuses, from 1, and why; nothing is returned with it.
func Load(r io.Reader, opts Options) (lineage.Statements, error) {
	if opts.SizeLimit <= 0 {
		opts.SizeLimit = defaultLimit
	}
	text, err := lineage.OpenText(r, opts.SizeLimit)
	if err != nil {
		return lineage.Statements{}, fmt.Errorf("read OpenLineage events: %w", err)
	}
	l := loader{opts: opts}
	if err := l.all(json.NewDecoder(text)); err != nil {
		return lineage.Statements{}, fmt.Errorf("read OpenLineage events: %w", err)
	}
	if l.count == 0 {
		return lineage.Statements{}, errors.New("read OpenLineage events: there is none")
	}
	return l.out.Folded(), nil
}

type loader struct {
	opts  Options
	out   lineage.Statements
	count int
}

// all reads values until the end.
func (l *loader) all(decoder *json.Decoder) error {
	for {
		var value json.RawMessage
		err := decoder.Decode(&value)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("near byte %d: it ends too early, it may be truncated: %w", decoder.InputOffset(), err)
		case err != nil:
			return fmt.Errorf("near byte %d: %w", decoder.InputOffset(), err)
		}
		if err := l.value(value); err != nil {
			return err
		}
	}
}

// value takes in an event or an array of them.
func (l *loader) value(text json.RawMessage) error {
	events := []json.RawMessage{text}
	if bytes.HasPrefix(text, []byte("[")) {
		events = nil
		if err := json.Unmarshal(text, &events); err != nil {
			return err
		}
	}
	for _, text := range events {
		l.count++
		var e event
		if err := json.Unmarshal(text, &e); err != nil {
			return fmt.Errorf("event %d: %w", l.count, shapeError(err))
		}
		reader := reader{event: e, out: &l.out}
		if err := reader.read(l.opts); err != nil {
			return fmt.Errorf("event %d: %w", l.count, err)
		}
	}
	return nil
}

// shapeError names the key of a value that has another form than the standard's.
func shapeError(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return fmt.Errorf("it is a %s, an event is an object", wrong.Value)
		}
		return fmt.Errorf("%s is a %s, which OpenLineage does not write there", wrong.Field, wrong.Value)
	}
	return err
}
