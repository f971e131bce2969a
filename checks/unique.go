package checks

import (
	"fmt"
	"strings"
)

// sampleKeys is how many keys a unique check names.
const sampleKeys = 5

// unique runs a unique check: how many rows are too many because their key, the
// columns together, occurs before. A key with a NULL in it is no key.
func (r *runner) unique() error {
	t, err := resolve(r.ctx, r.q, r.spec.Table)
	if err != nil {
		return err
	}
	columns, err := t.columnList(r.spec.Columns)
	if err != nil {
		return err
	}
	s := uniqueStatement(t, columns, r.spec.Where)
	r.result.SQL = s.render()
	row, err := askOne(r.ctx, r.q, s, 3)
	if err != nil {
		return err
	}
	counts, err := toCounts(row)
	if err != nil {
		return fmt.Errorf("read the counts: %w", err)
	}
	keys, extra, rows := counts[0], counts[1], counts[2]
	if keys > 0 {
		if r.result.Sample, err = r.duplicates(t, columns); err != nil {
			return err
		}
	}
	value, unit := r.inUnit(extra, rows)
	r.observe(value, unit)
	r.defaultThreshold(Threshold{Op: "="})
	r.decide(value, r.uniqueText(keys, extra, rows))
	return nil
}

// uniqueText says what was found, with an example.
func (r *runner) uniqueText(keys, extra, rows float64) string {
	key := strings.Join(r.spec.Columns, ", ")
	if keys == 0 {
		return fmt.Sprintf("every %s is unique in %s rows", key, countText(rows))
	}
	text := fmt.Sprintf("%s values of %s occur more than once, %s rows too many of %s",
		countText(keys), key, countText(extra), countText(rows))
	if len(r.result.Sample) > 0 {
		text += ", for example " + r.result.Sample[0]
	}
	return text
}

// duplicates reads a few keys that occur more than once, most frequent first,
// under the same condition as the count.
func (r *runner) duplicates(t target, columns []string) ([]string, error) {
	rows, err := ask(r.ctx, r.q, duplicatesStatement(t, columns, r.spec.Where))
	if err != nil {
		return nil, fmt.Errorf("read sample keys: %w", err)
	}
	var sample []string
	for _, row := range rows.Values {
		parts := make([]string, len(row))
		for i, value := range row {
			parts[i] = toText(value)
		}
		last := len(parts) - 1
		sample = append(sample, strings.Join(parts[:last], ", ")+" ×"+parts[last])
	}
	return sample, nil
}

// uniqueStatement counts the keys that repeat, the rows too many, and the rows.
func uniqueStatement(t target, columns []string, where string) *statement {
	s := (&statement{dialect: t.dialect}).
		add("SELECT sum(CASE WHEN n > 1 THEN 1 ELSE 0 END), sum(n - 1), sum(n) FROM (SELECT count(*) AS n")
	return s.keys(t, columns, where).add(") AS keys")
}

// duplicatesStatement reads keys that repeat.
func duplicatesStatement(t target, columns []string, where string) *statement {
	list := strings.Join(columns, ", ")
	s := (&statement{dialect: t.dialect}).add("SELECT ", list, ", count(*) AS n")
	return s.keys(t, columns, where).
		add(" HAVING count(*) > 1 ORDER BY count(*) DESC, ", list, " LIMIT ").bind(int64(sampleKeys))
}

// keys appends the grouping of a table's rows by key.
func (s *statement) keys(t target, columns []string, where string) *statement {
	s.add(" FROM ", t.quoted, " WHERE ", strings.Join(columns, " IS NOT NULL AND "), " IS NOT NULL")
	return s.condition("AND", where).add(" GROUP BY ", strings.Join(columns, ", "))
}
