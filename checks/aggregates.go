package checks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// aggregates is a question whose answers are aggregates over the same rows, so
// that others over those rows can be answered by the same scan.
type aggregates struct {
	table  target
	filter filter
	groups []string // quoted columns of GROUP BY
	column timeColumn
	spans  []Bucket           // each aggregate is asked for each of them, none for all rows
	list   []func(*statement) // one aggregate each
	// rides says that the question has a cheaper form of its own, which an index
	// may answer, and is added to a scan that is made anyway.
	rides bool
	// alone says that the aggregate might mean something else beside others.
	alone bool
}

// over begins a question over the rows of a table that are judged.
func over(t target, f filter, list ...func(*statement)) aggregates {
	return aggregates{table: t, filter: f, list: list}
}

// text makes an aggregate of written SQL.
func text(parts ...string) func(*statement) {
	return func(s *statement) { s.add(parts...) }
}

// nulls counts the rows without a value. Where there are few, a database does
// less to count these than to count those with one: a quarter of the time beyond
// that of a plain scan in PostgreSQL 15, eleven columns of a million rows.
func nulls(column string) func(*statement) {
	return text("count(*) FILTER (WHERE ", column, " IS NULL)")
}

// statement writes the question.
func (a aggregates) statement() *statement {
	s := (&statement{dialect: a.table.dialect}).add("SELECT ")
	if len(a.groups) > 0 {
		s.add(strings.Join(a.groups, ", "), ", ")
	}
	if len(a.spans) > 0 {
		a.bySpan(s)
	} else {
		a.each(s)
		a.from(s)
	}
	s.parts = &a
	return s
}

// each appends the aggregates.
func (a aggregates) each(s *statement) {
	for i, aggregate := range a.list {
		if i > 0 {
			s.add(", ")
		}
		aggregate(s)
	}
}

// from appends where the rows are read, which of them, and how they are grouped.
// NULL is a group.
func (a aggregates) from(s *statement) {
	s.add(" FROM ", a.table.quoted).only("WHERE", a.filter)
	if len(a.groups) == 0 {
		return
	}
	list := strings.Join(a.groups, ", ")
	s.add(" GROUP BY ", list, " ORDER BY ", strings.Join(a.groups, " IS NULL, "), " IS NULL, ", list, " LIMIT ").bind(int64(maxGroups + 1))
}

// bySpan appends the aggregates of each span, read once: first those of the
// first aggregate, span by span.
func (a aggregates) bySpan(s *statement) {
	for i := range a.list {
		for j := range a.spans {
			if i+j > 0 {
				s.add(", ")
			}
			s.add("b", strconv.Itoa(j), ".m", strconv.Itoa(i))
		}
	}
	s.add("\nFROM ")
	for j, span := range a.spans {
		if j > 0 {
			s.add(",\n  ")
		}
		s.add("(SELECT ")
		for i, aggregate := range a.list {
			if i > 0 {
				s.add(", ")
			}
			aggregate(s)
			s.add(" AS m", strconv.Itoa(i))
		}
		s.add(" FROM ", a.table.quoted, " WHERE ").within(a.column, span).only("AND", a.filter).add(") AS b", strconv.Itoa(j))
	}
}

// width is how many columns of the answer belong to one aggregate.
func (a aggregates) width() int { return max(1, len(a.spans)) }

// rows names the rows that are read and how they are grouped: questions with the
// same name can be asked together.
func (a aggregates) rows() string {
	bare := a
	bare.list = nil
	return bare.statement().key()
}

// keys names each aggregate.
func (a aggregates) keys() []string {
	names := make([]string, len(a.list))
	for i, aggregate := range a.list {
		s := &statement{dialect: a.table.dialect}
		aggregate(s)
		names[i] = s.key()
	}
	return names
}

// key names a statement by its text and the types and values bound in it.
func (s *statement) key() string {
	var b strings.Builder
	b.WriteString(s.String())
	for _, arg := range s.args {
		fmt.Fprintf(&b, "\x00%T %v", arg, arg)
	}
	return b.String()
}

// joined adds the aggregates of another question over the same rows that are not
// among the list yet, and returns where each of the other's stands.
func (a *aggregates) joined(known []string, other aggregates) ([]string, []int) {
	places := make([]int, len(other.list))
	for i, name := range other.keys() {
		at := slices.Index(known, name)
		if at < 0 {
			at = len(known)
			known = append(known, name)
			a.list = append(a.list, other.list[i])
		}
		places[i] = at
	}
	return known, places
}
