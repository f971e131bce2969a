package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// entry is one line of the timeline.
type entry struct {
	StoryTime string `json:"story_time"` // RFC 3339, in the story's zone
	System    string `json:"system"`
	Event     string `json:"event"`
	Detail    string `json:"detail"`
}

// notBuilt is the event of a row of the day that dw cannot do yet.
const notBuilt = "not built"

// timeline prints what happens, for people or as JSON.
type timeline struct {
	out    io.Writer
	asJSON bool
	day    storyDay

	mu  sync.Mutex
	err error // the first that the writer answered
}

// event prints one line.
func (t *timeline) event(at time.Time, system, event, detail string) {
	if t.asJSON {
		t.object(entry{StoryTime: at.In(t.day.zone).Format(time.RFC3339), System: system, Event: event, Detail: detail})
		return
	}
	t.print(fmt.Sprintf("%s  %-17s %s", t.day.clock(at), system, event))
	if detail != "" {
		t.print(strings.Repeat(" ", 26) + detail)
	}
}

// say prints lines that are for a person only.
func (t *timeline) say(lines ...string) {
	if t.asJSON {
		return
	}
	for _, line := range lines {
		t.print(line)
	}
}

// object prints a value as one line of JSON.
func (t *timeline) object(v any) {
	line, err := json.Marshal(v)
	if err != nil {
		t.fail(fmt.Errorf("write the timeline: %w", err))
		return
	}
	t.print(string(line))
}

func (t *timeline) print(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := fmt.Fprintln(t.out, line); err != nil && t.err == nil {
		t.err = fmt.Errorf("write the timeline: %w", err)
	}
}

func (t *timeline) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
	}
}

func (t *timeline) failed() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}
