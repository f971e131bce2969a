package checks

import (
	"strconv"
	"strings"
)

// statement collects SQL text and the values bound in it, in order.
type statement struct {
	dialect string
	text    strings.Builder
	args    []any
	parts   *aggregates // what it asks, where that can be asked together with more
}

// add appends text as it is: it is written in this package, quoted, or guarded.
// What was known of its parts holds no longer.
func (s *statement) add(parts ...string) *statement {
	s.parts = nil
	for _, part := range parts {
		s.text.WriteString(part)
	}
	return s
}

// bind appends a placeholder for a value.
func (s *statement) bind(value any) *statement {
	s.args = append(s.args, value)
	if s.dialect == DialectPostgres {
		return s.add("$", strconv.Itoa(len(s.args)))
	}
	return s.add("?")
}

// where appends the operator's condition, which has passed the guard, on a line
// of its own so that a comment at its end ends there.
func (s *statement) where(condition string) *statement {
	return s.add("(", condition, "\n)")
}

// condition appends WHERE or AND and the operator's condition, if there is one.
func (s *statement) condition(word, condition string) *statement {
	if condition == "" {
		return s
	}
	return s.add(" ", word, " ").where(condition)
}

func (s *statement) String() string { return s.text.String() }

// render returns the text with the bound values named below it, so that a person
// can run it again.
func (s *statement) render() string {
	if len(s.args) == 0 {
		return s.String()
	}
	values := make([]string, len(s.args))
	for i, arg := range s.args {
		values[i] = toText(arg)
	}
	return s.String() + "\n-- bound: " + strings.Join(values, ", ")
}
