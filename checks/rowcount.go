package checks

import "fmt"

// rowCount runs a row_count check: the rows that meet the condition, of which
// there must be some unless a threshold says otherwise.
func (r *runner) rowCount() error {
	t, f, err := r.judgedTable()
	if err != nil {
		return err
	}
	r.defaultThreshold(Threshold{Op: ">"})
	return r.judgeTally(t, tally{countStatement(t, f), func(row []any) (reading, error) {
		count, err := toCount(row[0])
		if err != nil {
			return reading{}, fmt.Errorf("read the count: %w", err)
		}
		return reading{count, "rows", fmt.Sprintf("table %s has %s rows%s", t.name, countText(count), f.text())}, nil
	}})
}

// countStatement counts the rows of a table that are judged.
func countStatement(t target, f filter) *statement {
	return over(t, f, text("count(*)")).statement()
}
