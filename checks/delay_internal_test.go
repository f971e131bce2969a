package checks

import (
	"testing"
	"time"
)

// TestDelayIsLearned: from how the spans of the last weeks grew between reads.
func TestDelayIsLearned(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 1, 12, 20, 0, 0, time.UTC)
	spans := func(n int, seen ...Sighting) map[time.Time]KeptSpan {
		out := map[time.Time]KeptSpan{}
		for i := range n {
			at := now.Truncate(time.Hour).Add(-time.Duration(72+i) * time.Hour)
			out[at] = KeptSpan{Start: at, Value: 100, Rows: 100, Seen: seen}
		}
		return out
	}
	for name, c := range map[string]struct {
		spans map[time.Time]KeptSpan
		spec  Spec
		edit  func(*ledger)
		want  time.Duration
		from  int
	}{
		"nothing is known":         {want: DefaultDelay},
		"too few spans":            {spans: spans(71, Sighting{20 * time.Minute, 40}, Sighting{80 * time.Minute, 100}), want: DefaultDelay},
		"rows come for an hour":    {spans: spans(200, Sighting{20 * time.Minute, 40}, Sighting{80 * time.Minute, 100}), want: 80 * time.Minute, from: 200},
		"a run may be late":        {spans: spans(200, Sighting{20 * time.Minute, 40}, Sighting{83 * time.Minute, 99}, Sighting{9 * time.Hour, 100}), want: 80 * time.Minute, from: 200},
		"whole at the first look":  {spans: spans(200, Sighting{40 * time.Minute, 100}), want: DefaultDelay, from: 200},
		"whole at once":            {spans: spans(200, Sighting{6 * time.Minute, 100}), want: 5 * time.Minute, from: 200},
		"read when they were old":  {spans: spans(200), want: DefaultDelay},
		"first looked at days on":  {spans: spans(200, Sighting{20 * time.Hour, 40}, Sighting{30 * time.Hour, 100}), want: DefaultDelay},
		"the check says how long":  {spans: spans(200, Sighting{20 * time.Minute, 40}, Sighting{80 * time.Minute, 100}), spec: Spec{Delay: time.Minute}, want: time.Minute},
		"a column of days":         {spans: spans(200, Sighting{20 * time.Minute, 40}, Sighting{80 * time.Minute, 100}), edit: func(l *ledger) { l.days = true }, want: DefaultDelay},
		"they may still be coming": {spans: spans(200, Sighting{20 * time.Minute, 100}), edit: func(l *ledger) { l.lateness = 400 * time.Hour }, want: DefaultDelay},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &ledger{now: now, lateness: DefaultLateness, kept: Kept{Until: now, Spans: c.spans}}
			if c.edit != nil {
				c.edit(l)
			}
			if got, from := l.delay(c.spec); got != c.want || from != c.from {
				t.Errorf("waits %s, learned from %d spans; want %s from %d", got, from, c.want, c.from)
			}
		})
	}
}
