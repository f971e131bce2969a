package sqltables

import (
	"slices"
	"strings"
)

// deepest bounds the nesting that is followed; SQL beyond it is read no further.
const deepest = 200

// parser walks over the tokens of one statement.
type parser struct {
	tokens  []token
	at      int
	dialect string
	depth   int
	verb    string // the statement's first word, or the INSERT behind a WITH

	sources, targets, dropped names
	scopes                    []map[string]bool // the names of WITH, the innermost last
	aliases                   map[string]string // of tables, folded
}

func (p *parser) peek(ahead int) token {
	if p.at+ahead < len(p.tokens) && p.at+ahead >= 0 {
		return p.tokens[p.at+ahead]
	}
	return token{kind: mark}
}

func (p *parser) more() bool { return p.at < len(p.tokens) }

// take passes over the next token if it is one of the keywords.
func (p *parser) take(keywords ...string) bool {
	if p.peek(0).is(keywords...) {
		p.at++
		return true
	}
	return false
}

// statement reads a whole statement.
func (p *parser) statement() {
	first := p.peek(0)
	switch {
	case first.is("USE", "SHOW", "DESC", "DESCRIBE", "REFRESH", "CACHE", "UNCACHE", "ANALYZE", "SET", "RENAME", "GRANT",
		"REVOKE", "COMMENT", "CALL", "VACUUM", "MSCK", "RESET"):
		return
	case first.is("DROP"):
		p.drop()
		return
	case first.is("ALTER"):
		p.alter()
		return
	case first.is("COPY"):
		p.copy()
		return
	case first.is("UNLOAD"):
		p.unload()
		return
	case first.is("LOAD"):
		p.load()
		return
	}
	p.verb = first.up
	for p.more() {
		p.query(false)
	}
	p.resolveTarget()
}

// query reads up to the end, or to the parenthesis that closes it.
func (p *parser) query(inside bool) {
	if p.depth++; p.depth > deepest {
		p.at = len(p.tokens)
	}
	p.scopes = append(p.scopes, map[string]bool{})
	for p.more() {
		if p.peek(0).mark(")") {
			p.at++
			if inside {
				break
			}
			continue
		}
		p.step()
	}
	p.scopes = p.scopes[:len(p.scopes)-1]
	p.depth--
}

// step reads one clause's head, or passes over one token.
func (p *parser) step() {
	t, before := p.peek(0), p.peek(-1)
	p.at++
	switch {
	case t.mark("("):
		p.query(true)
	case t.is("WITH") && p.withQuery():
		p.with()
	case t.is("FROM"):
		p.from(before)
	case t.is("JOIN") || t.is("STRAIGHT_JOIN"):
		p.tableRef()
		p.tableList()
	case t.is("APPLY") && before.is("CROSS", "OUTER"):
		p.tableRef()
	case t.is("USING") && (p.verb == "MERGE" || p.verb == "DELETE"):
		p.using()
	default:
		p.write(t, before)
	}
}

// write reads the verbs behind which a table stands that is written.
func (p *parser) write(t, before token) {
	switch {
	case before.is("THEN") || before.mark("."):
	case t.is("INSERT") || t.is("REPLACE") && p.peek(0).is("INTO"):
		p.insert()
	case t.is("INTO"):
		p.into()
	case t.is("MERGE"):
		p.verb = "MERGE"
		p.take("INTO")
		p.target()
	case t.is("UPDATE") && !before.is("FOR", "ON", "KEY", "DO", "OF") && !p.peek(0).is("SET"):
		p.verb = "UPDATE"
		p.take("ONLY")
		p.target()
		p.tableList()
	case t.is("DELETE") && !before.is("ON"):
		p.delete()
	case t.is("TRUNCATE"):
		p.take("TABLE")
		p.take("ONLY")
		p.target()
	case t.is("CREATE"):
		p.create()
	case t.up == "SWAP_PARTITIONS_BETWEEN_TABLES" && p.peek(0).mark("("):
		p.swapPartitions()
	}
}

// withQuery tells the WITH of a query from other uses of the word: a name and an
// opening parenthesis, or AS, follow.
func (p *parser) withQuery() bool {
	ahead := 0
	if p.peek(0).is("RECURSIVE") {
		ahead = 1
	}
	name, next := p.peek(ahead), p.peek(ahead+1)
	return (name.kind == word || name.kind == quoted) && (next.is("AS") || next.mark("("))
}

// with reads the queries of a WITH; their names hide tables from then on.
func (p *parser) with() {
	recursive := p.take("RECURSIVE") || p.dialect == "tsql" || p.dialect == "oracle" || p.dialect == "snowflake" || p.dialect == "teradata"
	scope := p.scopes[len(p.scopes)-1]
	for {
		name := strings.ToLower(p.peek(0).text)
		p.at++
		if p.peek(0).mark("(") && !p.startsQuery(1) {
			p.skipParens()
		}
		p.take("AS")
		p.take("NOT")
		p.take("MATERIALIZED")
		if recursive {
			scope[name] = true
		}
		if p.peek(0).mark("(") {
			p.at++
			p.query(true)
		}
		scope[name] = true
		for p.more() && !p.peek(0).mark(",") && p.peek(0).is("SEARCH", "CYCLE") {
			p.at++ // the tail of a recursive query is not read
		}
		if !p.peek(0).mark(",") {
			return
		}
		p.at++
	}
}

// startsQuery says that a query begins so many tokens ahead.
func (p *parser) startsQuery(ahead int) bool {
	for p.peek(ahead).mark("(") {
		ahead++
	}
	return p.peek(ahead).is("SELECT", "WITH", "VALUES", "FROM", "INSERT", "UPDATE", "DELETE", "MERGE", "TABLE")
}

func (p *parser) skipParens() {
	depth := 0
	for p.more() {
		switch t := p.peek(0); {
		case t.mark("("):
			depth++
		case t.mark(")"):
			depth--
		}
		p.at++
		if depth == 0 {
			return
		}
	}
}

// known says that a name is that of a WITH around.
func (p *parser) known(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(p.scopes, func(scope map[string]bool) bool { return scope[name] })
}
