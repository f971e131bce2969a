package jobs

import (
	"testing"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// The queue's own waits grow with the fourth power of the attempts; the limit
// cuts the long ones off and leaves the short ones as they are.
func TestCappedBackoff(t *testing.T) {
	t.Parallel()
	now := time.Now()
	b := &cappedBackoff{limit: time.Hour, now: func() time.Time { return now }}
	failed := func(times int) *rivertype.JobRow {
		return &rivertype.JobRow{Attempt: times, Errors: make([]rivertype.AttemptError, times-1)}
	}
	if next := b.NextRetry(failed(1)); !next.Before(now.Add(b.limit)) {
		t.Errorf("after the first failure the wait is %s, as long as the limit", next.Sub(now))
	}
	for _, times := range []int{20, 400} {
		if next := b.NextRetry(failed(times)); !next.Equal(now.Add(b.limit)) {
			t.Errorf("after %d failures the wait is %s, want the limit %s", times, next.Sub(now), b.limit)
		}
	}
}

func TestFireBackoff(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		every    time.Duration
		failures int
		want     time.Duration
	}{
		"first":         {time.Second, 0, time.Second},
		"fourth":        {time.Second, 3, 8 * time.Second},
		"long":          {time.Second, 9, maxFireBackoff},
		"very long":     {time.Second, 1_000_000, maxFireBackoff},
		"short looks":   {time.Millisecond, 4, 16 * time.Millisecond},
		"looks are few": {time.Hour, 0, time.Hour},
	} {
		if got := backoff(test.every, test.failures); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}
