// Package wire is the talk between dw and the process that runs the SQL engine:
// frames of JSON, each with its length in front, over a pair of pipes.
package wire

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxFrame is the longest frame that is written or read, in bytes. A statement of
// a model with 10,000 columns is some 2 MB with its answer.
const MaxFrame = 64 << 20

// Ready is what a worker says once the engine is compiled.
type Ready struct {
	Engine string `json:"engine"` // the engine's version
}

// Request asks for one query.
type Request struct {
	ID      uint64          `json:"id"` // stands in the reply
	SQL     string          `json:"sql"`
	Options json.RawMessage `json:"options"` // what the engine takes beside the query
}

// Reply answers a request. It has an analysis or an error.
type Reply struct {
	ID       uint64          `json:"id"`
	Analysis json.RawMessage `json:"analysis,omitempty"`
	Error    string          `json:"error,omitempty"`
}

// ErrTooLong says that a frame is longer than MaxFrame.
var ErrTooLong = errors.New("a frame is longer than 64 MB")

// Write writes a value as one frame.
func Write(w io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode a frame: %w", err)
	}
	if len(text) > MaxFrame {
		return ErrTooLong
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(text)), uint32(len(text))) //nolint:gosec // at most MaxFrame
	if _, err := w.Write(append(frame, text...)); err != nil {
		return fmt.Errorf("write a frame: %w", err)
	}
	return nil
}

// Read reads one frame into a value. io.EOF says that the other side has ended
// between two frames; within one it is io.ErrUnexpectedEOF.
func Read(r io.Reader, into any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return fmt.Errorf("read the head of a frame: %w", err)
	}
	length := binary.BigEndian.Uint32(head[:])
	if length > MaxFrame {
		return ErrTooLong
	}
	// Grown as it arrives: a length alone must not cost memory.
	text, err := io.ReadAll(io.LimitReader(r, int64(length)))
	if err == nil && len(text) < int(length) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("read a frame of %d bytes: %w", length, err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("decode a frame: %w", err)
	}
	return nil
}
