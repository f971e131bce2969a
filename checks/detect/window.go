package detect

import "math"

// window is one length over which buckets are summed.
type window struct {
	buckets int
	hours   float64
	fast    bool // against the expectation that follows the last hours
}

// lengths are the windows' lengths in hours: one bucket for the sharp fault, ten
// days for the slow one on a sparse table.
func lengths(perDay int) []window {
	hours := []float64{1, 2, 3, 4, 6, 8, 12, 24, 48, 96, 168, 240}
	step := 24 / float64(perDay)
	all := []window{{buckets: 1, hours: step}}
	for _, h := range hours {
		if n := int(math.Round(h / step)); n > 1 && float64(n)*step == h {
			all = append(all, window{buckets: n, hours: h})
		}
	}
	for _, w := range all {
		if w.hours <= fastHours {
			all = append(all, window{w.buckets, w.hours, true})
		}
	}
	return all
}

// sums holds, for each length, what the newest so many buckets hold.
type sums struct {
	y, mu []float64 // by number of buckets, of those that are evidence
	n     []int     // how many are
}

func newSums(longest int) sums {
	return sums{make([]float64, longest+1), make([]float64, longest+1), make([]int, longest+1)}
}

// fill sums backwards from the newest bucket.
func (s sums) fill(buckets []bucket) int {
	longest := min(len(s.y)-1, len(buckets))
	for k := 1; k <= longest; k++ {
		b := &buckets[len(buckets)-k]
		s.y[k], s.mu[k], s.n[k] = s.y[k-1], s.mu[k-1], s.n[k-1]
		if b.evidence() {
			s.y[k] += b.y
			s.mu[k] += b.mu
			s.n[k]++
		}
	}
	return longest
}

// Which windows count.
const (
	freshShare   = 0.6  // of a window's buckets must be evidence
	supportShare = 0.5  // of the window's deviation must show in its newest quarter
	gateShort    = 0.20 // least relative deviation, up to 4 hours
	gateMiddle   = 0.15 // up to 12 hours
	gateLong     = 0.10
)

// gate is the least relative deviation that is worth a message.
func (w window) gate() float64 {
	switch {
	case w.hours <= 4:
		return gateShort
	case w.hours <= 12:
		return gateMiddle
	}
	return gateLong
}

// speaks reports whether a window's deviation is large enough and still there:
// its newest quarter must deviate the same way.
func (s sums) speaks(w window, factor float64) bool {
	off := s.y[w.buckets]/(s.mu[w.buckets]*factor) - 1
	if math.Abs(off) < w.gate() {
		return false
	}
	quarter := (w.buckets + 3) / 4
	if s.mu[quarter] <= 0 {
		return false
	}
	newest := s.y[quarter]/(s.mu[quarter]*factor) - 1
	return newest*off > 0 && math.Abs(newest) >= supportShare*math.Abs(off)
}
