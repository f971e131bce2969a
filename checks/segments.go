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
}

// Segments splits a bad bucket of a volume check by each dimension and says
// which element explains the difference to the same hours of earlier weeks. It
// asks one GROUP BY per dimension, and one more question where two dimensions
// seem to name the same rows. A dimension with more than 200 values is skipped
// and says so; an unknown column is an error.
func Segments(ctx context.Context, spec Spec, q Querier, bucket Bucket, dims []string) (Attribution, error) {
	s, err := newSplitter(ctx, spec, q, bucket)
	if err != nil {
		return Attribution{}, fmt.Errorf("split %s: %w", spec.Table, err)
	}
	var a Attribution
	for _, dimension := range dims {
		d, err := s.split(ctx, dimension)
		if err != nil {
			return Attribution{}, fmt.Errorf("split %s by %s: %w", spec.Table, dimension, err)
		}
		a.Dimensions = append(a.Dimensions, d)
	}
	if found := segmentsOf(a.Dimensions); len(found) > 0 {
		same := slices.Clip(found[:1])
		for _, other := range found[1:] {
			covers, err := s.sameRows(ctx, found[0], other)
			if err != nil {
				return Attribution{}, fmt.Errorf("compare %s with %s: %w", found[0].name(), other.name(), err)
			}
			if covers {
				same = append(same, other)
			}
		}
		a.settle(same)
	}
	a.SQL = strings.Join(s.asked, ";\n")
	return a, nil
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
	if _, hidden := s.spec.private([]string{dimension}); hidden {
		return DimensionSplit{Dimension: dimension, Skipped: "its values are private"}, nil
	}
	column, err := s.table.column(dimension)
	if err != nil {
		return DimensionSplit{}, err
	}
	st := segmentStatement(s.table, s.column, column, s.spec.Where, s.spans)
	s.asked = append(s.asked, st.render())
	rows, err := s.q.Select(ctx, st.String(), st.args...)
	if err != nil {
		return DimensionSplit{}, err
	}
	elements, err := readElements(rows, len(s.spans))
	if err != nil {
		return DimensionSplit{}, err
	}
	if rows.Truncated || len(elements) > maxElements {
		return DimensionSplit{Dimension: dimension, Skipped: fmt.Sprintf("more than %d values", maxElements)}, nil
	}
	return DimensionSplit{Dimension: dimension, Elements: split(elements)}, nil
}

// segmentStatement counts rows by the value of a column, with a count per span.
func segmentStatement(t target, c timeColumn, column, where string, spans []Bucket) *statement {
	s := (&statement{dialect: t.dialect}).add("SELECT ", column, " AS element")
	for _, span := range spans {
		s.add(", sum(CASE WHEN ").within(c, span).add(" THEN 1 ELSE 0 END)")
	}
	s.add(" FROM ", t.quoted, " WHERE ").ranges(c, spans).condition("AND", where)
	return s.add(" GROUP BY 1 LIMIT ").bind(int64(maxElements + 1))
}

// readElements turns an answer into elements with what was expected of each.
func readElements(rows Rows, spans int) ([]Element, error) {
	elements := make([]Element, 0, len(rows.Values))
	for _, row := range rows.Values {
		if len(row) != 1+spans {
			return nil, fmt.Errorf("expected %d columns, got %d", 1+spans, len(row))
		}
		counts, err := toCounts(row[1:])
		if err != nil {
			return nil, err
		}
		expected := median(counts[1:])
		share := ratio(madToSigma*median(deviations(counts[1:], expected)), expected)
		elements = append(elements, Element{
			Value:    toText(row[0]),
			Null:     row[0] == nil,
			Expected: expected,
			Actual:   counts[0],
			Usual:    usual(counts[0], expected, share),
			raw:      row[0],
		})
	}
	return elements, nil
}

// sameRows reports whether two elements cover the same rows of all spans.
func (s *splitter) sameRows(ctx context.Context, a, b candidate) (bool, error) {
	st, err := s.overlapStatement(a, b)
	if err != nil {
		return false, err
	}
	s.asked = append(s.asked, st.render())
	row, err := askOne(ctx, s.q, st, 2)
	if err != nil {
		return false, err
	}
	counts, err := toCounts(row)
	if err != nil {
		return false, err
	}
	both, either := counts[0], counts[1]
	return either > 0 && both >= sameShare*either, nil
}

// overlapStatement counts the rows with both elements, and with either.
func (s *splitter) overlapStatement(a, b candidate) (*statement, error) {
	st := (&statement{dialect: s.table.dialect}).add("SELECT sum(CASE WHEN ")
	columns := make([]string, 2)
	for i, c := range []candidate{a, b} {
		column, err := s.table.column(c.dimension)
		if err != nil {
			return nil, err
		}
		columns[i] = column
	}
	pair := func(word string) {
		st.equals(columns[0], a.element).add(" ", word, " ").equals(columns[1], b.element)
	}
	pair("AND")
	st.add(" THEN 1 ELSE 0 END), count(*) FROM ", s.table.quoted, " WHERE (")
	pair("OR")
	st.add(") AND ").ranges(s.column, s.spans)
	return st.condition("AND", s.spec.Where), nil
}

// equals appends the condition that a column holds an element's value.
func (s *statement) equals(column string, e Element) *statement {
	if e.Null {
		return s.add(column, " IS NULL")
	}
	return s.add(column, " = ").bind(e.raw)
}
