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
	t, f, err := r.judgedTable()
	if err != nil {
		return err
	}
	columns, err := t.columnList(r.spec.Columns)
	if err != nil {
		return err
	}
	s := uniqueStatement(t, columns, f)
	counts, err := r.counts(s, 3)
	if err != nil {
		return err
	}
	keys, extra, rows := counts[0], counts[1], counts[2]
	text, err := r.uniqueText(t, f, columns, keys, extra, rows)
	if err != nil {
		return err
	}
	value, unit := r.inUnit(extra, rows)
	r.observe(value, unit)
	r.defaultThreshold(Threshold{Op: "="})
	return r.settle(value, text)
}

// uniqueText says what was found, with an example. Where no row has a key it
// tells an empty table from one whose keys are all NULL.
func (r *runner) uniqueText(t target, f filter, columns []string, keys, extra, rows float64) (string, error) {
	key := strings.Join(r.spec.Columns, ", ")
	switch {
	case rows == 0 && f.none():
		f.condition = strings.Join(columns, " IS NOT NULL AND ") + " IS NOT NULL" // the keys' own
		return r.nothingJudged(t, f)
	case rows == 0:
		return r.nothingJudged(t, f)
	case keys == 0:
		return fmt.Sprintf("every %s is unique in %s rows", key, countText(rows)), nil
	}
	text := fmt.Sprintf("%s values of %s occur more than once, %s rows too many of %s",
		countText(keys), key, countText(extra), countText(rows))
	example, err := r.examples(duplicatesStatement(t, columns, f), r.spec.Columns)
	return text + example, err
}

// uniqueStatement counts the keys that repeat, the rows too many, and the rows.
func uniqueStatement(t target, columns []string, f filter) *statement {
	s := (&statement{dialect: t.dialect}).
		add("SELECT sum(CASE WHEN n > 1 THEN 1 ELSE 0 END), sum(n - 1), sum(n) FROM (SELECT count(*) AS n")
	return s.keys(t, columns, f).add(") AS keys")
}

// duplicatesStatement reads keys that repeat.
func duplicatesStatement(t target, columns []string, f filter) *statement {
	list := strings.Join(columns, ", ")
	s := (&statement{dialect: t.dialect}).add("SELECT ", list, ", count(*) AS n")
	return s.keys(t, columns, f).
		add(" HAVING count(*) > 1 ORDER BY count(*) DESC, ", list, " LIMIT ").bind(int64(sampleKeys))
}

// keys appends the grouping of a table's rows by key.
func (s *statement) keys(t target, columns []string, f filter) *statement {
	s.add(" FROM ", t.quoted, " WHERE ", strings.Join(columns, " IS NOT NULL AND "), " IS NOT NULL")
	return s.only("AND", f).add(" GROUP BY ", strings.Join(columns, ", "))
}
