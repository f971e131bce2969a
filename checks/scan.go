package checks

import (
	"errors"
	"fmt"
)

// Limits of one SELECT that asks several questions: the least that databases
// take is 1,664 columns (PostgreSQL) and a statement of a million bytes (SQLite).
const (
	maxScanned  = 200
	maxScanText = 64 << 10
)

// groups sorts open questions into those that can be asked together, in the
// order in which they came.
func groups(open []*seat) [][]*seat {
	var order []string
	sorted := map[string][]*seat{}
	var riders []*seat
	put := func(name string, s *seat) {
		if len(sorted[name]) == 0 {
			order = append(order, name)
		}
		sorted[name] = append(sorted[name], s)
	}
	for _, s := range open {
		switch parts := s.open.parts; {
		case parts == nil || parts.alone:
			put("alone "+s.open.key(), s)
		case parts.rides:
			riders = append(riders, s)
		default:
			put(parts.rows(), s)
		}
	}
	for _, s := range riders {
		name := s.open.parts.rows()
		if len(sorted[name]) == 0 {
			name = "alone " + s.open.key()
		}
		put(name, s)
	}
	out := make([][]*seat, 0, len(order))
	for _, name := range order {
		out = append(out, divided(sorted[name])...)
	}
	return out
}

// divided splits a group where one SELECT would be too long for it.
func divided(group []*seat) [][]*seat {
	var out [][]*seat
	var columns, length int
	for i, s := range group {
		more := 0
		if parts := s.open.parts; parts != nil {
			more = len(parts.list) * parts.width()
		}
		columns += more
		length += len(s.open.String())
		if i == 0 || columns > maxScanned || length > maxScanText {
			out = append(out, nil)
			columns, length = more, len(s.open.String())
		}
		out[len(out)-1] = append(out[len(out)-1], s)
	}
	return out
}

// answer asks for a group at once. Where that fails it is asked in halves, down
// to each question alone, which then has its own error. A statement that ran out
// of time is not halved but asked one by one, since each half may run out too.
func (sc *scan) answer(group []*seat) {
	if alike(group) {
		sc.alone(group)
		return
	}
	err := sc.shared(group)
	switch refused, _ := errors.AsType[*RefusedError](err); {
	case err == nil:
	case sc.ctx.Err() != nil:
		for _, s := range group {
			s.reply = reply{err: err}
		}
	case refused != nil && refused.Guard == "time limit":
		for i := range group {
			sc.answer(group[i : i+1])
		}
	default:
		sc.answer(group[:len(group)/2])
		sc.answer(group[len(group)/2:])
	}
}

// alike reports whether a group asks one question.
func alike(group []*seat) bool {
	for _, s := range group[1:] {
		if s.open.key() != group[0].open.key() {
			return false
		}
	}
	return true
}

// alone asks one question as its check would.
func (sc *scan) alone(group []*seat) {
	question := group[0].open
	var r reply
	func() {
		defer func() {
			if cause := recover(); cause != nil {
				r.err = defect(cause)
			}
		}()
		r.rows, r.err = sc.q.Select(sc.ctx, question.String(), question.args...)
	}()
	if r.err == nil {
		sc.known[question.key()] = r.rows
	}
	for _, s := range group {
		s.reply = r
	}
}

// shared asks several questions in one SELECT and hands each its own columns.
func (sc *scan) shared(group []*seat) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = defect(cause)
		}
	}()
	whole, places := combined(group)
	rows, err := sc.q.Select(sc.ctx, whole.String(), whole.args...)
	if err != nil {
		return err
	}
	keys, width := len(whole.parts.groups), whole.parts.width()
	if err := fits(rows, keys, len(whole.parts.list)*width); err != nil {
		return err
	}
	for i, s := range group {
		own := pick(rows, keys, width, places[i])
		s.reply = reply{rows: own}
		sc.known[s.open.key()] = own
	}
	return nil
}

// combined is the SELECT of a group, and where in it the aggregates of each
// question stand.
func combined(group []*seat) (*statement, [][]int) {
	whole := *group[0].open.parts
	whole.list, whole.rides = nil, false
	var known []string
	places := make([][]int, len(group))
	for i, s := range group {
		known, places[i] = whole.joined(known, *s.open.parts)
	}
	return whole.statement(), places
}

// fits refuses an answer that lacks a part of what was asked.
func fits(rows Rows, keys, asked int) error {
	if keys == 0 && len(rows.Values) != 1 {
		return fmt.Errorf("expected one row, got %d", len(rows.Values))
	}
	for _, row := range rows.Values {
		if len(row) != keys+asked {
			return fmt.Errorf("expected %d columns, got %d", keys+asked, len(row))
		}
	}
	return nil
}

// pick returns the columns of one question: those of the groups, then those of
// its aggregates.
func pick(rows Rows, keys, width int, places []int) Rows {
	from := make([]int, 0, keys+len(places)*width)
	for i := range keys {
		from = append(from, i)
	}
	for _, place := range places {
		for i := range width {
			from = append(from, keys+place*width+i)
		}
	}
	out := Rows{Truncated: rows.Truncated, Values: make([][]any, len(rows.Values))}
	for i, row := range rows.Values {
		own := make([]any, len(from))
		for j, at := range from {
			own[j] = row[at]
		}
		out.Values[i] = own
	}
	return out
}
