package checks

import "strings"

// acceptedValues runs an accepted_values check: values of a column that are not
// in a list, do not match a pattern, or are too short or too long.
func (r *runner) acceptedValues() error {
	t, f, err := r.judgedTable()
	if err != nil {
		return err
	}
	column, err := t.column(r.spec.Columns[0])
	if err != nil {
		return err
	}
	return r.invalid(t, f, acceptedRule(column, r.spec))
}

// acceptedRule says which values are wrong. They are compared as the text in
// which the database writes them: 7, 1.50 or true.
func acceptedRule(column string, spec Spec) rule {
	text := "CAST(" + column + " AS text)"
	var parts []func(*statement)
	if len(spec.Values) > 0 {
		parts = append(parts, func(s *statement) { s.add(text, " NOT IN ").list(spec.Values) })
	}
	if spec.Regex != "" {
		parts = append(parts, func(s *statement) { s.add(text, " !~ ").bind(spec.Regex) })
	}
	if !spec.Length.IsZero() {
		parts = append(parts, func(s *statement) { s.outside("length("+text+")", spec.Length) })
	}
	wrong := func(s *statement) *statement {
		for i, part := range parts {
			if i > 0 {
				s.add(" OR ")
			}
			part(s)
		}
		return s
	}
	return rule{column: column, wrong: wrong, what: "not accepted (accepted: " + acceptedText(spec) + ")"}
}

// acceptedText names what is accepted, a long list cut.
func acceptedText(spec Spec) string {
	var parts []string
	if n := len(spec.Values); n > maxNamed {
		parts = append(parts, strings.Join(spec.Values[:maxNamed], ", ")+" and "+countText(float64(n-maxNamed))+" more")
	} else if n > 0 {
		parts = append(parts, strings.Join(spec.Values, ", "))
	}
	if spec.Regex != "" {
		parts = append(parts, "what matches "+spec.Regex)
	}
	if !spec.Length.IsZero() {
		parts = append(parts, "a length "+spec.Length.String())
	}
	return strings.Join(parts, "; ")
}

// maxNamed is how many names a sentence lists.
const maxNamed = 8

// list appends bound values in parentheses.
func (s *statement) list(values []string) *statement {
	s.add("(")
	for i, value := range values {
		if i > 0 {
			s.add(", ")
		}
		s.bind(value)
	}
	return s.add(")")
}

// outside appends the condition that an expression does not meet a threshold.
func (s *statement) outside(expression string, t Threshold) *statement {
	if t.Op == "between" {
		return s.add(expression, " NOT BETWEEN ", formatNumber(t.Low), " AND ", formatNumber(t.High))
	}
	return s.add("NOT ", expression, " ", t.Op, " ", formatNumber(t.Low))
}
