package checks

import (
	"errors"
	"fmt"
)

// sql runs a sql check: with a threshold the query's single value is judged,
// without one the query must return no rows.
func (r *runner) sql() error {
	if r.spec.Threshold.IsZero() && r.spec.Fail.IsZero() && r.spec.Warn.IsZero() {
		return r.failingRows()
	}
	s := (&statement{dialect: r.q.Dialect()}).add(r.spec.Query)
	r.result.SQL = s.render()
	rows, err := ask(r.ctx, r.q, s)
	if err != nil {
		return err
	}
	if len(rows.Values) != 1 || len(rows.Values[0]) != 1 {
		return fmt.Errorf("a query with a threshold must return one row of one column, got %d rows of %d columns",
			len(rows.Values), len(rows.Columns))
	}
	if rows.Values[0][0] == nil {
		return errors.New("the query returned NULL, which no threshold can judge; wrap it in coalesce(…, 0) if it means zero")
	}
	value, err := toFloat(rows.Values[0][0])
	if err != nil {
		return fmt.Errorf("read the query's value: %w", err)
	}
	r.observe(value, "value")
	r.defaultThreshold(Threshold{})
	r.decide(value, "the query returned "+formatNumber(value))
	return nil
}

// failingRows counts the rows that the query returns.
func (r *runner) failingRows() error {
	query, err := Single(r.spec.Query)
	if err != nil {
		return err
	}
	s := failingStatement(r.q.Dialect(), query)
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
	r.defaultThreshold(Threshold{Op: "="})
	r.decide(count, fmt.Sprintf("the query returned %s rows", countText(count)))
	return nil
}

// failingStatement counts the rows of a query, which has lost its semicolon; a
// comment at its end ends with the line.
func failingStatement(dialect, query string) *statement {
	return (&statement{dialect: dialect}).add("SELECT count(*) FROM (\n", query, "\n) AS failing")
}
