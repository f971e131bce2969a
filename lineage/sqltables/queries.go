package sqltables

import (
	"slices"
	"strings"
)

// Query is a SELECT that fills a table, or that answers a question.
type Query struct {
	Target string // the table as written, without quotes; empty where the query only answers
	// Columns are the names that the query's columns have in the target, by
	// position; empty where it gives them their names itself, or the target does.
	Columns []string
	// ByPosition says that the target names the columns, in its own order: an
	// INSERT without a list. The names of the query are then no names of the target.
	ByPosition bool
	// Made says that the statement makes the target: its columns are the query's.
	Made bool
	// Set is how many of the target's last columns the statement sets without the
	// query: those of Hive's PARTITION (day='2026-01-01').
	Set int
	SQL string // without comments
}

// Queries are what a script does, column by column.
type Queries struct {
	List []Query
	// Unread are tables that statements fill from other tables in a way that no
	// SELECT says: of their columns nothing is known.
	Unread []string
}

// ReadQueries brings each statement of a script to the queries that fill its
// target: INSERT, MERGE, UPDATE, CREATE TABLE AS, CREATE VIEW, SELECT INTO, also
// in the body of a procedure. Statements that fill nothing have none.
func ReadQueries(sql, dialect string) Queries {
	dialect = strings.ToLower(dialect)
	var out Queries
	for _, tokens := range statements(tokens(sql, dialect)) {
		s := statement{sql: sql, dialect: dialect, tokens: body(tokens)}
		if len(s.tokens) == 0 {
			continue
		}
		found, ok := s.queries()
		out.List = append(out.List, found...)
		if tables := s.tables(); !ok || len(found) == 0 && len(tables.sources.list) > 0 {
			out.Unread = append(out.Unread, tables.targets.list...)
		}
	}
	return out
}

// statement is one statement of a script.
type statement struct {
	sql     string
	dialect string
	tokens  []token
}

// body takes off what procedures put in front of a statement.
func body(tokens []token) []token {
	for len(tokens) > 0 {
		first := tokens[0]
		switch {
		case first.is("BEGIN", "LOOP", "ELSE", "AS", "IS", "DO"):
			tokens = tokens[1:]
		case first.is("IF", "ELSIF", "ELSEIF") && index(tokens, "THEN") > 0:
			tokens = tokens[index(tokens, "THEN")+1:]
		case first.is("CREATE") && procedure(tokens):
			at := index(tokens, "BEGIN", "AS", "IS")
			if at < 0 {
				return nil
			}
			tokens = tokens[at:]
		default:
			return tokens
		}
	}
	return nil
}

func procedure(tokens []token) bool {
	return slices.ContainsFunc(tokens[:min(5, len(tokens))], func(t token) bool { return t.is("PROCEDURE", "PROC") })
}

// index is the place of the first of the keywords that stands outside of
// parentheses and of CASE, or -1.
func index(tokens []token, keywords ...string) int {
	depth := 0
	for i, t := range tokens {
		switch {
		case t.mark("(") || t.is("CASE"):
			depth++
		case t.mark(")") || t.is("END") && depth > 0:
			depth--
		case depth == 0 && t.is(keywords...):
			return i
		}
	}
	return -1
}

// split cuts at the commas that stand outside of parentheses.
func split(tokens []token) [][]token {
	var out [][]token
	depth, start := 0, 0
	for i, t := range tokens {
		switch {
		case t.mark("(") || t.mark("["):
			depth++
		case t.mark(")") || t.mark("]"):
			depth--
		case t.mark(",") && depth == 0:
			out = append(out, tokens[start:i])
			start = i + 1
		}
	}
	return append(out, tokens[start:])
}

// closing is the place behind the parenthesis that closes the first token.
func closing(tokens []token) int {
	depth := 0
	for i, t := range tokens {
		switch {
		case t.mark("("):
			depth++
		case t.mark(")"):
			depth--
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(tokens)
}

// text writes tokens as they stand in the SQL, a space for what is between them.
func (s statement) text(tokens []token) string {
	var out strings.Builder
	for i, t := range tokens {
		if i > 0 && t.start != tokens[i-1].end {
			out.WriteByte(' ')
		}
		out.WriteString(s.sql[t.start:t.end])
	}
	return out.String()
}

// tables reads the statement's tables.
func (s statement) tables() parser {
	p := parser{tokens: s.tokens, dialect: s.dialect, aliases: map[string]string{}}
	p.statement()
	return p
}

// queries returns the queries of the statement; false says that it fills a table
// in a way that is not read.
func (s statement) queries() ([]Query, bool) {
	first := s.tokens[0]
	switch {
	case first.is("CREATE"):
		return s.created()
	case first.is("INSERT", "REPLACE"):
		return s.inserted(nil)
	case first.is("MERGE"):
		return s.merged(nil)
	case first.is("UPDATE"):
		return s.updated()
	case first.is("SELECT") || first.mark("("):
		return s.selected()
	case first.is("WITH"):
		return s.with()
	}
	return nil, true
}

// with tells which statement a WITH belongs to.
func (s statement) with() ([]Query, bool) {
	at := index(s.tokens, "SELECT", "INSERT", "MERGE", "UPDATE", "DELETE", "REPLACE", "FROM")
	if at < 0 {
		return s.selected()
	}
	inner := s
	inner.tokens = s.tokens[at:]
	switch {
	case inner.tokens[0].is("INSERT", "REPLACE"):
		return inner.inserted(s.tokens[:at])
	case inner.tokens[0].is("MERGE"):
		return inner.merged(s.tokens[:at])
	case inner.tokens[0].is("UPDATE", "DELETE"):
		return nil, inner.tokens[0].is("DELETE")
	}
	return s.selected()
}

// selected is a plain query, or a SELECT ... INTO table.
func (s statement) selected() ([]Query, bool) {
	into := index(s.tokens, "INTO")
	if into < 0 {
		return []Query{{SQL: s.text(unwrapped(s.tokens))}}, true
	}
	p := parser{tokens: s.tokens, at: into + 1, dialect: s.dialect}
	for p.take("TEMPORARY", "TEMP", "UNLOGGED", "TABLE") {
		continue
	}
	target, isPath := p.name()
	if target == "" || isPath || strings.HasPrefix(target, "@") || s.dialect == "oracle" {
		return nil, true // a variable or a file
	}
	rest := append(slices.Clone(s.tokens[:into]), s.tokens[p.at:]...)
	return []Query{{Target: target, Made: true, SQL: s.text(rest)}}, true
}
