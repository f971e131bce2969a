package sqltables

import "strings"

// assignments are the columns that a SET fills, with the expression of each.
type assignments struct {
	columns []string
	values  [][]token
}

// set reads `a = x, t.b = y`; false where one is not of this form.
func set(tokens []token) (assignments, bool) {
	var out assignments
	for _, item := range split(tokens) {
		eq := -1
		for i, t := range item {
			if t.mark("=") {
				eq = i
				break
			}
		}
		if eq < 1 || eq == len(item)-1 || item[0].mark("(") {
			return out, false
		}
		if item[eq-1].kind != word && item[eq-1].kind != quoted {
			return out, false // +=
		}
		out.columns = append(out.columns, item[eq-1].text)
		out.values = append(out.values, item[eq+1:])
	}
	return out, len(out.columns) > 0
}

// query asks for the expressions from the tables.
func (s statement) query(target string, a assignments, with []token, from string) Query {
	var values []string
	for _, v := range a.values {
		text := s.text(v)
		if len(v) == 1 && v[0].is("DEFAULT") {
			text = "NULL"
		}
		values = append(values, text)
	}
	sql := "SELECT " + strings.Join(values, ", ") + " FROM " + from
	return Query{Target: target, Columns: a.columns, SQL: joinText(s.text(with), sql)}
}

// updated is UPDATE tables SET ... [FROM tables] [WHERE ...].
func (s statement) updated() ([]Query, bool) {
	at := index(s.tokens, "SET")
	if at < 0 {
		return nil, false
	}
	tables, rest := s.tokens[1:at], s.tokens[at+1:]
	if len(tables) > 0 && tables[0].is("ONLY") {
		tables = tables[1:]
	}
	from := ""
	if end := index(rest, "FROM"); end >= 0 {
		from = s.text(upTo(rest[end+1:], "WHERE", "ORDER", "LIMIT", "RETURNING", "OPTION", "OUTPUT"))
	}
	a, ok := set(upTo(rest, "FROM", "WHERE", "ORDER", "LIMIT", "RETURNING", "OPTION", "OUTPUT"))
	read := s.tables()
	if !ok || len(read.targets.list) == 0 {
		return nil, false
	}
	target := read.targets.list[0]
	p := parser{tokens: tables, dialect: s.dialect}
	written, _ := p.name()
	switch named := Read("SELECT 1 FROM "+from, s.dialect); {
	case from == "":
		from = s.text(tables)
	case !strings.EqualFold(written, target) || (&names{list: named.Sources}).has(target):
		// The target stands among the tables of FROM, under its name or another.
	default:
		from = s.text(tables) + ", " + from
	}
	return []Query{s.query(target, a, nil, from)}, true
}

// upTo is what stands before the first of the keywords.
func upTo(tokens []token, keywords ...string) []token {
	if end := index(tokens, keywords...); end >= 0 {
		return tokens[:end]
	}
	return tokens
}

// merged is MERGE INTO target USING source ON ... WHEN ... THEN ...; one query for
// each action.
func (s statement) merged(with []token) ([]Query, bool) {
	using := index(s.tokens, "USING")
	if using < 0 {
		return nil, false
	}
	target := s.tokens[1:using]
	if len(target) > 0 && target[0].is("INTO") {
		target = target[1:]
	}
	p := parser{tokens: target, dialect: s.dialect}
	name, _ := p.name()
	source := upTo(s.tokens[using+1:], "ON")
	if name == "" || len(source) == 0 {
		return nil, false
	}
	m := merge{statement: s, with: with, target: name, into: s.text(target), source: source}
	rest := s.tokens[using+1:]
	whole := true
	for when := index(rest, "WHEN"); when >= 0; when = index(rest, "WHEN") {
		rest = rest[when+1:]
		then := index(rest, "THEN")
		if then < 0 {
			return m.out, false
		}
		rest = rest[then+1:]
		whole = m.action(upTo(rest, "WHEN")) && whole
	}
	return m.out, whole
}

type merge struct {
	statement
	with         []token
	target, into string
	source       []token
	out          []Query
}

// action reads what stands behind THEN; false where it is not read.
func (m *merge) action(tokens []token) bool {
	switch {
	case len(tokens) == 0 || tokens[0].is("DELETE", "DO"):
		return true
	case tokens[0].is("UPDATE"):
		return m.update(tokens[1:])
	case tokens[0].is("INSERT"):
		return m.insert(tokens[1:])
	}
	return false
}

func (m *merge) update(tokens []token) bool {
	if len(tokens) > 0 && tokens[0].is("SET") {
		tokens = upTo(tokens[1:], "WHERE", "DELETE")
		if len(tokens) != 1 || !tokens[0].mark("*") {
			a, ok := set(tokens)
			if ok {
				m.out = append(m.out, m.query(m.target, a, m.with, m.into+", "+m.text(m.source)))
			}
			return ok
		}
	} else if !m.only(tokens, "ALL", "BY", "NAME") {
		return false
	}
	m.all()
	return true
}

// insert reads INSERT [(columns)] VALUES (...), INSERT *, INSERT ROW.
func (m *merge) insert(tokens []token) bool {
	if m.only(tokens, "ROW") || m.only(tokens, "ALL", "BY", "NAME") || len(tokens) == 1 && tokens[0].mark("*") {
		m.all()
		return true
	}
	var a assignments
	if len(tokens) > 0 && tokens[0].mark("(") {
		a.columns = firstWords(inside(tokens))
		tokens = tokens[closing(tokens):]
	}
	if len(tokens) < 2 || !tokens[0].is("VALUES") || !tokens[1].mark("(") {
		return false
	}
	a.values = split(inside(tokens[1:]))
	if len(a.columns) > 0 && len(a.columns) != len(a.values) {
		return false
	}
	q := m.query(m.target, a, m.with, m.text(m.source))
	q.ByPosition = len(a.columns) == 0
	m.out = append(m.out, q)
	return true
}

// all takes every column of the source over under its name.
func (m *merge) all() {
	m.out = append(m.out, Query{Target: m.target, SQL: joinText(m.text(m.with), "SELECT * FROM "+m.text(m.source))})
}
