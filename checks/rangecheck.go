package checks

import "strings"

// inRange runs a range check: numbers of a column below min or above max, both of
// which pass.
func (r *runner) inRange() error {
	t, f, err := r.judgedTable()
	if err != nil {
		return err
	}
	column, err := t.describe(r.spec.Columns[0])
	if err != nil {
		return err
	}
	quoted, err := Quote(t.dialect, column.Name)
	if err != nil {
		return err
	}
	if err := r.onlyNumbers(t, f, column, quoted); err != nil {
		return err
	}
	return r.invalid(t, f, rangeRule(quoted, r.spec.Low, r.spec.High))
}

// rangeRule says which numbers are wrong.
func rangeRule(column string, low, high *float64) rule {
	wrong := func(s *statement) *statement {
		if low != nil {
			s.add(column, " < ", formatNumber(*low))
		}
		if low != nil && high != nil {
			s.add(" OR ")
		}
		if high != nil {
			s.add(column, " > ", formatNumber(*high))
		}
		return s
	}
	return rule{column: column, wrong: wrong, what: "outside " + rangeText(low, high)}
}

func rangeText(low, high *float64) string {
	switch {
	case low == nil:
		return "up to " + formatNumber(*high)
	case high == nil:
		return formatNumber(*low) + " and up"
	}
	return formatNumber(*low) + " to " + formatNumber(*high)
}

// onlyNumbers refuses a column that holds text: a database would compare it as
// text, in which 5 comes after 10, or find every text above every number.
func (r *runner) onlyNumbers(t target, f filter, column Column, quoted string) error {
	if t.dialect == DialectPostgres {
		if column.Type != "" && !numericType(column.Type) {
			return unfit("judge it by accepted_values or sql", "column %s of %s is %s, not a number", column.Name, t.name, column.Type)
		}
		return nil
	}
	row, err := askOne(r.ctx, r.q, textValuesStatement(t, f, quoted), 1)
	if err != nil {
		return err
	}
	text, err := toCount(row[0])
	if err == nil && text > 0 {
		err = unfit("judge it by accepted_values or sql", "column %s of %s holds text in %s rows, which cannot be compared with a number", column.Name, t.name, countText(text))
	}
	return err
}

// textValuesStatement counts the values that SQLite keeps as text or bytes.
func textValuesStatement(t target, f filter, quoted string) *statement {
	return over(t, f, text("count(*) FILTER (WHERE typeof(", quoted, ") IN ('text', 'blob'))")).statement()
}

// numericType reports whether a type of PostgreSQL holds numbers.
func numericType(typ string) bool {
	name, _, _ := strings.Cut(strings.ToLower(typ), "(")
	switch strings.TrimSpace(name) {
	case "smallint", "integer", "bigint", "int2", "int4", "int8", "numeric", "decimal", "real", "double precision", "float4", "float8":
		return true
	}
	return false
}
