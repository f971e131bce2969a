package checks

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// history is how many rows a table holds by spans of an hour, or of a quarter
// where the zone's hours do not begin on hours of UTC.
type history struct {
	counts   map[time.Time]float64 // by start of the span; absent is zero rows
	values   map[time.Time]float64 // what is measured of the rows, where that is not their number
	quarters bool
	first    time.Time // first row of the table: before it nothing is known
	sql      string
}

// readHistory counts the rows of the spans given in one GROUP BY. An absent span
// counts zero only because this query has succeeded.
func readHistory(ctx context.Context, q Querier, t target, e extent, where string, spans []Bucket, quarters bool, measure string) (history, error) {
	spans = mergeSpans(spans)
	h := history{counts: map[time.Time]float64{}, values: map[time.Time]float64{}, quarters: quarters, first: e.first}
	s := historyStatement(t, e.column, where, spans, h.quarters, measure)
	h.sql = s.render()
	rows, err := ask(ctx, q, s)
	if err != nil {
		return history{}, err
	}
	for _, row := range rows.Values {
		if err := h.read(row, e.column, measure); err != nil {
			return history{}, fmt.Errorf("count rows by hour: %w", err)
		}
	}
	return h, nil
}

// read takes one span. A measure that is NULL is as good as no rows: unknown.
func (h history) read(row []any, column timeColumn, measure string) error {
	wide := 2
	if measure != measureRows {
		wide = 3
	}
	if len(row) != wide {
		return fmt.Errorf("expected %d columns, got %d", wide, len(row))
	}
	start, err := column.readAtom(row[0], h.quarters)
	if err != nil {
		return err
	}
	n, err := toCount(row[1])
	if err != nil {
		return err
	}
	if measure == measureRows {
		h.counts[start] += n
		return nil
	}
	if row[2] == nil {
		return nil
	}
	value, err := metricValue(row[2], measure, "a span")
	h.counts[start], h.values[start] = h.counts[start]+n, h.values[start]+value
	return err
}

// historyStatement counts rows by span, and with them what is measured; its ranges stand on the raw column.
func historyStatement(t target, c timeColumn, where string, spans []Bucket, quarters bool, measure string) *statement {
	s := (&statement{dialect: t.dialect}).add("SELECT ", c.atom(quarters), " AS span, count(*) AS n")
	if measure != measureRows {
		s.add(", ").where(measure).add(" AS v")
	}
	s.add(" FROM ", t.quoted, " WHERE ")
	s.ranges(c, spans).condition("AND", where)
	return s.add(" GROUP BY 1 ORDER BY 1")
}

// ranges appends the condition that a time lies in one of the spans.
func (s *statement) ranges(c timeColumn, spans []Bucket) *statement {
	s.add("(")
	for i, span := range spans {
		if i > 0 {
			s.add(" OR ")
		}
		s.within(c, span)
	}
	return s.add(")")
}

// within appends the condition that a time lies in one span.
func (s *statement) within(c timeColumn, span Bucket) *statement {
	return s.add("(", c.sorted(), " >= ").instant(c, c.bound(span.Start)).
		add(" AND ", c.sorted(), " < ").instant(c, c.bound(span.End)).add(")")
}

// mergeSpans sorts spans and joins those that touch or overlap, so that no row
// is read twice.
func mergeSpans(spans []Bucket) []Bucket {
	sorted := slices.SortedFunc(slices.Values(spans), func(a, b Bucket) int { return a.Start.Compare(b.Start) })
	merged := sorted[:0]
	for _, span := range sorted {
		if n := len(merged); n > 0 && !span.Start.After(merged[n-1].End) {
			if span.End.After(merged[n-1].End) {
				merged[n-1].End = span.End
			}
			continue
		}
		merged = append(merged, span)
	}
	return merged
}

// count returns the rows of a bucket.
func (h history) count(b Bucket) float64 { return h.sum(h.counts, b) }

// sum adds up the spans of a bucket.
func (h history) sum(of map[time.Time]float64, b Bucket) float64 {
	step := time.Hour
	if h.quarters {
		step = 15 * time.Minute
	}
	var sum float64
	for at := b.Start; at.Before(b.End); at = at.Add(step) {
		sum += of[at]
	}
	return sum
}

// knows reports whether the table was already being filled when a bucket began;
// a first row within the bucket's first tenth counts as its beginning.
func (h history) knows(b Bucket) bool {
	return !h.first.IsZero() && !h.first.After(b.Start.Add(b.End.Sub(b.Start)/10))
}
