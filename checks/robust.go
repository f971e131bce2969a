package checks

import (
	"math"
	"slices"
)

// Constants of the volume rule: a bucket is unusual when it is allowedSpreads
// spreads from the median of at least minSamples earlier weeks.
const (
	allowedSpreads = 4.0
	minSamples     = 3
	floorShare     = 0.05   // a spread is at least this share of what is expected
	madToSigma     = 1.4826 // scales a median absolute deviation to a standard deviation
)

// median returns the middle value, zero for none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// deviations returns how far each value is from centre.
func deviations(values []float64, centre float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Abs(v - centre)
	}
	return out
}

// spreadOf returns the spread of counts around what is expected: share is the
// relative one that was measured, and counting noise and a floor bound it below.
func spreadOf(expected, share float64) float64 {
	return max(expected*max(share, floorShare), math.Sqrt(expected), 1)
}
