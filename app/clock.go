package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// StoryTime is a clock file's content: at the wall time Real it was Story, and
// story time runs Scale times as fast. Scale 0 holds it. It is for the demo.
type StoryTime struct {
	Story time.Time `json:"story"`
	Real  time.Time `json:"real"`
	Scale float64   `json:"scale"`
}

// At returns the story time at the wall time real.
func (s StoryTime) At(real time.Time) time.Time {
	return s.Story.Add(time.Duration(float64(real.Sub(s.Real)) * s.Scale))
}

// Write replaces the clock file in one step, so that no reader sees half of it.
func (s StoryTime) Write(path string) error {
	content, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode clock: %w", err)
	}
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	if err := os.WriteFile(temporary, content, 0o600); err != nil {
		return fmt.Errorf("write clock: %w", err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("replace clock: %w", err)
	}
	return nil
}

// ReadStoryTime reads a clock file.
func ReadStoryTime(path string) (StoryTime, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return StoryTime{}, fmt.Errorf("read clock file: %w", err)
	}
	var s StoryTime
	if err := json.Unmarshal(content, &s); err != nil {
		return StoryTime{}, fmt.Errorf("read clock file %s: %w", path, err)
	}
	return s, nil
}

// storyClock follows a clock file, which is read each time: who moved it sees no
// process act on the old time. It never goes back: a file that cannot be read
// leaves the last known pace.
type storyClock struct {
	path string

	mu    sync.Mutex
	known StoryTime
	last  time.Time
}

func newStoryClock(path string) (*storyClock, error) {
	known, err := ReadStoryTime(path)
	if err != nil {
		return nil, err
	}
	return &storyClock{path: path, known: known}, nil
}

// Now returns the story time now.
func (c *storyClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, err := ReadStoryTime(c.path); err == nil {
		c.known = known
	}
	if now := c.known.At(time.Now()); now.After(c.last) {
		c.last = now
	}
	return c.last
}
