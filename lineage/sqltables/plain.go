package sqltables

import (
	"slices"
	"strings"
)

// Plain rewrites SQL to what engines read best, with the same meaning: without
// comments, each unquoted name in the spelling of its first use (`TA.x` of `ta`),
// without parentheses around a query that stands in others, tables that commas part
// joined by CROSS JOIN, and T-SQL's `name = value` as `value AS name`.
func Plain(sql, dialect string) string {
	s := statement{sql: sql, dialect: strings.ToLower(dialect)}
	all := tokens(sql, s.dialect)
	e := edits{drop: make([]bool, len(all)), behind: make([]string, len(all)), spell: make([]string, len(all))}
	if s.dialect != "clickhouse" { // where case makes another name
		e.respell(all)
	}
	e.unwrap(all)
	e.joins(all, s.dialect)
	if s.dialect == "tsql" || s.dialect == "sqlserver" || s.dialect == "fabric" {
		e.aliases(all)
	}
	return s.edited(all, e)
}

// edits are what is changed about the tokens of the same place.
type edits struct {
	drop   []bool
	behind []string // put behind the token
	spell  []string // put in the place of the token
}

func (s statement) edited(all []token, e edits) string {
	var out strings.Builder
	for i, t := range all {
		if i > 0 && t.start != all[i-1].end {
			out.WriteByte(' ')
		}
		switch {
		case e.drop[i]:
			out.WriteByte(' ')
		case e.spell[i] != "":
			out.WriteString(e.spell[i])
		default:
			out.WriteString(s.sql[t.start:t.end])
		}
		out.WriteString(e.behind[i])
	}
	return out.String()
}

func (e edits) respell(all []token) {
	first := map[string]string{}
	for i, t := range all {
		if t.kind != word {
			continue
		}
		spelling, known := first[t.up]
		if !known {
			first[t.up] = t.text
		} else if spelling != t.text {
			e.spell[i] = spelling
		}
	}
}

// unwrap takes off the parentheses of `((select ...))`, and those of a branch of a
// UNION that has no order and no limit of its own.
func (e edits) unwrap(all []token) {
	for i, t := range all {
		if !t.mark("(") || i+1 == len(all) || !all[i+1].is("SELECT") || i == 0 {
			continue
		}
		end := i + closing(all[i:]) - 1 // of its last parenthesis
		if end >= len(all) || !all[end].mark(")") {
			continue
		}
		alone := all[i-1].mark("(") && end+1 < len(all) && all[end+1].mark(")")
		branch := all[i-1].is("UNION", "ALL", "DISTINCT", "EXCEPT", "INTERSECT") && i > 1 ||
			all[i-1].mark("(") && end+1 < len(all) && all[end+1].is("UNION", "EXCEPT", "INTERSECT")
		if all[i-1].is("ALL", "DISTINCT") && !all[i-2].is("UNION", "EXCEPT", "INTERSECT") {
			branch = false // = ALL (select ...)
		}
		if alone || branch && index(all[i+1:end], "ORDER", "LIMIT", "WITH", "FETCH", "OFFSET") < 0 {
			e.drop[i], e.drop[end] = true, true
		}
	}
}

// joins writes the commas of FROM as joins.
func (e edits) joins(all []token, dialect string) {
	for i, t := range all {
		if !t.is("FROM") || i > 0 && all[i-1].is("DISTINCT") {
			continue
		}
		p := parser{tokens: all, at: i + 1, dialect: dialect}
		if p.functionFrom() {
			continue
		}
		depth := 0
		for j := i + 1; j < len(all); j++ {
			switch next := all[j]; {
			case next.mark("(") || next.mark("["):
				depth++
			case (next.mark(")") || next.mark("]")) && depth > 0:
				depth--
			case depth > 0:
			case next.mark(")") || next.mark(";") || endsFrom(next) || next.is("VIEW"):
				j = len(all)
			case next.mark(","):
				e.spell[j] = " CROSS JOIN "
			}
		}
	}
}

// aliases turns `select name = value` round.
func (e edits) aliases(all []token) {
	for i, t := range all {
		if !t.is("SELECT") {
			continue
		}
		list := all[i+1:]
		at := i + 1
		for len(list) > 0 && list[0].is("DISTINCT", "ALL", "TOP", "PERCENT") {
			skip := 1
			if list[0].is("TOP") && len(list) > 1 {
				skip = 2
				if list[1].mark("(") {
					skip = 1 + closing(list[1:])
				}
			}
			list, at = list[skip:], at+skip
		}
		for _, item := range split(selectList(list)) {
			if len(item) > 2 && (item[0].kind == quoted || item[0].kind == word && !strings.HasPrefix(item[0].text, "@")) && item[1].mark("=") {
				e.drop[at], e.drop[at+1] = true, true
				e.behind[at+len(item)-1] = " AS [" + item[0].text + "]"
			}
			at += len(item) + 1
		}
	}
}

// selectList is what stands behind SELECT up to its FROM, or to the end of the
// query.
func selectList(tokens []token) []token {
	depth := 0
	for i, t := range tokens {
		switch {
		case t.mark("(") || t.is("CASE"):
			depth++
		case t.mark(")") && depth == 0, t.mark(";"):
			return tokens[:i]
		case t.mark(")") || t.is("END") && depth > 0:
			depth--
		case depth == 0 && t.is("FROM", "INTO", "WHERE", "UNION", "EXCEPT", "INTERSECT", "ORDER", "GROUP"):
			return tokens[:i]
		}
	}
	return tokens
}

// unwrapped is a query without the parentheses around the whole of it.
func unwrapped(query []token) []token {
	for len(query) > 2 && query[0].mark("(") && closing(query) == len(query) {
		query = slices.Clip(inside(query))
	}
	return query
}
