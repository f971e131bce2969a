package checks

import (
	"errors"
	"fmt"
	"time"
)

// filter is which rows of a table a check judges: those of a partition that meet
// the operator's condition.
type filter struct {
	condition string // has passed the guard; may be empty
	column    timeColumn
	from      time.Time // zero where no partition is set
}

// none reports whether every row is judged.
func (f filter) none() bool { return f.condition == "" && f.from.IsZero() }

// text names the filter for a person, with a space before it.
func (f filter) text() string {
	text := ""
	if !f.from.IsZero() {
		text = " since " + timeText(f.from, time.UTC)
	}
	if f.condition != "" {
		text += " where " + oneLine(f.condition)
	}
	return text
}

// filter returns the rows that the check judges. The partition's bound stands on
// the raw column, so that a database can leave out what lies before it.
func (r *runner) filter(t target) (filter, error) {
	f := filter{condition: r.spec.Where}
	if r.spec.PartitionColumn == "" {
		return f, nil
	}
	e, err := measureExtent(r.ctx, r.q, t, r.spec.PartitionColumn, "", r.spec.Zone, r.now)
	if err != nil {
		return filter{}, fmt.Errorf("find the partition: %w", err)
	}
	f.column, f.from = e.column, e.clock.now.Add(-r.spec.PartitionLast).Truncate(time.Second)
	return f, nil
}

// only appends WHERE or AND and the filter, if there is one.
func (s *statement) only(word string, f filter) *statement {
	if !f.from.IsZero() {
		s.add(" ", word, " ", f.column.sorted(), " >= ").instant(f.column, f.column.bound(f.from))
		word = "AND"
	}
	return s.condition(word, f.condition)
}

// judgedTable resolves the check's table and says which of its rows are judged.
func (r *runner) judgedTable() (target, filter, error) {
	t, err := resolve(r.ctx, r.q, r.spec.Table)
	if err != nil {
		return target{}, filter{}, err
	}
	f, err := r.filter(t)
	return t, f, err
}

// nothingJudged says why no row was judged. An empty table is an error: that
// nothing is wrong with no rows is no pass.
func (r *runner) nothingJudged(t target, f filter) (string, error) {
	if f.none() {
		return "", emptyTable(t)
	}
	row, err := askOne(r.ctx, r.q, anyRowStatement(t), 1)
	if err != nil {
		return "", err
	}
	if some, err := toCount(row[0]); err != nil || some == 0 {
		return "", errors.Join(err, emptyTable(t))
	}
	return fmt.Sprintf("no row of %s%s was there to judge", t.name, f.text()), nil
}

// anyRowStatement counts at most one row of a table.
func anyRowStatement(t target) *statement {
	return (&statement{dialect: t.dialect}).add("SELECT count(*) FROM (SELECT 1 FROM ", t.quoted, " LIMIT 1) AS some")
}
