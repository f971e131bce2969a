package checks

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxLeaves is how many groups one question of a split may answer: values of its
// dimensions by span.
const maxLeaves = 10_000

// errTooMany says that dimensions have more values together than are read.
var errTooMany = errors.New("too many values")

// leaves are counts of rows by the values of some dimensions and by span.
type leaves struct {
	dimensions []string
	rows       []leaf
}

// leaf is the rows with one value of every dimension.
type leaf struct {
	values []any
	counts []float64 // by span: the bad bucket, then its references
}

// name names a value; two values of one name are the same.
func valueName(value any) string { return fmt.Sprintf("%T %v", value, value) }

// leavesOf counts the rows by dimensions and span, in one GROUP BY. What was
// counted by these dimensions and more is summed up instead.
func (s *splitter) leavesOf(ctx context.Context, dimensions ...string) (leaves, error) {
	for _, known := range s.known {
		if places, covers := known.places(dimensions); covers {
			return known.by(dimensions, places), nil
		}
	}
	columns, err := s.table.columnList(dimensions)
	if err != nil {
		return leaves{}, err
	}
	st := leavesStatement(s.table, s.column, columns, s.spec.Where, s.spans)
	s.asked = append(s.asked, st.render())
	rows, err := s.q.Select(ctx, st.String(), st.args...)
	if err != nil {
		return leaves{}, err
	}
	if rows.Truncated || len(rows.Values) > maxLeaves {
		return leaves{}, errTooMany
	}
	found, err := readLeaves(rows, dimensions, len(s.spans))
	if err == nil {
		s.known = append(s.known, found)
	}
	return found, err
}

// leavesStatement counts rows by columns and by span.
func leavesStatement(t target, c timeColumn, columns []string, where string, spans []Bucket) *statement {
	s := (&statement{dialect: t.dialect}).add("SELECT ", strings.Join(columns, ", "), ", ").spanOf(c, spans)
	s.add(" AS span, count(*) AS n FROM ", t.quoted, " WHERE ").ranges(c, spans).condition("AND", where).add(" GROUP BY ")
	for i := range columns {
		s.add(strconv.Itoa(i+1), ", ")
	}
	return s.add(strconv.Itoa(len(columns)+1), " LIMIT ").bind(int64(maxLeaves + 1))
}

// spanOf appends the number of the span in which a time lies that lies in one of
// them. Halving the spans again and again asks for the fewest comparisons: three
// or four where there are nine.
func (s *statement) spanOf(c timeColumn, spans []Bucket) *statement {
	order := make([]int, len(spans))
	for i := range order {
		order[i] = i
	}
	sortBy(order, func(i int) int64 { return spans[i].Start.Unix() })
	var halve func(order []int)
	halve = func(order []int) {
		if len(order) == 1 {
			s.add(strconv.Itoa(order[0]))
			return
		}
		middle := len(order) / 2
		s.add("CASE WHEN ", c.sorted(), " < ").instant(c, c.bound(spans[order[middle]].Start)).add(" THEN ")
		halve(order[:middle])
		s.add(" ELSE ")
		halve(order[middle:])
		s.add(" END")
	}
	halve(order)
	return s
}

// readLeaves turns an answer into leaves.
func readLeaves(rows Rows, dimensions []string, spans int) (leaves, error) {
	found := leaves{dimensions: dimensions}
	places := map[string]int{}
	width := len(dimensions)
	for _, row := range rows.Values {
		if len(row) != width+2 {
			return leaves{}, fmt.Errorf("expected %d columns, got %d", width+2, len(row))
		}
		counts, err := toCounts(row[width:])
		if err != nil {
			return leaves{}, err
		}
		span := int(counts[0])
		if span < 0 || span >= spans {
			return leaves{}, fmt.Errorf("there is no span %d", span)
		}
		found.rows[found.place(places, row[:width], spans)].counts[span] += counts[1]
	}
	return found, nil
}

// place returns where the leaf with some values stands, and makes it if there is
// none.
func (l *leaves) place(places map[string]int, values []any, spans int) int {
	var key strings.Builder
	for _, value := range values {
		key.WriteString(valueName(value) + "\x00")
	}
	at, known := places[key.String()]
	if !known {
		at = len(l.rows)
		places[key.String()] = at
		l.rows = append(l.rows, leaf{values: values, counts: make([]float64, spans)})
	}
	return at
}

// places finds dimensions among those of the leaves.
func (l leaves) places(dimensions []string) ([]int, bool) {
	out := make([]int, len(dimensions))
	for i, dimension := range dimensions {
		out[i] = -1
		for j, known := range l.dimensions {
			if known == dimension {
				out[i] = j
			}
		}
		if out[i] < 0 {
			return nil, false
		}
	}
	return out, true
}

// by sums the leaves up by some of their dimensions.
func (l leaves) by(dimensions []string, places []int) leaves {
	out := leaves{dimensions: dimensions}
	known := map[string]int{}
	for _, row := range l.rows {
		values := make([]any, len(places))
		for i, place := range places {
			values[i] = row.values[place]
		}
		at := out.place(known, values, len(row.counts))
		for span, n := range row.counts {
			out.rows[at].counts[span] += n
		}
	}
	return out
}

// elements turns the leaves of one dimension into elements with what was
// expected of each.
func (l leaves) elements() []Element {
	elements := make([]Element, len(l.rows))
	for i, row := range l.rows {
		expected := median(row.counts[1:])
		share := ratio(madToSigma*median(deviations(row.counts[1:], expected)), expected)
		elements[i] = Element{
			Value: toText(row.values[0]), Null: row.values[0] == nil, Expected: expected, Actual: row.counts[0],
			Usual: usual(row.counts[0], expected, share), raw: row.values[0],
		}
	}
	return elements
}

// overlap counts the rows of all spans with both of two elements, and with
// either; the leaves are of their two dimensions.
func (l leaves) overlap(a, b Element) (both, either float64) {
	for _, row := range l.rows {
		is, too := valueName(row.values[0]) == valueName(a.raw), valueName(row.values[1]) == valueName(b.raw)
		for _, n := range row.counts {
			if is && too {
				both += n
			}
			if is || too {
				either += n
			}
		}
	}
	return both, either
}
