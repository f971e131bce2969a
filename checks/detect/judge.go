package detect

import (
	"math"
	"time"
)

// State is what a detector says of a bucket.
type State int

// The states.
const (
	Normal   State = iota
	Alarm          // the bucket completes a window that is unusual beyond the budget
	Learning       // the series is too young
	Holiday        // holidays are not judged
	Unknown        // the source did not answer
)

// Verdict is what a detector says of one bucket. Times are UTC; counts are rows,
// or percent where the metric is a ratio.
type Verdict struct {
	Start, End time.Time
	State      State
	Observed   float64
	Expected   float64 // zero while there is no forecast
	Low, High  float64 // between which the bucket alone is no alarm; of the newest verdict of Judge and of alarms
	Days       int     // of history
	Window     Window  // of an alarm: the sum that is unusual
	NewLevel   float64 // other than zero: asked once, is so many times the old level usual now?
}

// judge judges the newest bucket.
func (d *Detector) judge() Verdict {
	b := &d.buckets[len(d.buckets)-1]
	v := Verdict{
		Start: b.start.UTC(), End: b.start.Add(d.config.Bucket).UTC(),
		Observed: b.raw, Expected: d.expected(b), Days: d.day, NewLevel: d.question,
	}
	d.question = 0
	switch {
	case !b.known:
		v.State = Unknown
	case b.holiday:
		v.State = Holiday
	case b.mu <= 0:
		v.State = Learning
	default:
		d.weigh(&v)
	}
	return v
}

// scored is the score of one window that ends with the newest bucket.
type scored struct {
	counts bool    // enough of the window is evidence
	z      float64 // normal score, negative when too low
	mean   float64 // what was expected
}

// weigh scores all windows that end with the newest bucket and lets the one that
// is furthest beyond its threshold speak.
func (d *Detector) weigh(v *Verdict) {
	d.scoreAll()
	loudest, excess := -1, 0.0
	hour := d.buckets[len(d.buckets)-1].hour
	for i, w := range d.windows {
		s := d.scores[i]
		if !s.counts || !d.sums.speaks(w, s.mean/d.sums.mu[w.buckets]) {
			continue
		}
		side := sideOf(s.z)
		if e := d.tails.law[side][i].standard(math.Abs(s.z)) / (d.limit(side) * d.spoken.penalty(w, side, d.day, hour)); d.watches(side) && e >= 1 && e > excess {
			loudest, excess = i, e
		}
	}
	alarm := loudest >= 0 && d.day >= speakAfter
	d.remember(alarm)
	switch {
	case alarm:
		v.State = Alarm
		v.Low, v.High = d.Range()
		v.Window = d.spend(loudest)
	case d.day < speakAfter:
		v.State = Learning
	}
}

func sideOf(z float64) int {
	if z < 0 {
		return down
	}
	return up
}

// watches reports whether a side is judged.
func (d *Detector) watches(side int) bool { return side == up || d.config.Metric == Count }

// limit is the standardised score from which a side speaks.
func (d *Detector) limit(side int) float64 {
	limit := max(d.tails.threshold(side, d.returnPeriod()), 1)
	if d.day < calmAfter {
		limit *= 1 + youngPenalty*(1-float64(d.day)/calmAfter)
	}
	if d.calendar.near[d.date] {
		limit *= holidayFactor
	}
	return limit
}

// returnPeriod is the number of days in which one side may speak falsely once.
func (d *Detector) returnPeriod() float64 {
	budget := d.config.Budget
	if budget == 0 {
		budget = DefaultBudget
	}
	return sides * 30 / budget
}

// scoreAll scores every window that ends with the newest bucket.
func (d *Detector) scoreAll() {
	longest := d.sums.fill(d.buckets)
	newest := &d.buckets[len(d.buckets)-1]
	for i, w := range d.windows {
		s := &d.scores[i]
		*s = scored{}
		if w.buckets > longest || float64(d.sums.n[w.buckets]) < freshShare*float64(w.buckets) {
			continue
		}
		s.counts, s.mean = true, d.sums.mu[w.buckets]
		if w.fast {
			s.mean *= d.echo.factor(d.buckets[:len(d.buckets)-w.buckets])
		}
		s.z = score(d.sums.y[w.buckets], s.mean, d.spread.variance(i, w, s.mean, newest.hour))
	}
}

// remember keeps the scores for the day's maxima. Those of an alarm count at
// most as the threshold, else one fault would silence the next.
func (d *Detector) remember(alarm bool) {
	for side := range sides {
		limit := d.limit(side)
		for i := range d.windows {
			if !d.scores[i].counts {
				continue
			}
			z := d.scores[i].z
			if side == down {
				z = -z
			}
			law := d.tails.law[side][i]
			if alarm {
				z = min(z, law.location+law.scale*limit)
			}
			d.tails.note(side, i, z)
		}
	}
}

// expected is what a bucket was forecast to hold, in its own unit.
func (d *Detector) expected(b *bucket) float64 {
	if d.config.Metric == Ratio {
		return d.rates.percent
	}
	return b.mu
}
