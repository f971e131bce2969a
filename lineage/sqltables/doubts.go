package sqltables

import "strings"

// Doubts says what a query holds that engines read wrongly without saying so.
type Doubts struct {
	// Star is set where a star stands for other columns than those of its tables:
	// `* replace (...)`, `* except (a), f(a) as a`, COLUMNS('x.*').
	Star string
	// Pivot is set where rows become columns, or columns rows: a star that is not
	// resolved then stands for columns that no table has.
	Pivot string
}

// Doubt looks for both.
func Doubt(sql, dialect string) Doubts {
	all := tokens(sql, strings.ToLower(dialect))
	var out Doubts
	for i, t := range all {
		next := token{kind: mark}
		if i+1 < len(all) {
			next = all[i+1]
		}
		switch {
		case t.is("PIVOT", "UNPIVOT", "MATCH_RECOGNIZE", "MODEL") && (next.mark("(") || next.is("INCLUDE", "EXCLUDE")):
			out.Pivot = t.up
		case t.is("COLUMNS") && next.mark("(") && (dialect == "duckdb" || dialect == "clickhouse"):
			out.Star = "COLUMNS(...)"
		case t.mark("*") && next.is("REPLACE", "RENAME", "ILIKE", "APPLY"):
			out.Star = "* " + next.up
		case t.mark("*") && next.is("EXCEPT", "EXCLUDE") && renamed(all, excluded(all[i+2:])):
			out.Star = "* " + next.up + " of a name that is given anew"
		}
	}
	return out
}

// excluded are the names behind EXCEPT, in parentheses or one alone.
func excluded(tokens []token) []string {
	if len(tokens) == 0 {
		return nil
	}
	if tokens[0].mark("(") {
		return firstWords(inside(tokens))
	}
	return []string{tokens[0].text}
}

// renamed says that one of the names is given to another column.
func renamed(all []token, names []string) bool {
	for i, t := range all {
		if i == 0 || t.kind != word && t.kind != quoted {
			continue
		}
		for _, name := range names {
			before := all[i-1]
			named := before.is("AS") || before.mark(")") || before.is("END") || before.kind == quoted || before.kind == word && !reserved(before) && !before.is("SELECT", "BY", "DISTINCT", "EXCLUDE", "EXCEPT")
			if named && strings.EqualFold(t.text, name) {
				return true
			}
		}
	}
	return false
}
