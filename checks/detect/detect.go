// Package detect judges a series of buckets, one after the other, against what
// the series itself makes likely: the hour of its week, its slow level, its own
// noise. It looks at nothing but the buckets up to the one judged. Counts of
// rows and ratios (a percentage of NULL) are judged by one configuration; the
// only dial is a budget of false messages.
//
// The method in one paragraph: the expectation is a weekly shape times a level;
// sums over windows from one bucket to ten days are scored as the tail of a
// negative binomial whose spread was measured on the detector's own forecasts;
// the worst score of each earlier day says, by extreme value theory, which score
// comes once in as many days as the budget allows. docs/detection.md has the
// figures.
package detect

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Metric says what the values of a series are.
type Metric int

// The metrics.
const (
	Count Metric = iota // rows in the bucket; judged downward and upward
	Ratio               // percent from 0 to 100, such as NULLs; judged upward only
)

// Date is one day of a calendar.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf returns the day that an instant falls on in a zone.
func DateOf(t time.Time, zone *time.Location) Date {
	year, month, day := t.In(zone).Date()
	return Date{year, month, day}
}

// Before is the day before.
func (d Date) Before() Date {
	return DateOf(time.Date(d.Year, d.Month, d.Day-1, 12, 0, 0, 0, time.UTC), time.UTC)
}

// DefaultBudget is the number of false messages in 30 days that a detector aims
// at when it is not told: one in five months.
const DefaultBudget = 0.2

// Config is what a detector must be told of a series.
type Config struct {
	Bucket   time.Duration  // length of a bucket; it divides a day
	Metric   Metric         // Count where it is zero
	Zone     *time.Location // in which hours, days and weeks are counted; nil is UTC
	Holidays []Date         // days that are neither judged nor learned from
	Budget   float64        // false messages in 30 days, 0 is DefaultBudget
	// AskFrom is since when people can be asked about a new level: from then on
	// one is taken only where NewLevels says so. Before it, and where it is zero,
	// nobody could be asked, and seven days of a new level are one.
	AskFrom time.Time
	Feedback
}

// Feedback is what people said of earlier verdicts.
type Feedback struct {
	Faults    []Span // judged, and never learned from
	OneOffs   []Span // neither judged nor learned from
	Expected  []Span // learned from, though they alarmed
	NewLevels []Date // at the end of which the level of the last days was taken as usual
}

// Span is a stretch of time from Start up to, not including, End.
type Span struct{ Start, End time.Time }

// covers reports whether an instant lies in one of the spans.
func covers(spans []Span, at time.Time) bool {
	return slices.ContainsFunc(spans, func(s Span) bool { return !at.Before(s.Start) && at.Before(s.End) })
}

// The shortest bucket, and the widest budget, that a detector takes.
const (
	minBucket = time.Minute
	maxBudget = 30.0
	day       = 24 * time.Hour
)

// validate says what is wrong with a Config.
func (c Config) validate() error {
	switch {
	case c.Bucket < minBucket || c.Bucket > day || day%c.Bucket != 0:
		return fmt.Errorf("a bucket of %s does not divide a day into parts of a minute or more", c.Bucket)
	case c.Metric != Count && c.Metric != Ratio:
		return fmt.Errorf("there is no metric %d", c.Metric)
	case c.Budget < 0 || c.Budget > maxBudget:
		return fmt.Errorf("a budget of %g false messages in 30 days is not from 0 to %g", c.Budget, maxBudget)
	}
	return nil
}

// ErrOrder is returned for a bucket that does not come after the one before it,
// or does not lie on the grid of the buckets.
var ErrOrder = errors.New("the bucket is out of order")
