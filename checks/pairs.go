package checks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"dw/checks/segment"
)

// Part is a dimension with one of its values.
type Part struct {
	Dimension string `json:"dimension"`
	Value     string `json:"value"` // "NULL" where there is none
}

// several names the segments that explain a bucket where no value of one
// dimension does: one of two dimensions together, or several.
func (s *splitter) several(ctx context.Context, a *Attribution, dimensions []string) error {
	causes, err := s.causes(ctx, dimensions)
	if err != nil || len(causes) == 0 {
		return err
	}
	for _, c := range causes {
		a.Causes = append(a.Causes, segmentOf(c, a.difference()))
	}
	first := a.Causes[0]
	if first.And != nil && first.Contribution >= enoughContribution && first.Contribution <= 1/enoughContribution {
		a.Best = &first
		a.Normal = a.usualBeside(first.Dimension, first.Value)
	}
	return nil
}

// narrow tells the element that explains a bucket more closely where it is only
// one value of another dimension in which it is off, as far as the rows of both
// were read.
func (s *splitter) narrow(a *Attribution, dimensions []string) {
	for _, known := range s.known {
		if _, covers := known.places(dimensions); !covers || len(dimensions) < 2 {
			continue
		}
		found := known.causes()
		if len(found) == 0 || len(found[0].Where) < 2 {
			return
		}
		closer := segmentOf(found[0], a.difference())
		if closer.And.Dimension == a.Best.Dimension {
			closer.Dimension, closer.Value, closer.And = closer.And.Dimension, closer.And.Value, &Part{closer.Dimension, closer.Value}
		}
		if closer.Dimension == a.Best.Dimension && closer.Value == a.Best.Value && closer.Contribution >= enoughContribution {
			a.Best, a.SameRows = &closer, nil
		}
		return
	}
}

// causes searches the leaves of all dimensions or, where they are too many, those
// of each pair, of which it takes the one that explains most.
func (s *splitter) causes(ctx context.Context, dimensions []string) ([]segment.Cause, error) {
	if len(dimensions) < 2 {
		return nil, nil
	}
	all, err := s.leavesOf(ctx, dimensions...)
	if err == nil {
		return all.causes(), nil
	}
	if !errors.Is(err, errTooMany) {
		return nil, err
	}
	var best []segment.Cause
	for i, one := range dimensions {
		for _, other := range dimensions[i+1:] {
			pair, err := s.leavesOf(ctx, one, other)
			if errors.Is(err, errTooMany) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("by %s and %s: %w", one, other, err)
			}
			if found := pair.causes(); len(found) > 0 && (len(best) == 0 || found[0].Gain > best[0].Gain) {
				best = found
			}
		}
	}
	return best, nil
}

// causes are the parts of the leaves that changed by a factor of their own,
// beyond chance.
func (l leaves) causes() []segment.Cause {
	weights := l.weights()
	in := make([]segment.Leaf, len(l.rows))
	for i, row := range l.rows {
		in[i].Actual = row.counts[0]
		for week, n := range row.counts[1:] {
			in[i].Expected += weights[week] * n
		}
		for _, value := range row.values {
			in[i].Values = append(in[i].Values, toText(value))
		}
	}
	found := segment.Attribute(l.dimensions, in)
	return slices.DeleteFunc(found, func(c segment.Cause) bool { return c.Gain < segment.Enough })
}

// weights is how much each earlier week counts towards what is expected: weeks
// whose total is far from the usual one count nothing, the others alike, so that
// their totals come to the median of all.
func (l leaves) weights() []float64 {
	if len(l.rows) == 0 {
		return nil
	}
	totals := make([]float64, len(l.rows[0].counts)-1)
	for _, row := range l.rows {
		for week, n := range row.counts[1:] {
			totals[week] += n
		}
	}
	usual := median(totals)
	weights := make([]float64, len(totals))
	var sum float64
	for week, total := range totals {
		if math.Abs(total-usual) <= usual/2 {
			weights[week] = 1
			sum += total
		}
	}
	for week := range weights {
		weights[week] *= ratio(usual, sum)
	}
	return weights
}

// segmentOf is a cause as a person reads it, with its share of the difference.
func segmentOf(c segment.Cause, difference float64) Segment {
	out := Segment{
		Dimension: c.Where[0].Dimension, Value: c.Where[0].Value,
		Expected: c.Expected, Actual: c.Actual, Contribution: ratio(c.Actual-c.Expected, difference),
	}
	if len(c.Where) > 1 {
		out.And = &Part{c.Where[1].Dimension, c.Where[1].Value}
	}
	return out
}

// difference is by how many rows the bucket is off, as its first split dimension
// has it.
func (a *Attribution) difference() float64 {
	var sum float64
	for _, d := range a.Dimensions {
		for _, e := range d.Elements {
			sum += e.Actual - e.Expected
		}
		if len(d.Elements) > 0 {
			break
		}
	}
	return sum
}

// usualBeside names the other elements of a dimension that are as usual.
func (a *Attribution) usualBeside(dimension, value string) []string {
	var out []string
	for _, d := range a.Dimensions {
		for _, e := range d.Elements {
			if d.Dimension == dimension && e.Value != value && e.Usual {
				out = append(out, dimension+"="+e.Value)
			}
		}
	}
	return out
}

// sortBy sorts by a number.
func sortBy[T any](list []T, by func(T) int64) {
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(by(a), by(b)) })
}

// String writes a segment for a person: "channel=web, region=north".
func (s Segment) String() string {
	text := s.Dimension + "=" + s.Value
	if s.And != nil {
		text += ", " + s.And.Dimension + "=" + s.And.Value
	}
	return text
}
