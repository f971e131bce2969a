package sqltables

import (
	"strings"
)

// from reads the tables behind a FROM, unless the word belongs to a function
// such as extract(year from x) or to IS DISTINCT FROM.
func (p *parser) from(before token) {
	if before.is("DISTINCT") && p.peek(-3).is("IS", "NOT") || p.functionFrom() {
		return
	}
	p.tableRef()
	p.tableList()
}

// functionFrom says that the FROM just read stands in the arguments of a
// function that has one.
func (p *parser) functionFrom() bool {
	depth := 0
	for i := p.at - 2; i >= 0; i-- {
		switch t := p.tokens[i]; {
		case t.mark(")"):
			depth++
		case t.mark("(") && depth > 0:
			depth--
		case t.mark("("):
			return i > 0 && p.tokens[i-1].is("EXTRACT", "SUBSTRING", "SUBSTR", "TRIM", "OVERLAY", "POSITION", "LTRIM", "RTRIM", "DATE_PART")
		case depth == 0 && t.is("SELECT"):
			return false
		}
	}
	return false
}

// tableList reads on to the end of a FROM clause: what follows a comma or a JOIN
// is a table, what stands in parentheses may hold queries.
func (p *parser) tableList() {
	for p.more() {
		t := p.peek(0)
		switch {
		case t.mark(")") || endsFrom(t):
			return
		case t.is("LATERAL") && p.peek(1).is("VIEW"):
			p.lateralView()
		case t.mark(","):
			p.at++
			p.tableRef()
		case t.is("JOIN", "STRAIGHT_JOIN"):
			p.at++
			p.tableRef()
		case t.is("FROM"):
			return
		case t.mark("("):
			p.at++
			p.query(true)
		case t.mark("["):
			p.brackets()
		case t.is("APPLY"):
			p.at++
			p.tableRef()
		default:
			p.at++
		}
	}
}

// brackets passes over an array, whose commas part no tables.
func (p *parser) brackets() {
	for depth := 0; p.more(); {
		t := p.peek(0)
		p.at++
		switch {
		case t.mark("["):
			depth++
		case t.mark("]"):
			depth--
		case t.mark("("):
			p.query(true)
		}
		if depth == 0 {
			return
		}
	}
}

func endsFrom(t token) bool {
	return t.is("WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "QUALIFY", "WINDOW", "UNION", "EXCEPT", "INTERSECT", "MINUS", "SELECT",
		"WHEN", "RETURNING", "CONNECT", "START", "CLUSTER", "DISTRIBUTE", "SORT", "INSERT", "OFFSET", "FETCH", "SET", "PREWHERE",
		"UPDATE", "DELETE", "MERGE", "CREATE", "DROP", "END", "INTO", "OPTION", "OUTPUT")
}

// lateralView passes over a LATERAL VIEW, whose commas part columns.
func (p *parser) lateralView() {
	p.at += 2
	for p.more() {
		t := p.peek(0)
		if t.mark(")") || endsFrom(t) || t.is("JOIN", "FROM") || t.is("LATERAL") {
			return
		}
		p.at++
		if t.mark("(") {
			p.query(true)
		}
	}
}

// tableRef reads one table, query or function, with its alias.
func (p *parser) tableRef() {
	for p.take("LATERAL", "ONLY", "FINAL") {
		continue
	}
	if p.peek(0).mark("(") {
		p.at++
		if p.startsQuery(0) {
			p.query(true)
		} else {
			p.joined()
		}
		p.alias("")
		return
	}
	name, isPath := p.name()
	switch {
	case name == "":
	case isPath:
		p.sources.add("path:" + name)
	case p.peek(0).mark("(") && !p.hint():
		p.at++
		p.query(true) // a function that returns a table; its arguments may hold queries
	case p.correlated(name) || p.known(name):
		p.alias("")
	default:
		p.sources.add(name)
		p.alias(name)
	}
}

// joined reads tables that are joined in parentheses.
func (p *parser) joined() {
	if p.depth++; p.depth > deepest {
		p.at = len(p.tokens)
	}
	p.tableRef()
	p.tableList()
	if p.peek(0).mark(")") {
		p.at++
	} else if p.more() {
		p.query(true)
	}
	p.depth--
}

// hint says that a parenthesis behind a table holds T-SQL's hints.
func (p *parser) hint() bool {
	if p.dialect != "tsql" || !p.peek(1).is("NOLOCK", "READUNCOMMITTED", "ROWLOCK", "UPDLOCK", "TABLOCK", "TABLOCKX", "HOLDLOCK", "READPAST", "XLOCK") {
		return false
	}
	p.skipParens()
	return true
}

// correlated says that a dotted name begins with a table before it: an array of
// that table, as BigQuery and Spark write it.
func (p *parser) correlated(name string) bool {
	first, _, dotted := strings.Cut(name, ".")
	if !dotted {
		return false
	}
	of, known := p.aliases[strings.ToLower(first)]
	return known && of != name && p.peek(-2).mark(".")
}

// alias reads the name that a table is given.
func (p *parser) alias(of string) {
	if short := of[strings.LastIndex(of, ".")+1:]; of != "" {
		p.aliases[strings.ToLower(short)] = of
	}
	p.take("AS")
	t := p.peek(0)
	if t.kind == quoted || t.kind == word && !reserved(t) {
		p.at++
		p.aliases[strings.ToLower(t.text)] = of
		if p.peek(0).mark("(") { // the names of its columns
			p.skipParens()
		}
	}
}

func reserved(t token) bool {
	return endsFrom(t) || t.is("ON", "USING", "JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "OUTER", "LATERAL", "AS", "SEMI",
		"ANTI", "ASOF", "ANY", "GLOBAL", "TABLESAMPLE", "PIVOT", "UNPIVOT", "FOR", "FROM", "WITH", "THEN", "AND", "OR", "NOT", "VALUES",
		"MATCH_RECOGNIZE", "CONNECT", "PARTITION", "APPLY", "SAMPLE", "IN", "FINAL", "STRAIGHT_JOIN")
}

// name reads a dotted name, and reports whether it is the path of a file.
func (p *parser) name() (string, bool) {
	t := p.peek(0)
	if t.kind == text {
		p.at++
		return t.text, true
	}
	if t.is("SELECT", "VALUES") && !p.peek(1).mark(".") {
		return "", false
	}
	var parts []string
	for {
		t := p.peek(0)
		if t.kind != word && t.kind != quoted {
			break
		}
		parts = append(parts, t.text)
		p.at++
		if !p.peek(0).mark(".") {
			break
		}
		for p.peek(0).mark(".") { // db..table leaves the schema out
			p.at++
		}
	}
	if len(parts) == 2 && p.peek(-1).kind == quoted && fileFormat(parts[0]) {
		return parts[1], true
	}
	return strings.Join(parts, "."), false
}

func fileFormat(name string) bool {
	switch strings.ToLower(name) {
	case "parquet", "csv", "json", "orc", "text", "avro", "delta", "binaryfile":
		return true
	}
	return false
}
