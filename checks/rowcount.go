package checks

import "fmt"

// rowCount runs a row_count check: the rows that meet the condition, of which
// there must be some unless a threshold says otherwise.
func (r *runner) rowCount() error {
	t, err := resolve(r.ctx, r.q, r.spec.Table)
	if err != nil {
		return err
	}
	s := countStatement(t, r.spec.Where)
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
	r.decide(count, fmt.Sprintf("table %s has %s rows", t.name, countText(count)))
	return nil
}

// countStatement counts the rows of a table that meet a condition.
func countStatement(t target, where string) *statement {
	return (&statement{dialect: t.dialect}).add("SELECT count(*) FROM ", t.quoted).condition("WHERE", where)
}
