package bot

import (
	"fmt"
	"testing"
	"time"
)

func TestBackoff(t *testing.T) {
	t.Parallel()
	for random, share := range map[float64]time.Duration{0: 2, 0.999999: 1} {
		b := backoff{random: func() float64 { return random }}
		if got := b.next(); got != 0 {
			t.Errorf("first delay %s, want none", got)
		}
		for step := backoffFirst; step < backoffMax; step *= 2 {
			if got := b.next().Round(time.Millisecond); got != (step / share).Round(time.Millisecond) {
				t.Errorf("random %v: delay %s at step %s", random, got, step)
			}
		}
		for range 200 {
			if got := b.next(); got > backoffMax || got < backoffMax/2 {
				t.Fatalf("delay %s beyond the cap of %s", got, backoffMax)
			}
		}
		b.hold(time.Hour)
		if got := b.next(); got != 5*time.Minute {
			t.Errorf("delay %s after an absurd Retry-After, want it bounded to 5 minutes", got)
		}
		b.reset()
		if got := b.next(); got != 0 {
			t.Errorf("delay %s after a reset", got)
		}
	}
}

func TestSeenForgetsTheOldest(t *testing.T) {
	t.Parallel()
	s := newSeen(2)
	s.begin("held", target{}) // in the handler's hands: never forgotten
	for i := range 3 {
		key := fmt.Sprint(i)
		s.begin(key, target{envelope: key})
		if waiting := s.complete(key, nil); len(waiting) != 1 {
			t.Fatalf("%d wait for %s, want 1", len(waiting), key)
		}
	}
	for key, want := range map[string]seenState{"0": seenNew, "1": seenDone, "2": seenDone, "held": seenPending} {
		if got, _ := s.begin(key, target{}); got != want {
			t.Errorf("%s is %d, want %d", key, got, want)
		}
	}
}
