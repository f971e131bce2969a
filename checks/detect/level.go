package detect

import "math"

// Constants of the level: a random walk of the log, observed once a day.
const (
	drift      = 0.012 // standard deviation of a day's step
	surprise   = 2.0   // standard deviations, at which an innovation is cut
	levelAfter = 14    // days, before which the level is that of the training
	moodCarry  = 0.5   // of yesterday's excess that today keeps
	levelPrior = 0.1   // first standard deviation
	halfARow   = 0.5
)

// level is the log of the rows in an average bucket.
type level struct {
	log      float64
	variance float64
	mood     float64
	known    bool
}

// set places the level where training found it.
func (l *level) set(rows, variance float64) {
	if rows > 0 {
		l.log, l.variance, l.known = math.Log(rows), variance, true
	}
}

// update learns from a finished day: rows seen, and mean forecast for the same
// buckets without mood; share is how much of the day's mass was clean.
func (l *level) update(rows, mean, share, phi float64) {
	l.variance += drift * drift
	l.mood = 0
	if share < cleanShare || mean <= 0 {
		return
	}
	noise := 1/mean + phi*phi
	off := math.Log((rows + halfARow) / (mean + halfARow))
	sd := math.Sqrt(l.variance + noise)
	gain := l.variance / (l.variance + noise)
	step := clip(off, surprise*sd)
	l.log += gain * step
	l.variance *= 1 - gain
	l.mood = moodCarry * (step - gain*step) * phi * phi / noise
}
