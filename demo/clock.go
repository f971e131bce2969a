package demo

import (
	"sync"
	"time"

	"dw/app"
)

// clock moves the story's time. It is written to a file, from which dw and
// everything else in the story reads it. It runs or stands, and never jumps.
type clock struct {
	path string
	wall func() time.Time

	mu    sync.Mutex
	pace  app.StoryTime
	story time.Time // the latest that anybody was told
}

// newClock writes a clock that stands at start.
func newClock(path string, start time.Time, wall func() time.Time) (*clock, error) {
	c := &clock{path: path, wall: wall, pace: app.StoryTime{Story: start, Real: wall()}}
	return c, c.pace.Write(path)
}

// now returns the story's time.
func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read()
}

func (c *clock) read() time.Time {
	if now := c.pace.At(c.wall()); now.After(c.story) {
		c.story = now
	}
	return c.story
}

// run lets the story's time pass so many times as fast as the wall's.
func (c *clock) run(scale float64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pace = app.StoryTime{Story: c.read(), Real: c.wall(), Scale: scale}
	return c.pace.Write(c.path)
}

// hold lets the story's time stand.
func (c *clock) hold() error { return c.run(0) }
