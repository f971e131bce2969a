package checks

import "fmt"

// rowCount runs a row_count check: the rows that meet the condition, of which
// there must be some unless a threshold says otherwise.
func (r *runner) rowCount() error {
	t, f, err := r.judgedTable()
	if err != nil {
		return err
	}
	s := countStatement(t, f)
	r.result.SQL = s.render()
	row, err := askOne(r.ctx, r.q, s, 1)
	if err != nil {
		return err
	}
	count, err := toCount(row[0])
	if err != nil {
		return fmt.Errorf("read the count: %w", err)
	}
	r.observe(count, "rows")
	r.defaultThreshold(Threshold{Op: ">"})
	return r.settle(count, fmt.Sprintf("table %s has %s rows%s", t.name, countText(count), f.text()))
}

// countStatement counts the rows of a table that are judged.
func countStatement(t target, f filter) *statement {
	return (&statement{dialect: t.dialect}).add("SELECT count(*) FROM ", t.quoted).only("WHERE", f)
}
