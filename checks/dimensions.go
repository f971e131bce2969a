package checks

import (
	"context"
	"slices"
	"strings"
)

// What makes a column a dimension where none is declared, and how many are taken.
const (
	leastValues   = 2
	nullShare     = 0.2
	maxDimensions = 6
)

// chosen returns the columns by which a bucket is split where none is declared:
// of text, with 2 to 200 values in the spans and less than a fifth NULL, no
// identifiers, and nothing that is private. It asks one question.
func (s *splitter) chosen(ctx context.Context) ([]string, error) {
	var names []string
	for _, column := range s.table.columns {
		if _, hidden := s.spec.private([]string{column.Name}); hidden || !textual(column.Type) || identifier(column.Name) || strings.EqualFold(column.Name, s.spec.TimeColumn) {
			continue
		}
		names = append(names, column.Name)
	}
	if len(names) == 0 {
		return nil, nil
	}
	columns, err := s.table.columnList(names)
	if err != nil {
		return nil, err
	}
	st := distinctStatement(s.table, s.column, columns, s.spec.Where, s.spans)
	s.asked = append(s.asked, st.render())
	row, err := askOne(ctx, s.q, st, 1+2*len(columns))
	if err != nil {
		return nil, err
	}
	counts, err := toCounts(row)
	if err != nil {
		return nil, err
	}
	var out []string
	for i, name := range names {
		values, nulls := counts[1+2*i], counts[2+2*i]
		if values >= leastValues && values <= maxElements && nulls < nullShare*counts[0] && len(out) < maxDimensions {
			out = append(out, name)
		}
	}
	return out, nil
}

// distinctStatement counts the rows of some spans, and the values and NULLs of
// each column in them.
func distinctStatement(t target, c timeColumn, columns []string, where string, spans []Bucket) *statement {
	s := (&statement{dialect: t.dialect}).add("SELECT count(*)")
	for _, column := range columns {
		s.add(", count(DISTINCT ", column, "), count(*) FILTER (WHERE ", column, " IS NULL)")
	}
	return s.add(" FROM ", t.quoted, " WHERE ").ranges(c, spans).condition("AND", where)
}

// textual reports whether a type of either database holds words. A column of
// SQLite may have none.
func textual(typ string) bool {
	name, _, _ := strings.Cut(strings.ToLower(typ), "(")
	switch name = strings.TrimSpace(name); name {
	case "", "text", "citext", "name", "bpchar", "boolean", "bool", "clob", "string", "user-defined":
		return true
	}
	return strings.Contains(name, "char")
}

// identifier reports whether a column's name says that it tells rows apart rather
// than kinds of rows.
func identifier(column string) bool {
	words := wordsOf(column)
	return len(words) > 0 && slices.Contains([]string{
		"id", "ids", "uuid", "guid", "key", "hash", "sha", "md5", "ref", "reference", "url", "uri", "path", "note", "comment", "description", "payload", "body",
	}, words[len(words)-1])
}
