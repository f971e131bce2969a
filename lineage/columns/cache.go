package columns

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Cache keeps an engine's answers in a folder, one file each, under the hash of
// the engine's version, the query, the dialect and the schema. It meets Engine.
type Cache struct {
	Engine  Engine
	Version string        // of the engine; another version has other answers
	Folder  string        // made where it is not there
	Limit   time.Duration // of a statement; what timed out under it is asked again under a longer one
}

// kept is one answer in its file.
type kept struct {
	Analysis json.RawMessage `json:"analysis,omitempty"`
	Refused  string          `json:"refused,omitempty"`
	TimedOut time.Duration   `json:"timed_out,omitempty"` // the limit that was passed
}

// Analyze meets Engine. An answer that cannot be kept is given all the same.
func (c Cache) Analyze(ctx context.Context, sql string, options json.RawMessage) (json.RawMessage, error) {
	path := c.path(sql, options)
	if k, ok := c.get(path); ok {
		return k.answer()
	}
	analysis, err := c.Engine.Analyze(ctx, sql, options)
	var refused *RefusedError
	switch {
	case err == nil:
		c.put(path, kept{Analysis: analysis})
	case errors.As(err, &refused):
		c.put(path, kept{Refused: refused.Words})
	case errors.Is(err, ErrTimedOut) && ctx.Err() == nil:
		c.put(path, kept{TimedOut: c.Limit})
	}
	return analysis, err
}

func (c Cache) path(sql string, options json.RawMessage) string {
	hash := sha256.New()
	for _, part := range []string{c.Version, sql, string(options)} {
		fmt.Fprintf(hash, "%d:%s", len(part), part)
	}
	return filepath.Join(c.Folder, hex.EncodeToString(hash.Sum(nil))+".json")
}

func (c Cache) get(path string) (kept, bool) {
	text, err := os.ReadFile(path) //nolint:gosec // its name is a hash
	if err != nil {
		return kept{}, false
	}
	var k kept
	if json.Unmarshal(text, &k) != nil || k.empty() || k.TimedOut > 0 && k.TimedOut < c.Limit {
		return kept{}, false
	}
	return k, true
}

func (k kept) empty() bool { return len(k.Analysis) == 0 && k.Refused == "" && k.TimedOut == 0 }

func (k kept) answer() (json.RawMessage, error) {
	switch {
	case k.Refused != "":
		return nil, &RefusedError{Words: k.Refused}
	case k.TimedOut > 0:
		return nil, fmt.Errorf("%w after %v, as before", ErrTimedOut, k.TimedOut)
	}
	return k.Analysis, nil
}

// put writes the file as a whole. A folder that cannot be written costs time, no
// answer.
func (c Cache) put(path string, k kept) {
	text, err := json.Marshal(k)
	if err != nil || os.MkdirAll(c.Folder, 0o700) != nil {
		return
	}
	part, err := os.CreateTemp(c.Folder, "part-*")
	if err != nil {
		return
	}
	_, err = part.Write(text)
	if errors.Join(err, part.Close()) != nil || os.Rename(part.Name(), path) != nil {
		_ = os.Remove(part.Name()) // it is not found by its name
	}
}
