package checks

import (
	"fmt"
	"strings"
)

// missing runs a missing check: NULLs in each column, in rows or in percent as
// the thresholds are; the column with the most is the one observed.
func (r *runner) missing() error {
	if r.spec.Anomaly {
		return r.anomalous()
	}
	t, f, err := r.judgedTable()
	if err != nil {
		return err
	}
	columns, err := t.columnList(r.spec.Columns)
	if err != nil {
		return err
	}
	r.defaultThreshold(Threshold{Op: "="})
	return r.judgeTally(t, tally{missingStatement(t, columns, f), func(row []any) (reading, error) {
		counts, err := toCounts(row)
		if err != nil {
			return reading{}, fmt.Errorf("read the counts: %w", err)
		}
		if counts[0] == 0 {
			value, unit := r.inUnit(0, 0)
			text, err := r.nothingJudged(t, f)
			return reading{value, unit, text}, err
		}
		return r.readMissing(counts[0], counts[1:]), nil
	}})
}

// readMissing takes the worst column and names every one with NULLs.
func (r *runner) readMissing(rows float64, missing []float64) reading {
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
	if len(named) == 0 {
		return reading{value, unit, fmt.Sprintf("no value is missing in %s rows", countText(rows))}
	}
	return reading{value, unit, fmt.Sprintf("values are missing in %s rows: %s (worst %s: %s %s)",
		countText(rows), strings.Join(named, ", "), r.spec.Columns[worst], formatNumber(roundTo(value, 4)), unit)}
}

// inUnit turns a count into the unit of the thresholds, rows or percent of rows.
func (r *runner) inUnit(count, rows float64) (float64, string) {
	if !r.spec.percent() {
		return count, "rows"
	}
	if rows == 0 {
		return 0, "percent"
	}
	return 100 * count / rows, "percent"
}

// missingStatement counts all rows, then the NULLs of each column, in one scan.
func missingStatement(t target, columns []string, f filter) *statement {
	a := over(t, f, text("count(*)"))
	for _, column := range columns {
		a.list = append(a.list, nulls(column))
	}
	return a.statement()
}
