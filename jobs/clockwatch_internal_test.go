package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestFault15ClockWatch: a jump is told once, in either direction, with what the
// clock should have shown; drift and a quiet hour are none; one that could not be
// recorded is told again.
func TestFault15ClockWatch(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	var wall time.Time
	var elapsed time.Duration
	var told []string
	var refuse error
	w := &ClockWatch{
		Wall: func() time.Time { return wall }, Elapsed: func() time.Duration { return elapsed },
		Jumped: func(_ context.Context, from, to time.Time) error {
			if refuse == nil {
				told = append(told, fmt.Sprintf("%s to %s", from.Format(time.TimeOnly), to.Format(time.TimeOnly)))
			}
			return refuse
		},
	}
	wall = start
	last := w.read()
	for _, step := range []struct {
		wall, elapsed time.Duration
		refused       error
	}{
		{time.Hour, time.Hour, nil},                              // a quiet hour
		{time.Second + 59*time.Second, time.Second, nil},         // a correction of less than a minute
		{time.Hour + time.Second, time.Second, nil},              // an hour forward: 13:01:01 to 14:01:01
		{-time.Hour + time.Second, time.Second, nil},             // an hour back: 14:01:02 to 13:01:02
		{2*time.Hour + time.Second, time.Second, errors.New("")}, // not recorded
		{time.Second, time.Second, nil},                          // told again: 13:01:04 to 15:01:04
		{time.Second, time.Second, nil},
	} {
		wall, elapsed, refuse = wall.Add(step.wall), elapsed+step.elapsed, step.refused
		var err error
		if last, err = w.look(t.Context(), last); !errors.Is(err, step.refused) {
			t.Errorf("got error %v", err)
		}
	}
	want := []string{"13:01:01 to 14:01:01", "14:01:02 to 13:01:02", "13:01:04 to 15:01:04"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
