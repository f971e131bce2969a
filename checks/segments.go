package checks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// maxElements is how many values a dimension may have to be split.
	maxElements = 200
	// sameShare is the share of rows two elements must have in common for them
	// to count as the same rows.
	sameShare = 0.95
)

// splitter asks the questions of one attribution.
type splitter struct {
	q      Querier
	spec   Spec
	table  target
	column timeColumn
	spans  []Bucket // the bad bucket, then its references
	asked  []string
	known  []leaves // what was read
}

// Segments splits a bad bucket of a volume check by dimensions and says which
// segment explains the difference to the same hours of earlier weeks: a value of
// one dimension or, where none does, of two together. It asks one GROUP BY over
// all dimensions; where they have too many values together, one for each and one
// for each pair. A dimension with more than 200 values is skipped and says so, as
// is one whose values are private; an unknown column is an error. Without dims it
// chooses columns itself, never identifiers and never private ones.
func Segments(ctx context.Context, spec Spec, q Querier, bucket Bucket, dims []string) (Attribution, error) {
	s, err := newSplitter(ctx, spec, q, bucket)
	if err == nil && len(dims) == 0 {
		dims, err = s.chosen(ctx)
	}
	if err != nil {
		return Attribution{}, fmt.Errorf("split %s: %w", spec.Table, err)
	}
	a, split, err := s.single(ctx, dims)
	if err != nil {
		return Attribution{}, err
	}
	if found := segmentsOf(a.Dimensions); len(found) > 0 {
		if err = s.alike(ctx, &a, found); err == nil {
			s.narrow(&a, split)
		}
	} else if err = s.several(ctx, &a, split); err != nil {
		err = fmt.Errorf("split %s by pairs: %w", spec.Table, err)
	}
	a.SQL = strings.Join(s.asked, ";\n")
	return a, err
}

// single splits by each dimension and returns those that could be split.
func (s *splitter) single(ctx context.Context, dims []string) (a Attribution, split []string, err error) {
	var open []string
	for _, dimension := range dims {
		if _, hidden := s.spec.private([]string{dimension}); !hidden {
			open = append(open, dimension)
		}
	}
	// Reading all at once spares the scans of each, unless they are too many.
	if len(open) > 1 {
		if _, err := s.leavesOf(ctx, open...); err != nil && !errors.Is(err, errTooMany) {
			return a, nil, fmt.Errorf("split %s by %s: %w", s.spec.Table, strings.Join(open, ", "), err)
		}
	}
	for _, dimension := range dims {
		d := DimensionSplit{Dimension: dimension, Skipped: "its values are private"}
		if slices.Contains(open, dimension) {
			if d, err = s.split(ctx, dimension); err != nil {
				return a, nil, fmt.Errorf("split %s by %s: %w", s.spec.Table, dimension, err)
			}
		}
		if d.Skipped == "" {
			split = append(split, dimension)
		}
		a.Dimensions = append(a.Dimensions, d)
	}
	return a, split, nil
}

// alike settles on one of the candidates, together with those over the same rows.
func (s *splitter) alike(ctx context.Context, a *Attribution, found []candidate) error {
	same := slices.Clip(found[:1])
	for _, other := range found[1:] {
		both, err := s.leavesOf(ctx, found[0].dimension, other.dimension)
		if err != nil && !errors.Is(err, errTooMany) {
			return fmt.Errorf("compare %s with %s: %w", found[0].name(), other.name(), err)
		}
		if shared, either := both.overlap(found[0].element, other.element); either > 0 && shared >= sameShare*either {
			same = append(same, other)
		}
	}
	a.settle(same)
	return nil
}

// newSplitter resolves the table and the reference buckets.
func newSplitter(ctx context.Context, spec Spec, q Querier, bucket Bucket) (*splitter, error) {
	if !bucket.End.After(bucket.Start) {
		return nil, errors.New("the bucket ends before it begins")
	}
	if spec.Where != "" {
		if err := GuardCondition(spec.Where); err != nil {
			return nil, err
		}
	}
	t, err := resolve(ctx, q, spec.Table)
	if err != nil {
		return nil, err
	}
	e, err := measureExtent(ctx, q, t, spec.TimeColumn, spec.TimeFormat, spec.Zone, bucket.End)
	if err != nil {
		return nil, err
	}
	spans := referenceSpans(bucket, spec.weeks(), e.clock.loc, e.first)
	if len(spans) <= minSamples {
		return nil, &youngError{weeks: len(spans) - 1}
	}
	return &splitter{q: q, spec: spec, table: t, column: e.column, spans: spans}, nil
}

// youngError says that a table does not reach back far enough.
type youngError struct{ weeks int }

func (e *youngError) Error() string {
	return fmt.Sprintf("only %d earlier weeks are known, %d are needed", e.weeks, minSamples)
}

// referenceSpans returns a bucket followed by the same one of earlier weeks, as
// far as the table reaches back.
func referenceSpans(bucket Bucket, weeks int, loc *time.Location, first time.Time) []Bucket {
	known := history{first: first}
	spans := []Bucket{bucket}
	for week := 1; week <= weeks; week++ {
		if earlier, exists := weeksBefore(bucket, week, loc); exists && known.knows(earlier) {
			spans = append(spans, earlier)
		}
	}
	return spans
}

// split counts the rows of all spans by one dimension.
func (s *splitter) split(ctx context.Context, dimension string) (DimensionSplit, error) {
	found, err := s.leavesOf(ctx, dimension)
	if errors.Is(err, errTooMany) || len(found.rows) > maxElements {
		return DimensionSplit{Dimension: dimension, Skipped: fmt.Sprintf("more than %d values", maxElements)}, nil
	}
	return DimensionSplit{Dimension: dimension, Elements: split(found.elements())}, err
}
