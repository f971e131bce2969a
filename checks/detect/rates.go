package detect

import "math"

// Constants of ratio metrics. How many rows a percentage stands for is unknown,
// so an effective number is taken from its own noise, by hour of the day.
const (
	winsorAt    = 0.995 // quantile at which rates are cut in training
	pooledDays  = 5.0   // days that the pooled variance weighs in an hour's
	minRate     = 1e-4  // share
	minRows     = 5.0
	maxRows     = 1e7
	ratioMinDay = 1
)

// ratioNature is the nature of a series of percentages: its noise is counting
// noise, as the effective number of rows is made so.
var ratioNature = nature{0.3, 0.03}

// rates is what is usual of a percentage.
type rates struct {
	known   bool
	share   float64
	rows    []float64 // effective, by slot of the day
	percent float64
}

// forecast turns a percentage into pseudo counts.
func (r *rates) forecast(b *bucket) {
	if !r.known {
		return
	}
	n := r.rows[b.hour]
	b.y = b.raw / 100 * n
	b.mu = r.share * n
}

// learn measures the mean rate and its noise.
func (r *rates) learn(buckets []bucket, perDay int) {
	var all []float64
	for i := range buckets {
		if buckets[i].trainable() {
			all = append(all, buckets[i].raw/100)
		}
	}
	if len(all) < ratioMinDay*perDay {
		return
	}
	top := quantile(all, winsorAt)
	mean := 0.0
	for _, v := range all {
		mean += min(v, top)
	}
	mean /= float64(len(all))
	sum, count := make([]float64, perDay), make([]float64, perDay)
	total := 0.0
	for i := range buckets {
		if b := &buckets[i]; b.trainable() {
			off := min(b.raw/100, top) - mean
			sum[b.hour] += off * off
			count[b.hour]++
			total += off * off
		}
	}
	pooled := total / float64(len(all))
	r.known, r.share, r.percent = true, max(mean, minRate), 100*mean
	r.rows = make([]float64, perDay)
	for h := range perDay {
		before, after := (h+perDay-1)%perDay, (h+1)%perDay
		s := (sum[before] + 2*sum[h] + sum[after]) / 4
		n := (count[before] + 2*count[h] + count[after]) / 4
		variance := (s + pooledDays*pooled) / (n + pooledDays)
		r.rows[h] = min(max(r.share/max(variance, math.SmallestNonzeroFloat64), minRows), maxRows)
	}
}
