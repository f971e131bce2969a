package detect

import "slices"

// median returns the middle value, zero for none; it sorts what it is given.
func median(values []float64) float64 { return quantile(values, 0.5) }

// quantile returns a quantile, linear between neighbours, zero for no values; it
// sorts what it is given.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	at := q * float64(len(values)-1)
	i := int(at)
	if i+1 >= len(values) {
		return values[len(values)-1]
	}
	return values[i] + (at-float64(i))*(values[i+1]-values[i])
}

func clip(v, limit float64) float64 { return min(max(v, -limit), limit) }
