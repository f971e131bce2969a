package detect

import "math"

// Constants of the spread, which is measured on the detector's own forecasts:
// neighbouring buckets share the day's mood, so a sum's spread is never taken
// from that of its parts.
const (
	capSquares   = 2.25   // squared residuals count at most this (1.5 standard deviations)
	cappedMean   = 0.7784 // the mean of min(z², 2.25) for a normal z
	priorSpread  = 0.0025 // relative variance (5 %) that a series is taken to have
	priorWindows = 4.0    // independent windows that the prior weighs
	independent  = 6.0    // hours, below which windows count as sharing one mood
	hourPrior    = 60.0   // windows of variance ratio 1 that an hour of the day starts with
	hourCap      = 9.0
	hourFloor    = 0.5
	hourMax      = 4.0 // hours, up to which a window has its hour's own variance
	maxPhi       = 2.0
	bisections   = 18
)

// spread is how far sums lie from their forecasts.
type spread struct {
	phi  []float64  // relative spread, by window
	hour []float64  // variance ratio, by slot of the day
	past []residual // scratch
}

func newSpread(windows []window, perDay int) spread {
	s := spread{phi: make([]float64, len(windows)), hour: make([]float64, perDay)}
	for i := range s.phi {
		s.phi[i] = math.Sqrt(priorSpread)
	}
	for i := range s.hour {
		s.hour[i] = 1
	}
	return s
}

// variance returns the variance of a window's sum that is expected to be mean;
// hour is the slot of the day of its newest bucket.
func (s spread) variance(i int, w window, mean float64, hour int) float64 {
	v := mean + s.phi[i]*s.phi[i]*mean*mean
	if w.hours <= hourMax {
		v *= s.hour[hour]
	}
	return max(mean, v)
}

// residual is one past window: how far it was off, squared, and its forecast.
type residual struct {
	square, mean float64
	hour         int
}

// calibrate measures the spread of each window from the remembered forecasts.
func (s *spread) calibrate(buckets []bucket, windows []window, fast echo) {
	p := newPrefix(buckets)
	var factors []float64
	for i, w := range windows {
		if w.fast && factors == nil {
			factors = fast.along(buckets)
		}
		stride := max(1, w.buckets/4)
		past := p.residuals(s.past[:0], w, stride, factors)
		s.past = past
		s.phi[i] = s.solve(past, w, float64(len(past)*stride))
		if i == 0 {
			s.hours(past)
		}
	}
}

// solve finds the relative spread at which the capped squares have their normal
// mean, shrunk to the prior while few windows are known.
func (s *spread) solve(past []residual, w window, positions float64) float64 {
	phi := 0.0
	if len(past) > 0 && s.capped(past, w, 0) > cappedMean {
		low, high := 0.0, maxPhi
		for range bisections {
			phi = (low + high) / 2
			if s.capped(past, w, phi*phi) > cappedMean {
				low = phi
			} else {
				high = phi
			}
		}
	}
	estimate := phi * phi
	perHour := float64(w.buckets) / w.hours
	n := positions / max(float64(w.buckets), independent*perHour)
	return math.Sqrt((n*estimate + priorWindows*(priorSpread+estimate/2)) / (n + priorWindows))
}

// capped is the mean of the capped squares at a relative variance.
func (s *spread) capped(past []residual, w window, phi2 float64) float64 {
	sum := 0.0
	for _, r := range past {
		v := r.mean + phi2*r.mean*r.mean
		if w.hours <= hourMax {
			v *= s.hour[r.hour]
		}
		sum += min(r.square/max(r.mean, v), capSquares)
	}
	return sum / float64(len(past))
}

// hours measures how much noisier than the rest each slot of the day is.
func (s *spread) hours(past []residual) {
	n := len(s.hour)
	sum, count := make([]float64, n), make([]float64, n)
	for _, r := range past {
		v := r.mean + s.phi[0]*s.phi[0]*r.mean*r.mean
		sum[r.hour] += min(r.square/v, hourCap)
		count[r.hour]++
	}
	for h := range n {
		before, after := (h+n-1)%n, (h+1)%n
		total := sum[before] + 2*sum[h] + sum[after]
		weight := count[before] + 2*count[h] + count[after]
		s.hour[h] = max(hourFloor, (total+hourPrior)/(weight+hourPrior))
	}
}

// prefix holds running sums over the buckets that a spread is learned from.
// Alarmed ones are among them: the squares are capped, and a series that alarms
// often is one of wide spread.
type prefix struct {
	buckets []bucket
	y, mu   []float64
	n       []int
}

func newPrefix(buckets []bucket) prefix {
	p := prefix{buckets, make([]float64, len(buckets)+1), make([]float64, len(buckets)+1), make([]int, len(buckets)+1)}
	for i := range buckets {
		p.y[i+1], p.mu[i+1], p.n[i+1] = p.y[i], p.mu[i], p.n[i]
		if b := &buckets[i]; b.known && !b.holiday && b.mu > 0 {
			p.y[i+1] += b.y
			p.mu[i+1] += b.mu
			p.n[i+1]++
		}
	}
	return p
}

// residuals appends past windows of one length, every stride buckets.
func (p prefix) residuals(past []residual, w window, stride int, factors []float64) []residual {
	for end := w.buckets; end <= len(p.buckets); end += stride {
		start := end - w.buckets
		mean := p.mu[end] - p.mu[start]
		if float64(p.n[end]-p.n[start]) < freshShare*float64(w.buckets) || mean <= 0 {
			continue
		}
		if w.fast {
			mean *= factors[start]
		}
		off := p.y[end] - p.y[start] - mean
		past = append(past, residual{off * off, mean, p.buckets[end-1].hour})
	}
	return past
}
