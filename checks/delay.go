package checks

import (
	"slices"
	"time"
)

// Constants of the delay that is learned from arrivals.
const (
	// DefaultDelay is what is waited after a bucket closes until it is learned how
	// late rows come.
	DefaultDelay = 15 * time.Minute
	learnSpans   = 72                  // least spans that it is learned from
	learnFrom    = 28 * 24 * time.Hour // how far back they may lie
	wholeShare   = 0.99                // of its rows, with which a span counts as whole
	waitsFor     = 0.95                // share of the spans that are whole when one is judged
	delayStep    = 5 * time.Minute     // that a delay is a multiple of: a run is never early, but may be late
	firstLook    = 4                   // part of the lateness within which a span must first have been read
)

// delay is how long the check waits after a bucket closes, and from how many
// spans that was learned: none where the check says it, or where too few are
// known.
func (l *ledger) delay(spec Spec) (time.Duration, int) {
	if spec.Delay > 0 {
		return spec.Delay, 0
	}
	ages := l.wholeAfter()
	if len(ages) < learnSpans {
		return DefaultDelay, 0
	}
	slices.Sort(ages)
	at := ages[min(len(ages)-1, int(waitsFor*float64(len(ages))))]
	return max(at.Truncate(delayStep), 0), len(ages)
}

// wholeAfter lists how long after its end each span was first seen to hold what it
// holds for good. One that was never seen to grow may have been whole at any time
// before the first look.
func (l *ledger) wholeAfter() []time.Duration {
	var ages []time.Duration
	if l.days {
		return nil
	}
	for at, span := range l.kept.Spans {
		end := at.Add(l.history.step())
		settled := !end.After(l.kept.Until.Add(-l.lateness))
		if !settled || end.Before(l.now.Add(-learnFrom)) || span.Rows <= 0 || len(span.Seen) == 0 || span.Seen[0].Age > l.lateness/firstLook {
			continue
		}
		for i, seen := range span.Seen {
			if seen.Value < wholeShare*span.Rows {
				continue
			}
			if i == 0 {
				seen.Age = min(seen.Age, DefaultDelay)
			}
			ages = append(ages, seen.Age)
			break
		}
	}
	return ages
}
