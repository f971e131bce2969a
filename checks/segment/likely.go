package segment

import (
	"math"
	"slices"
)

// deviance is twice the log-likelihood that a negative binomial of mean m and
// variance m + spread·m² loses against one that fits the count exactly
// (McCullagh and Nelder, Generalized Linear Models, 1989).
func deviance(count, m, spread float64) float64 {
	m = max(m, 1e-9)
	size := 1 / spread
	sum := -(count + size) * math.Log((count+size)/(m+size))
	if count > 0 {
		sum += count * math.Log(count/m)
	}
	return 2 * sum
}

// factors returns the most likely factor of each part, by four rounds of
// weighting each leaf by what it is known to vary.
func (s *search) factors(c cut, spread float64) []float64 {
	factors := make([]float64, len(c.names))
	for part := range factors {
		factors[part] = 1
	}
	for round := range 5 {
		above, below := make([]float64, len(c.names)), make([]float64, len(c.names))
		for i, part := range c.of {
			weight := 1.0
			if round > 0 {
				weight = 1 / (1 + spread*s.mean[i]*factors[part])
			}
			above[part] += weight * s.actual[i]
			below[part] += weight * s.mean[i]
		}
		for part := range factors {
			factors[part] = above[part] / max(below[part], 1e-9)
		}
	}
	return factors
}

// Leaves of which the spread is found, and the least spread that is believed.
const (
	largeLeaf   = 20 // rows
	fewLeaves   = 20
	largest     = 40
	leastSpread = 0.002
)

// spread finds how far leaves are off beyond chance, from the middle half of the
// large ones: a cause that touches less than half of them does not widen it.
func (s *search) spread() float64 {
	least := float64(largeLeaf)
	sorted := slices.Sorted(slices.Values(s.mean))
	if n := len(sorted); n < fewLeaves || sorted[n-fewLeaves] <= least {
		least = sorted[max(0, n-largest)]
	}
	var off, chance []float64
	for i, m := range s.mean {
		if m >= least {
			off = append(off, (s.actual[i]-m)/m)
			chance = append(chance, 1/m)
		}
	}
	centre := median(off)
	for i := range off {
		off[i] = math.Abs(off[i] - centre)
	}
	sd := 1.4826 * median(off)
	return max(leastSpread, sd*sd-median(chance))
}

// median of values, 0 of none.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
