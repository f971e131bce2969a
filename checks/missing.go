package checks

import (
	"fmt"
	"strings"
)

// missing runs a missing check: NULLs in each column, in rows or in percent as
// the thresholds are; the column with the most is the one observed.
func (r *runner) missing() error {
	t, err := resolve(r.ctx, r.q, r.spec.Table)
	if err != nil {
		return err
	}
	columns, err := t.columnList(r.spec.Columns)
	if err != nil {
		return err
	}
	s := missingStatement(t, columns, r.spec.Where)
	r.result.SQL = s.render()
	row, err := askOne(r.ctx, r.q, s, 1+len(columns))
	if err != nil {
		return err
	}
	counts, err := toCounts(row)
	if err != nil {
		return fmt.Errorf("read the counts: %w", err)
	}
	r.defaultThreshold(Threshold{Op: "="})
	r.judgeMissing(counts[0], counts[1:])
	return nil
}

// judgeMissing decides on the worst column and names every one with NULLs.
func (r *runner) judgeMissing(rows float64, missing []float64) {
	worst := 0
	var named []string
	for i, count := range missing {
		if count > missing[worst] {
			worst = i
		}
		if count > 0 {
			named = append(named, fmt.Sprintf("%s %s", r.spec.Columns[i], countText(count)))
		}
	}
	value, unit := r.inUnit(missing[worst], rows)
	r.observe(value, unit)
	switch {
	case rows == 0:
		r.decide(value, fmt.Sprintf("table %s has no rows to judge", r.spec.Table))
	case len(named) == 0:
		r.decide(value, fmt.Sprintf("no value is missing in %s rows", countText(rows)))
	default:
		r.decide(value, fmt.Sprintf("values are missing in %s rows: %s (worst %s: %s %s)",
			countText(rows), strings.Join(named, ", "), r.spec.Columns[worst], formatNumber(roundTo(value, 4)), unit))
	}
}

// inUnit turns a count into the unit of the thresholds, rows or percent of rows.
func (r *runner) inUnit(count, rows float64) (float64, string) {
	if !r.spec.Threshold.Percent && !r.spec.Fail.Percent && !r.spec.Warn.Percent {
		return count, "rows"
	}
	if rows == 0 {
		return 0, "percent"
	}
	return 100 * count / rows, "percent"
}

// missingStatement counts all rows, then the NULLs of each column, in one scan.
func missingStatement(t target, columns []string, where string) *statement {
	s := (&statement{dialect: t.dialect}).add("SELECT count(*)")
	for _, column := range columns {
		s.add(", sum(CASE WHEN ", column, " IS NULL THEN 1 ELSE 0 END)")
	}
	return s.add(" FROM ", t.quoted).condition("WHERE", where)
}
