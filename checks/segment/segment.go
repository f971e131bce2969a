// Package segment finds the parts of a table's rows, by the values of one or two
// columns, whose numbers changed by a factor of their own.
package segment

import "math"

// Enough is the Gain from which a cause is no chance: twice a log-likelihood
// ratio of 10, by far beyond what some hundred candidates reach without a cause
// (chi-square with one degree of freedom, p = 8e-6).
const Enough = 20

// The search stops after maxCauses. A dimension with more than maxValues is no
// dimension to report by.
const (
	maxCauses = 4
	// worthNaming is the Gain of the first cause below which it is not even a guess.
	worthNaming = 4
	maxValues   = 200
	// pairPrice is what two dimensions must gain beyond one: there are about
	// twenty times as many pairs, and 2 ln 20 = 6.
	pairPrice = 6
	// leastFactor is how far a part must be off to be a cause.
	leastFactor = 0.12
	// sameRows is the share of rows that two parts must have in common to be the
	// same rows.
	sameRows = 0.95
)

// Leaf is the rows with one value of every dimension.
type Leaf struct {
	Values   []string // in the order of the dimensions
	Expected float64  // rows, by earlier spans alike
	Actual   float64  // rows
}

// Part is a dimension with one of its values.
type Part struct {
	Dimension string `json:"dimension"`
	Value     string `json:"value"`
}

// Cause is a part of the rows that changed by one factor.
type Cause struct {
	Where    []Part   // one, or two that hold together
	Same     [][]Part // other parts that are the same rows
	Expected float64  // rows, after the causes named before
	Actual   float64  // rows
	Factor   float64  // by which the rows changed
	Gain     float64  // twice the log-likelihood ratio, less the price of a second dimension
}

// Attribute returns the parts that explain best why the actual rows are not the
// expected ones, the best first, at most four. The first may be no more than a
// guess, as its Gain says; the others have Enough. Where nothing is off it returns none.
//
// A cause multiplies the expected rows of its part, and another one may multiply
// some of them again (the ripple effect of HotSpot, 2018). Candidates are the
// values of every dimension and of every pair of dimensions; the one whose factor
// makes the counts most likely is taken, and the search goes on with what it
// leaves over. Counts are negative binomial: their variance is m + spread·m²,
// with the spread found from the leaves themselves.
func Attribute(dimensions []string, leaves []Leaf) []Cause {
	if len(leaves) == 0 {
		return nil
	}
	s := newSearch(dimensions, leaves)
	var found []Cause
	for len(found) < maxCauses {
		best, ok := s.best()
		if !ok || len(found) > 0 && best.gain < Enough {
			break
		}
		found = append(found, s.take(best))
	}
	return found
}

// search is the state of one attribution.
type search struct {
	actual []float64
	mean   []float64 // expected, with the factors of the causes found
	cuts   []cut
}

// cut is how one or two dimensions part the leaves.
type cut struct {
	dimensions []string
	names      [][]string // of each part, one value for each dimension
	of         []int      // the part of each leaf
}

// leastExpected stands for nothing expected, in rows.
const leastExpected = 1e-3

func newSearch(dimensions []string, leaves []Leaf) *search {
	s := &search{}
	for _, leaf := range leaves {
		s.actual = append(s.actual, max(0, leaf.Actual))
		s.mean = append(s.mean, max(leastExpected, leaf.Expected))
	}
	var single []cut
	for i, dimension := range dimensions {
		if c := newCut(dimension, i, leaves); len(c.names) <= maxValues {
			single = append(single, c)
		}
	}
	s.cuts = single
	for i, a := range single {
		for _, b := range single[i+1:] {
			s.cuts = append(s.cuts, a.with(b))
		}
	}
	return s
}

func newCut(dimension string, column int, leaves []Leaf) cut {
	c := cut{dimensions: []string{dimension}, of: make([]int, len(leaves))}
	known := map[string]int{}
	for i, leaf := range leaves {
		value := leaf.Values[column]
		at, seen := known[value]
		if !seen {
			at = len(c.names)
			known[value] = at
			c.names = append(c.names, []string{value})
		}
		c.of[i] = at
	}
	return c
}

// with parts the leaves by two dimensions at once. Only pairs that occur are
// parts.
func (c cut) with(d cut) cut {
	both := cut{dimensions: []string{c.dimensions[0], d.dimensions[0]}, of: make([]int, len(c.of))}
	known := map[[2]int]int{}
	for i := range c.of {
		key := [2]int{c.of[i], d.of[i]}
		at, seen := known[key]
		if !seen {
			at = len(both.names)
			known[key] = at
			both.names = append(both.names, []string{c.names[key[0]][0], d.names[key[1]][0]})
		}
		both.of[i] = at
	}
	return both
}

// candidate is one part of one cut.
type candidate struct {
	cut    int
	part   int
	factor float64
	gain   float64
}

// best returns the part whose factor makes the counts most likely.
func (s *search) best() (candidate, bool) {
	spread := s.spread()
	before := make([]float64, len(s.actual))
	for i := range before {
		before[i] = deviance(s.actual[i], s.mean[i], spread)
	}
	best := candidate{gain: worthNaming}
	for at, c := range s.cuts {
		factors := s.factors(c, spread)
		gains := make([]float64, len(c.names))
		for i, part := range c.of {
			gains[part] += before[i] - deviance(s.actual[i], s.mean[i]*factors[part], spread)
		}
		for part, gain := range gains {
			if len(c.dimensions) > 1 {
				gain -= pairPrice
			}
			if gain > best.gain && math.Abs(factors[part]-1) >= leastFactor {
				best = candidate{at, part, factors[part], gain}
			}
		}
	}
	return best, best.gain > worthNaming
}

// take names a candidate and multiplies its rows.
func (s *search) take(best candidate) Cause {
	c := s.cuts[best.cut]
	found := Cause{Where: c.parts(best.part), Factor: best.factor, Gain: best.gain, Same: s.same(best)}
	for i, part := range c.of {
		if part == best.part {
			found.Expected += s.mean[i]
			found.Actual += s.actual[i]
		}
	}
	for i, part := range c.of {
		if part == best.part {
			s.mean[i] *= max(best.factor, leastExpected)
		}
	}
	return found
}

// parts names a part of a cut.
func (c cut) parts(part int) []Part {
	out := make([]Part, len(c.dimensions))
	for i, dimension := range c.dimensions {
		out[i] = Part{dimension, c.names[part][i]}
	}
	return out
}

// same lists the values of other single dimensions that are the rows of a
// candidate.
func (s *search) same(best candidate) [][]Part {
	mine := s.cuts[best.cut]
	var out [][]Part
	for at, c := range s.cuts {
		if at == best.cut || len(c.dimensions) > 1 {
			continue
		}
		both, either := make([]float64, len(c.names)), make([]float64, len(c.names))
		var own float64
		for i, part := range c.of {
			rows := s.mean[i] + s.actual[i]
			either[part] += rows
			if mine.of[i] == best.part {
				own += rows
				both[part] += rows
			}
		}
		for part := range c.names {
			if both[part] > 0 && both[part] >= sameRows*(either[part]+own-both[part]) {
				out = append(out, c.parts(part))
			}
		}
	}
	return out
}
