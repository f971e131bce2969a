package signals_test

import (
	"context"
	"testing"
	"time"

	"dw/intake/signals"
)

// heard counts what it is handed.
type heard int

func (h *heard) RecordSignal(context.Context, string, signals.Signal) (signals.Outcome, string, error) {
	*h++
	return signals.Recorded, "", nil
}

// TestFeed: what is older than repeats are remembered, of the future or not whole is
// handed to nobody.
func TestFeed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC)
	scan := func(at time.Time) string {
		return `{"scanStartTimestamp":"` + at.Format(time.RFC3339) + `","checks":[{"name":"rows","table":"t","outcome":"fail"}]}`
	}
	for name, c := range map[string]struct {
		body   string
		want   signals.Answer
		handed heard
		fails  bool
	}{
		"new":        {scan(now.Add(-time.Hour)), signals.Answer{Recorded: 1}, 1, false},
		"weeks old":  {scan(now.Add(-signals.MaxAge - time.Minute)), signals.Answer{Old: 1}, 0, false},
		"the future": {scan(now.Add(time.Hour)), signals.Answer{}, 0, true},
		"cut off":    {scan(now)[:40], signals.Answer{}, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var to heard
			got, err := signals.Feed{Name: "f", Tool: signals.Soda, Recorder: &to}.Take(t.Context(), []byte(c.body), now)
			if got.Recorded != c.want.Recorded || got.Old != c.want.Old || to != c.handed || (err != nil) != c.fails {
				t.Errorf("%+v, %d handed on, %v; want %+v, %d", got, to, err, c.want, c.handed)
			}
		})
	}
}
