package sqltables

import "strings"

// target reads a table that is written.
func (p *parser) target() {
	for p.take("TABLE", "IF", "NOT", "EXISTS", "ONLY") {
		continue
	}
	name, isPath := p.name()
	if isPath {
		name = "path:" + name
	}
	if name != "" && !p.known(name) {
		p.targets.add(name)
	}
	if t := p.peek(0); t.is("AS") && (p.verb == "MERGE" || p.verb == "UPDATE" || p.verb == "DELETE") || t.kind == word && !reserved(t) && p.verb == "MERGE" {
		p.alias("")
	}
}

// insert reads what is written to by an INSERT.
func (p *parser) insert() {
	if !p.more() || p.peek(0).is("VALUES") || p.peek(0).mark("*") || p.peek(0).mark("(") {
		return
	}
	if p.verb == "WITH" || p.verb == "FROM" {
		p.verb = "INSERT"
	}
	for p.take("OR", "REPLACE", "IGNORE", "INTO", "OVERWRITE", "LOCAL", "TABLE", "LOW_PRIORITY", "ALL", "FIRST") {
		continue
	}
	if p.take("DIRECTORY") {
		p.target()
		return
	}
	p.target()
	if p.peek(0).is("PARTITION") && p.peek(1).mark("(") {
		p.at++
		p.skipParens()
	}
}

// into reads SELECT ... INTO, which may also fill a variable, and is not the INTO
// of `CLUSTERED BY (id) INTO 4 BUCKETS`.
func (p *parser) into() {
	if strings.HasPrefix(p.peek(0).text, "@") || p.peek(1).is("BUCKETS") {
		return
	}
	for p.take("TEMPORARY", "TEMP", "UNLOGGED", "TABLE", "OUTFILE") {
		continue
	}
	p.target()
}

// delete reads DELETE [FROM] table, and T-SQL's DELETE alias FROM table.
func (p *parser) delete() {
	p.verb = "DELETE"
	p.take("FROM")
	p.target()
}

func (p *parser) using() {
	p.tableRef()
	p.tableList()
}

// create reads what a CREATE makes, and what it copies.
func (p *parser) create() {
	p.verb = "CREATE"
	for p.more() && !p.peek(0).is("TABLE", "VIEW", "DYNAMIC_TABLE") {
		t := p.peek(0)
		if t.is("FUNCTION", "INDEX", "SCHEMA", "DATABASE", "ROLE", "SEQUENCE", "TYPE", "EXTENSION", "STAGE", "USER", "TASK", "STREAM", "MODEL", "MACRO") {
			p.at = len(p.tokens)
			return
		}
		if t.is("PROCEDURE", "PROC", "TRIGGER") {
			p.procedure()
			return
		}
		if t.mark("(") || t.is("AS", "SELECT") {
			return
		}
		p.at++
	}
	p.at++
	p.target()
	if p.peek(0).mark("(") && p.peek(1).is("LIKE") {
		p.at += 2
		p.copied()
		return
	}
	if p.take("CLONE", "LIKE") || p.peek(0).is("COPY") && !p.peek(1).is("GRANTS") && p.take("COPY") || p.take("SHALLOW", "DEEP") && p.take("CLONE") {
		p.copied()
	}
	p.verb = "CREATED"
}

func (p *parser) copied() {
	if name, _ := p.name(); name != "" {
		p.sources.add(name)
	}
}

// procedure reads the statements of a procedure's body.
func (p *parser) procedure() {
	for p.more() && !p.peek(0).is("BEGIN", "AS", "IS") {
		p.at++
	}
	p.take("AS", "IS")
	p.take("BEGIN")
	p.verb = "BEGIN"
}

func (p *parser) drop() {
	p.at++
	for p.more() && !p.peek(0).is("TABLE", "VIEW") {
		p.at++
	}
	p.at++
	p.take("IF")
	p.take("EXISTS")
	if name, _ := p.name(); name != "" {
		p.dropped.add(name)
	}
}

// alter reads which table an ALTER changes. Another name is no change of what it
// holds.
func (p *parser) alter() {
	p.at++
	if !p.take("TABLE") {
		return
	}
	for _, t := range p.tokens {
		if t.is("RENAME") {
			return
		}
	}
	p.target()
	for p.more() {
		if p.take("WITH") {
			p.take("TABLE")
			p.copied()
			return
		}
		p.at++
	}
}

// copy reads COPY [INTO] table FROM file, and COPY (query) TO file.
func (p *parser) copy() {
	p.at++
	p.take("INTO")
	if p.peek(0).mark("(") {
		p.at++
		p.query(true)
	} else {
		p.target()
	}
	for p.more() {
		switch {
		case p.take("FROM"):
			p.tableRef()
		case p.take("TO"):
			p.target()
			return
		default:
			p.at++
		}
	}
}

// unload reads UNLOAD ('query') TO 'path'.
func (p *parser) unload() {
	for p.more() {
		t := p.peek(0)
		p.at++
		switch {
		case t.kind == text && p.peek(-2).mark("("):
			inner := Read(t.text, p.dialect)
			for _, name := range inner.Sources {
				p.sources.add(name)
			}
		case t.mark("(") && p.startsQuery(0):
			p.query(true)
		case t.is("TO"):
			p.target()
			return
		}
	}
}

// load reads LOAD DATA [LOCAL] INPATH 'path' INTO TABLE table.
func (p *parser) load() {
	for p.more() {
		t := p.peek(0)
		p.at++
		switch {
		case t.kind == text:
			p.sources.add("path:" + t.text)
		case t.is("INTO"):
			p.target()
			return
		}
	}
}

// swapPartitions reads Vertica's function, whose tables are strings.
func (p *parser) swapPartitions() {
	var args []string
	for p.more() && !p.peek(0).mark(")") {
		if t := p.peek(0); t.kind == text {
			args = append(args, t.text)
		}
		p.at++
	}
	if len(args) >= 2 {
		p.sources.add(args[0])
		p.targets.add(args[len(args)-1])
	}
}

// resolveTarget turns a target that is an alias, as T-SQL's UPDATE writes it,
// into its table, which is then no source.
func (p *parser) resolveTarget() {
	if p.verb != "UPDATE" && p.verb != "DELETE" {
		return
	}
	for i, name := range p.targets.list {
		if of, ok := p.aliases[strings.ToLower(name)]; ok && of != "" && !strings.EqualFold(of, name) {
			p.targets.list[i] = of
			p.sources.remove(of)
		}
	}
}
