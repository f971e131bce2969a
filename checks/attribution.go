package checks

import (
	"cmp"
	"math"
	"slices"
)

// Thresholds of Adtributor (NSDI 2014): elements that explain more than
// minContribution each are taken until they explain enoughContribution together.
const (
	minContribution    = 0.10
	enoughContribution = 0.67
)

// Attribution says which part of the rows a bad bucket is bad in.
type Attribution struct {
	Dimensions []DimensionSplit `json:"dimensions"` // in the order asked for
	// Best is the one element that explains at least two thirds of the
	// difference while the rest of its dimension is as usual or, where there is
	// none, of two dimensions together; nil if none does.
	Best *Segment `json:"best,omitempty"`
	// Causes are the segments that explain the difference together, the most
	// likely first, where no element of one dimension does.
	Causes []Segment `json:"causes,omitempty"`
	// SameRows names other elements that cover the rows of Best: "device=pos".
	SameRows []string `json:"same_rows,omitempty"`
	// Normal names the other elements of Best's dimension that are as usual.
	Normal []string `json:"normal,omitempty"`
	SQL    string   `json:"sql"`
}

// DimensionSplit is a bucket's rows by the values of one column.
type DimensionSplit struct {
	Dimension string    `json:"dimension"`
	Elements  []Element `json:"elements,omitempty"` // largest surprise first
	Skipped   string    `json:"skipped,omitempty"`  // why the column was not split
}

// Element is the rows with one value of a dimension.
type Element struct {
	Value        string  `json:"value"` // "NULL" where Null
	Null         bool    `json:"null,omitempty"`
	Expected     float64 `json:"expected"` // rows, the median of the reference buckets
	Actual       float64 `json:"actual"`   // rows
	Contribution float64 `json:"contribution"`
	Surprise     float64 `json:"surprise"`
	Usual        bool    `json:"usual"` // within its own spread
	raw          any
}

// Segment is an element together with its dimension, and with that of a second
// dimension where it takes both.
type Segment struct {
	Dimension    string  `json:"dimension"`
	Value        string  `json:"value"`
	And          *Part   `json:"and,omitempty"`
	Expected     float64 `json:"expected"`
	Actual       float64 `json:"actual"`
	Contribution float64 `json:"contribution"`
}

// split fills in the contributions and surprises of a dimension's elements and
// sorts them. Contributions sum to one inside a dimension.
func split(elements []Element) []Element {
	var expected, actual float64
	for _, e := range elements {
		expected += e.Expected
		actual += e.Actual
	}
	for i, e := range elements {
		if actual != expected {
			elements[i].Contribution = (e.Actual - e.Expected) / (actual - expected)
		}
		elements[i].Surprise = surprise(ratio(e.Expected, expected), ratio(e.Actual, actual))
	}
	slices.SortStableFunc(elements, func(a, b Element) int {
		return cmp.Or(cmp.Compare(b.Surprise, a.Surprise), cmp.Compare(b.Contribution, a.Contribution), cmp.Compare(a.Value, b.Value))
	})
	return elements
}

// surprise is the Jensen-Shannon term of one element whose share was p and is q.
func surprise(p, q float64) float64 {
	term := func(x float64) float64 {
		if x == 0 {
			return 0
		}
		return x * math.Log(2*x/(p+q))
	}
	return 0.5 * (term(p) + term(q))
}

func ratio(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

// explaining returns the index of the element that explains a dimension's
// difference alone, and -1 where it takes several, or where the rest is off in
// like measure: a large element explains most of any change without being its
// cause.
func explaining(elements []Element) int {
	at := slices.IndexFunc(elements, func(e Element) bool { return e.Contribution > minContribution })
	if at < 0 || elements[at].Contribution < enoughContribution || elements[at].Usual {
		return -1
	}
	var rest Element
	for i, e := range elements {
		if i != at {
			rest.Expected += e.Expected
			rest.Actual += e.Actual
		}
	}
	if usual(rest.Actual, rest.Expected, 0) || elements[at].off() >= 2*rest.off() {
		return at
	}
	return -1
}

// off is an element's difference relative to what is expected of it.
func (e Element) off() float64 { return math.Abs(e.Actual-e.Expected) / max(e.Expected, 1) }

// usual reports whether a count is within its spread.
func usual(actual, expected, share float64) bool {
	return math.Abs(actual-expected) <= allowedSpreads*spreadOf(expected, share)
}

// candidate is an element that explains the difference, with what is needed to
// prefer one of several that cover the same rows.
type candidate struct {
	dimension string
	element   Element
	others    []Element
}

// segmentsOf lists the candidates of all dimensions, largest surprise first.
func segmentsOf(dimensions []DimensionSplit) []candidate {
	var found []candidate
	for _, d := range dimensions {
		if at := explaining(d.Elements); at >= 0 {
			others := slices.Delete(slices.Clone(d.Elements), at, at+1)
			found = append(found, candidate{d.Dimension, d.Elements[at], others})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.element.Surprise, a.element.Surprise) })
	return found
}

// preferred returns the one of several candidates over the same rows to name:
// that of the dimension with fewer elements, then of higher surprise.
func preferred(same []candidate) candidate {
	return slices.MinFunc(same, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(len(a.others), len(b.others)), cmp.Compare(b.element.Surprise, a.element.Surprise))
	})
}

// name is how an element is written for a person.
func (c candidate) name() string { return c.dimension + "=" + c.element.Value }

// settle writes the preferred candidate and its company into the attribution.
func (a *Attribution) settle(same []candidate) {
	best := preferred(same)
	e := best.element
	a.Best = &Segment{Dimension: best.dimension, Value: e.Value, Expected: e.Expected, Actual: e.Actual, Contribution: e.Contribution}
	for _, c := range same {
		if c.dimension != best.dimension {
			a.SameRows = append(a.SameRows, c.name())
		}
	}
	for _, other := range best.others {
		if other.Usual {
			a.Normal = append(a.Normal, best.dimension+"="+other.Value)
		}
	}
}
