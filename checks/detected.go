package checks

import (
	"fmt"
	"math"
	"time"

	"dw/checks/detect"
)

// How a volume check is judged.
const (
	JudgeWeeks    = "weeks"    // against the median of the same hours of earlier weeks
	JudgeDetector = "detector" // by package detect, on the whole history
)

// judge is how a volume check is judged: by the detector, unless it says or has
// thresholds of its own.
func (s Spec) judge() string {
	if s.Judge == "" && s.thresholdSet() {
		return JudgeWeeks
	}
	return orDefault(s.Judge, JudgeDetector)
}

// detectorDays is how much history the detector reads: ten weeks to train on and
// eight to calibrate with.
const detectorDays = 126

// quarterDays is the same where counts are read by quarters of an hour: one
// answer then stays below a connection's 10,000 rows.
const quarterDays = 98

// detectConfig is what the detector is told of a check.
func (s Spec) detectConfig(loc *time.Location) (detect.Config, error) {
	c := detect.Config{Bucket: time.Hour, Zone: loc, Budget: s.FalseAlarms}
	if s.Bucket == BucketDay {
		// Days of 23 and 25 hours are told by their date.
		c.Bucket, c.Zone = 24*time.Hour, time.UTC
	}
	for _, text := range s.Holidays {
		at, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return c, fmt.Errorf("holiday %q is not a date like 2026-12-25", text)
		}
		c.Holidays = append(c.Holidays, detect.DateOf(at, time.UTC))
	}
	return c, nil
}

// series lists the buckets from one to another, oldest first, with what a table
// held in each.
func (g grid) series(h history, from, to Bucket) ([]Bucket, []detect.Point) {
	var buckets []Bucket
	var points []detect.Point
	for b := from; !b.Start.After(to.Start); b = g.containing(b.End) {
		at := b.Start
		if g.day {
			wall := wallClock(b.Start, g.loc)
			at = time.Date(wall.Year(), wall.Month(), wall.Day(), 0, 0, 0, 0, time.UTC)
		}
		buckets = append(buckets, b)
		points = append(points, detect.Point{Start: at, Value: h.count(b)})
	}
	return buckets, points
}

// detected is a table's history and what the detector says of each bucket.
type detected struct {
	buckets  []Bucket // oldest first
	verdicts []detect.Verdict
}

// detectVolume judges all buckets up to one.
func detectVolume(c detect.Config, g grid, h history, from, to Bucket) (detected, error) {
	buckets, points := g.series(h, from, to)
	verdicts, err := detect.Judge(c, points)
	if err != nil {
		return detected{}, fmt.Errorf("judge the history: %w", err)
	}
	return detected{buckets, verdicts}, nil
}

// stillShare is the share of an alarm's deviation that must remain for it to
// count as not over.
const stillShare = 0.5

// standing returns the index of the alarm that stands at the newest bucket: it is
// one, or one of the last day's whose deviation goes on. It is -1 for none.
// Evidence counts once, so that a fault too small to show in every hour speaks
// every few hours; between them it is not over.
func (d detected) standing(within int) int { return d.standingFrom(within, 1) }

// standingFrom is standing, with the least that counts as expected.
func (d detected) standingFrom(within int, least float64) int {
	newest := len(d.verdicts) - 1
	observed, expected := 0.0, 0.0
	for i := newest; i >= max(0, newest-within); i-- {
		v := d.verdicts[i]
		if v.State == detect.Alarm {
			was := v.Window.Observed/v.Window.Expected - 1
			is := observed/max(expected, least) - 1
			if i == newest || !v.Window.Late && is*was > 0 && math.Abs(is) >= stillShare*math.Abs(was) {
				return i
			}
			return -1
		}
		observed += v.Observed
		expected += v.Expected
	}
	return -1
}

// shortRun lists the buckets that an alarm covers up to the newest one, newest
// first, as the rules for late loads want them.
func (d detected) shortRun(since time.Time) []judged {
	var run []judged
	for i := len(d.verdicts) - 1; i >= 0 && !d.buckets[i].Start.Before(since); i-- {
		v := d.verdicts[i]
		run = append(run, judged{bucket: d.buckets[i], actual: v.Observed, expected: v.Expected, bad: true})
	}
	return run
}

// slightly reports whether an alarm is smaller than the check's own gates.
func (s Spec) slightly(w detect.Window) bool {
	missing := math.Abs(w.Observed - w.Expected)
	return missing < s.minRows()-0.5 || missing < s.MinChange/100*w.Expected
}
