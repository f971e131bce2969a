package detect

import "math"

// Constants of the threshold. The worst score of a day follows a Gumbel law; its
// two parameters come from two quantiles of the series' own days, pulled to
// those of a normal series while few days are known.
const (
	lowQuantile  = 0.5
	highQuantile = 0.75
	pseudoDays   = 20.0
	quantileGap  = 0.8794 // between the two quantiles of a standard Gumbel law
	medianGap    = 0.3665 // its median
	minScale     = 0.3
	minScaleAll  = 0.6
	modestScore  = 2.8 // below this normal score, a window's standardised score
	modestCap    = 3.0 // is at most this
	refMedian    = 1.9 // quantiles of the day's largest standardised score
	refHigh      = 2.69
	perDayExtra  = 1.5 // independent windows in a day, times their length
)

// gumbel is the law of a day's largest score.
type gumbel struct{ location, scale float64 }

// fitGumbel fits the law to past days' maxima, pulled to reference quantiles.
func fitGumbel(days []float64, refLow, refHigh, least, most float64) gumbel {
	n := float64(len(days))
	sorted := append([]float64(nil), days...)
	low := (n*quantile(sorted, lowQuantile) + pseudoDays*refLow) / (n + pseudoDays)
	high := (n*quantile(sorted, highQuantile) + pseudoDays*refHigh) / (n + pseudoDays)
	scale := min(max((high-low)/quantileGap, least), most)
	return gumbel{low - medianGap*scale, scale}
}

// standard returns a score in the units of the law. A score that a normal series
// would call modest is never more than modest, however quiet the series is.
func (g gumbel) standard(z float64) float64 {
	s := (z - g.location) / g.scale
	if z < modestScore {
		s = min(s, modestCap)
	}
	return s
}

// reference returns the two quantiles of a normal series' daily maximum.
func (w window) reference(perDay int) (low, high float64) {
	n := max(1, min(perDayExtra*24/w.hours, float64(perDay)))
	return normalQuantile(math.Pow(lowQuantile, 1/n)), normalQuantile(math.Pow(highQuantile, 1/n))
}

// The sides of a deviation.
const (
	down = iota
	up
	sides
)

// tails are the laws of both sides, and the past that they are fitted to.
type tails struct {
	windows []window
	perDay  int
	past    [sides][][]float64 // by side and window, a day's largest score
	pastAll [sides][]float64   // by side, a day's largest standardised score
	today   [sides][]float64
	topDay  [sides]float64
	law     [sides][]gumbel
	lawAll  [sides]gumbel
}

func newTails(windows []window, perDay int) *tails {
	t := &tails{windows: windows, perDay: perDay}
	for s := range sides {
		t.past[s] = make([][]float64, len(windows))
		t.law[s] = make([]gumbel, len(windows))
		t.today[s] = make([]float64, len(windows))
	}
	t.clearDay()
	t.fit(nature{})
	return t
}

func (t *tails) clearDay() {
	for s := range sides {
		t.topDay[s] = math.Inf(-1)
		for i := range t.today[s] {
			t.today[s][i] = math.Inf(-1)
		}
	}
}

// note keeps a window's score for the day's maxima.
func (t *tails) note(side, i int, z float64) {
	t.today[side][i] = max(t.today[side][i], z)
	t.topDay[side] = max(t.topDay[side], t.law[side][i].standard(z))
}

// endDay stores the day's maxima and begins the next.
func (t *tails) endDay() {
	for s := range sides {
		for i, z := range t.today[s] {
			if !math.IsInf(z, -1) {
				t.past[s][i] = keepLast(append(t.past[s][i], z), calibrateDays)
			}
		}
		if !math.IsInf(t.topDay[s], -1) {
			t.pastAll[s] = keepLast(append(t.pastAll[s], t.topDay[s]), calibrateDays)
		}
	}
	t.clearDay()
}

// forget drops the newest days.
func (t *tails) forget(days int) {
	for s := range sides {
		for i, past := range t.past[s] {
			t.past[s][i] = past[:max(0, len(past)-days)]
		}
		t.pastAll[s] = t.pastAll[s][:max(0, len(t.pastAll[s])-days)]
	}
}

func keepLast(values []float64, n int) []float64 {
	if len(values) > n {
		copy(values, values[len(values)-n:])
		values = values[:n]
	}
	return values
}

// nature says how much of a series' noise is not counting noise. It bounds the
// scales from above: else faults that were missed raise the threshold, which
// hides the next ones.
type nature struct{ share, size float64 }

// natureOf returns the nature of a series with a relative spread and a mean.
func natureOf(phi, mean float64) nature {
	w := phi * phi * mean / (1 + phi*phi*mean)
	return nature{w, w * min(phi, 0.5)}
}

// fit fits the laws of each window and of each side.
func (t *tails) fit(n nature) {
	for s := range sides {
		for i, w := range t.windows {
			low, high := w.reference(t.perDay)
			t.law[s][i] = fitGumbel(t.past[s][i], low, high, minScale, 0.4+0.3*n.share+0.8*n.size)
		}
		t.lawAll[s] = fitGumbel(t.pastAll[s], refMedian, refHigh, minScaleAll, 0.65+0.3*n.share+n.size)
	}
}

// threshold is the standardised score that comes once in so many days.
func (t *tails) threshold(side int, days float64) float64 {
	return t.lawAll[side].location + t.lawAll[side].scale*math.Log(days)
}
