package detect

import (
	"math"
	"slices"
	"time"
)

// Window is the sum that made a bucket an alarm: that of the buckets from Start
// up to the end of the bucket judged. Sums are rows; of a ratio they are those of
// an effective number of rows.
type Window struct {
	Start    time.Time
	Since    time.Time // from when the deviation runs; it may lie before Start
	Observed float64
	Expected float64
	Low      float64 // least and most that would not have alarmed
	High     float64
	Score    float64 // normal score, negative when too low
	Late     bool    // rows that earlier buckets lacked came with this one
}

// episode is a run of alarms on one side without a gap.
type episode struct {
	side  int
	since time.Time
	end   time.Time
}

// spend makes the loudest window's buckets spent evidence and says what it was.
func (d *Detector) spend(i int) Window {
	w, s := d.windows[i], d.scores[i]
	newest := d.buckets[len(d.buckets)-1]
	window := d.buckets[len(d.buckets)-w.buckets:]
	side := sideOf(s.z)
	out := Window{Start: window[0].start.UTC(), Observed: d.sums.y[w.buckets], Expected: s.mean, Score: s.z}
	out.Since = onset(window, side, math.Abs(out.Observed-out.Expected)/float64(w.buckets))
	if d.episode.side == side && !d.episode.end.Before(out.Start) {
		out.Since = d.episode.since
	}
	out.Low, out.High = d.bounds(i)
	out.Late = side == up && d.caughtUp(w.buckets)
	d.episode = episode{side, out.Since, newest.start.Add(d.config.Bucket).UTC()}
	for k := range window {
		b := &window[k]
		b.flagged, b.used = true, true
		b.mask = b.mask || d.day >= maskAfter && !covers(d.config.Expected, b.start)
	}
	d.spoken.add(w, side, d.day, newest.hour)
	return out
}

// onset is the start of the bucket from which the deviation runs to the window's
// end: the one that maximises the sum of what each bucket is off beyond half of
// the window's mean deviation (a cumulative sum read backwards).
func onset(window []bucket, side int, meanOff float64) time.Time {
	best, sum, at := math.Inf(-1), 0.0, len(window)-1
	for k, b := range slices.Backward(window) {
		off := b.y - b.mu
		if side == down {
			off = -off
		}
		if sum += off - meanOff/2; sum > best {
			best, at = sum, k
		}
	}
	return window[at].start.UTC()
}

// caughtUpShare is the share of the rows that were short which must have come
// with a fat bucket for them to count as late, and the share by which the sum of
// both may be off.
const caughtUpShare = 0.8

// caughtUp reports whether the newest buckets hold what the short buckets just
// before them lacked: then the load was late and nothing is lost.
func (d *Detector) caughtUp(fat int) bool {
	before := d.buckets[:len(d.buckets)-fat]
	surplus, missing := 0.0, 0.0
	for _, b := range d.buckets[len(d.buckets)-fat:] {
		surplus += b.y - b.mu
	}
	for k := len(before) - 1; k >= 0 && before[k].flagged && before[k].y < before[k].mu; k-- {
		missing += before[k].mu - before[k].y
	}
	return missing > 0 && surplus >= caughtUpShare*missing && surplus <= missing*(2-caughtUpShare)+(1-caughtUpShare)*d.buckets[len(d.buckets)-1].mu
}
