package checks

import (
	"fmt"
	"math"
	"time"
)

const (
	// maxEmptyTail is how many wholly empty buckets at the end of a table are
	// taken for a late load; more are a failure.
	maxEmptyTail = 3
	// caughtUp is the share of the missing rows that must have arrived together
	// for them to count as late and not lost.
	caughtUp = 0.8
)

// lateness reports whether a run of bad buckets, newest first, looks like rows
// that are late and not lost, with a sentence that says why.
func (v volumeRule) lateness(run []judged, e extent) (string, bool) {
	newest := run[0]
	switch {
	case !newest.short():
		return v.arrivedAtOnce(newest)
	case e.last.Before(newest.bucket.End):
		return v.notArrived(run, e)
	}
	return v.arrivingNow(run)
}

// notArrived is the case where no row of the whole table is as new as the
// bucket's end: the load stands still. It stays late for a few buckets only.
func (v volumeRule) notArrived(run []judged, e extent) (string, bool) {
	empty, missing := 0, 0.0
	for _, j := range run {
		if j.bucket.Start.After(e.last) {
			empty++
		}
		missing += j.missing()
	}
	if empty > maxEmptyTail {
		return "", false
	}
	return fmt.Sprintf("noticed: about %s rows from %s on are not there yet, newest row at %s",
		countText(missing), timeText(run[len(run)-1].bucket.Start, v.grid.loc), timeText(e.last, v.grid.loc)), true
}

// arrivingNow is the case where the open bucket already holds the rows that the
// closed ones lack, on top of its own.
func (v volumeRule) arrivingNow(run []judged) (string, bool) {
	surplus, missing := v.history.count(v.open)-v.expectedOpen(), 0.0
	for _, j := range run {
		missing += j.missing()
	}
	if surplus < caughtUp*missing {
		return "", false
	}
	return fmt.Sprintf("noticed: late load, about %s rows missing from %s on arrived after %s",
		countText(missing), timeText(run[len(run)-1].bucket.Start, v.grid.loc), timeText(v.open.Start, v.grid.loc)), true
}

// expectedOpen is how many rows are usual from the newest closed bucket up to
// now, an unfinished bucket taken in proportion.
func (v volumeRule) expectedOpen() float64 {
	var sum float64
	for at := v.open.Start; at.Before(v.open.End); {
		whole := v.grid.containing(at)
		elapsed := v.open.End.Sub(whole.Start).Seconds() / whole.End.Sub(whole.Start).Seconds()
		sum += v.judge(whole).expected * min(1, elapsed)
		at = whole.End
	}
	return sum
}

// arrivedAtOnce is the case of short buckets followed by one that holds their
// rows on top of its own.
func (v volumeRule) arrivedAtOnce(newest judged) (string, bool) {
	run := v.badRun(1, true)
	missing := 0.0
	for _, j := range run {
		missing += j.missing()
	}
	surplus := -newest.missing()
	if len(run) == 0 || math.Abs(surplus-missing) > (1-caughtUp)*missing+allowedSpreads*newest.spread {
		return "", false
	}
	return fmt.Sprintf("noticed: late load, about %s rows missing from %s on arrived in %s",
		countText(missing), timeText(run[len(run)-1].bucket.Start, v.grid.loc), v.grid.label(newest.bucket)), true
}

// label names a bucket in the grid's zone.
func (g grid) label(b Bucket) string {
	if g.day {
		return b.Start.In(g.loc).Format("Mon 2006-01-02")
	}
	return b.Start.In(g.loc).Format("Mon 2006-01-02 15:04") + "–" + b.End.In(g.loc).Format("15:04 MST")
}

// timeText writes an instant to the second in a zone.
func timeText(t time.Time, loc *time.Location) string {
	return t.In(loc).Format("2006-01-02 15:04:05 MST")
}
