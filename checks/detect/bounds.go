package detect

import "math"

const boundSteps = 40 // bisections of a bound

// Range returns the least and the most that the newest bucket could have held
// without being an alarm by itself, in rows or percent; zeros while there is no
// forecast.
func (d *Detector) Range() (low, high float64) {
	if len(d.buckets) == 0 {
		return 0, 0
	}
	b := &d.buckets[len(d.buckets)-1]
	if b.mu <= 0 {
		return 0, 0
	}
	low, high = d.boundsOf(0, b.mu, b.hour)
	if d.config.Metric == Ratio {
		n := d.rates.rows[b.hour]
		return 0, min(100, 100*high/n)
	}
	return low, high
}

// bounds returns between which sums a window would not have alarmed.
func (d *Detector) bounds(i int) (low, high float64) {
	return d.boundsOf(i, d.scores[i].mean, d.buckets[len(d.buckets)-1].hour)
}

// boundsOf inverts the score of a window at its thresholds, and widens the
// result to the least deviation that is worth a message.
func (d *Detector) boundsOf(i int, mean float64, hour int) (low, high float64) {
	w := d.windows[i]
	variance := d.spread.variance(i, w, mean, hour)
	reach := func(side int) float64 {
		law := d.tails.law[side][i]
		return min(maxScore-1, law.location+law.scale*d.limit(side)*d.spoken.penalty(w, side, d.day, hour))
	}
	low = invert(0, mean, func(y float64) bool { return score(y, mean, variance) <= -reach(down) })
	top := mean + (maxScore+1)*math.Sqrt(variance)
	for score(top, mean, variance) < reach(up) && top < math.MaxFloat64/4 {
		top *= 2
	}
	high = invert(mean, top, func(y float64) bool { return score(y, mean, variance) < reach(up) })
	return min(low, mean*(1-w.gate())), max(high, mean*(1+w.gate()))
}

// invert returns where a condition that holds at low and not at high stops
// holding; low itself where it never holds.
func invert(low, high float64, holds func(float64) bool) float64 {
	for range boundSteps {
		if middle := (low + high) / 2; holds(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
