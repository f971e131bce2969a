package jobs

import (
	"context"
	"log/slog"
	"time"
)

// jumpOver is the least step of the wall clock that counts as a jump. Smaller
// ones are within what receipts allow (two minutes) and what machines do when
// they correct their clocks.
const jumpOver = time.Minute

// ClockWatch tells of jumps of the wall clock: steps that differ from the time
// that has really passed. A machine that slept counts as one that jumped forward.
type ClockWatch struct {
	// Wall is dw's clock.
	Wall func() time.Time
	// Elapsed is the time that has passed since some start, by a clock that no
	// correction moves.
	Elapsed func() time.Duration
	// Jumped is told what the clock should have shown and what it shows. Where it
	// fails it is told again at the next look.
	Jumped func(ctx context.Context, from, to time.Time) error
	// Every is the time between looks; not positive means 1 s.
	Every time.Duration
	// Log takes failures; nil discards it.
	Log *slog.Logger
}

// Run looks until ctx ends.
func (w *ClockWatch) Run(ctx context.Context) {
	every, log := w.Every, w.Log
	if every <= 0 {
		every = defaultInterval
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for last := w.read(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		next, err := w.look(ctx, last)
		if err != nil && ctx.Err() == nil {
			log.ErrorContext(ctx, "a jump of the clock could not be recorded; it is tried again", "error", err)
		}
		last = next
	}
}

// reading is both clocks at one moment.
type reading struct {
	wall    time.Time
	elapsed time.Duration
}

// read drops what the wall clock knows of the other one, so that the two are apart.
func (w *ClockWatch) read() reading { return reading{w.Wall().Round(0), w.Elapsed()} }

// look compares with the look before, so that slow drift never adds up. It
// returns what the next look compares with: last, where a jump could not be told.
func (w *ClockWatch) look(ctx context.Context, last reading) (reading, error) {
	now := w.read()
	should := last.wall.Add(now.elapsed - last.elapsed)
	if step := now.wall.Sub(should); step.Abs() < jumpOver {
		return now, nil
	}
	if err := w.Jumped(ctx, should, now.wall); err != nil {
		return last, err
	}
	return now, nil
}
