package checks

import (
	"fmt"
	"strings"
)

// rule is a condition under which a value of a column is wrong; of NULL it is
// NULL, and so never true, which is what a missing check is for.
type rule struct {
	column string // quoted
	wrong  func(*statement) *statement
	what   string // what the wrong values are: "not accepted"
}

// invalid counts the values that break a rule and judges their number or share.
func (r *runner) invalid(t target, f filter, rl rule) error {
	r.defaultThreshold(Threshold{Op: "="})
	return r.judgeTally(t, tally{invalidStatement(t, f, rl), func(row []any) (reading, error) {
		counts, err := toCounts(row)
		if err != nil {
			return reading{}, fmt.Errorf("read the counts: %w", err)
		}
		return r.readInvalid(t, f, rl, counts)
	}})
}

// readInvalid says how many values are wrong, with an example where the check is
// not grouped.
func (r *runner) readInvalid(t target, f filter, rl rule, counts []float64) (reading, error) {
	rows, values, wrong := counts[0], counts[0]-counts[1], counts[2]
	value, unit := r.inUnit(wrong, values)
	if rows == 0 {
		text, err := r.nothingJudged(t, f)
		return reading{value, unit, text}, err
	}
	text := fmt.Sprintf("%s of %s values of %s in %s are %s%s", countText(wrong), countText(values), r.spec.Columns[0], t.name, rl.what, percentText(value, unit))
	if wrong == 0 || len(r.spec.GroupBy) > 0 {
		return reading{value, unit, text}, nil
	}
	example, err := r.examples(samplesStatement(t, f, rl), r.spec.Columns[:1])
	return reading{value, unit, text + example}, err
}

// invalidStatement counts the rows, those without a value, and those with a wrong
// one, in one scan.
func invalidStatement(t target, f filter, rl rule) *statement {
	return over(t, f, text("count(*)"), nulls(rl.column), func(s *statement) {
		rl.wrong(s.add("count(*) FILTER (WHERE ")).add(")")
	}).statement()
}

// samplesStatement reads the most frequent wrong values.
func samplesStatement(t target, f filter, rl rule) *statement {
	s := (&statement{dialect: t.dialect}).add("SELECT ", rl.column, ", count(*) FROM ", t.quoted, " WHERE ", rl.column, " IS NOT NULL AND (")
	return rl.wrong(s).add(")").only("AND", f).
		add(" GROUP BY ", rl.column, " ORDER BY count(*) DESC, ", rl.column, " LIMIT ").bind(int64(sampleKeys))
}

// examples reads a few offending keys, each a row of values and how often it
// occurs, and returns the first as ", for example …". The values of columns that
// hold personal data are not read at all.
func (r *runner) examples(s *statement, columns []string) (string, error) {
	if column, hidden := r.spec.private(columns); hidden {
		return fmt.Sprintf(" (values of %s are private and not shown)", column), nil
	}
	rows, err := ask(r.ctx, r.q, s)
	if err != nil {
		return "", fmt.Errorf("read sample keys: %w", err)
	}
	for _, row := range rows.Values {
		parts := make([]string, len(row))
		for i, value := range row {
			parts[i] = toText(value)
		}
		last := len(parts) - 1
		r.result.Sample = append(r.result.Sample, strings.Join(parts[:last], ", ")+" ×"+parts[last])
	}
	if len(r.result.Sample) == 0 {
		return "", nil
	}
	return ", for example " + r.result.Sample[0], nil
}

// percentText adds a share to a sentence that tells counts.
func percentText(value float64, unit string) string {
	if unit != "percent" {
		return ""
	}
	return fmt.Sprintf(" (%s%%)", formatNumber(roundTo(value, 4)))
}

// settle decides, and says of what is bad when it was right last.
func (r *runner) settle(value float64, message string) error {
	r.decide(value, message)
	return r.sayLastRight()
}

// sayLastRight adds to a bad verdict when the check passed last.
func (r *runner) sayLastRight() error {
	if r.result.Status != Fail && r.result.Status != Warn {
		return nil
	}
	previous, known, err := r.previous()
	if err != nil || !known || previous.Status != Pass {
		return err
	}
	loc, err := loadZone(r.spec.Zone)
	if err != nil {
		return err
	}
	r.result.Message += "; it was right at " + timeText(previous.At, loc)
	return nil
}
