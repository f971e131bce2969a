package sqltables

import "slices"

// created is CREATE TABLE name [(columns)] AS query, and the same for views.
func (s statement) created() ([]Query, bool) {
	kind := index(s.tokens, "TABLE", "VIEW")
	as := index(s.tokens, "AS")
	for as >= 0 && !queryAt(s.tokens[as+1:]) {
		next := index(s.tokens[as+1:], "AS")
		if next < 0 {
			return nil, true
		}
		as += 1 + next
	}
	if kind < 0 || as < kind {
		return nil, true
	}
	p := parser{tokens: s.tokens[:as], at: kind + 1, dialect: s.dialect}
	for p.take("IF", "NOT", "EXISTS") {
		continue
	}
	target, _ := p.name()
	q := Query{Target: target, Made: true}
	if p.peek(0).mark("(") {
		q.Columns = firstWords(inside(p.tokens[p.at:]))
	}
	query := s.tokens[as+1:]
	if tail := index(query, "WITH"); tail > 0 {
		query = query[:tail] // WITH NO DATA, WITH CHECK OPTION
	}
	q.SQL = s.text(unwrapped(query))
	return []Query{q}, target != ""
}

// queryAt says that a query begins here, maybe in parentheses.
func queryAt(tokens []token) bool {
	for len(tokens) > 0 && tokens[0].mark("(") {
		tokens = tokens[1:]
	}
	return len(tokens) > 0 && tokens[0].is("SELECT", "WITH")
}

// inside is what stands in the parentheses that the tokens begin with.
func inside(tokens []token) []token {
	end := closing(tokens)
	if end < 2 {
		return nil
	}
	return tokens[1 : end-1]
}

// firstWords are the names in a list of columns, whatever stands behind each.
func firstWords(list []token) []string {
	var out []string
	for _, item := range split(list) {
		if len(item) == 0 {
			continue
		}
		name := item[0].text
		for len(item) > 2 && item[1].mark(".") {
			item = item[2:]
			name = item[0].text
		}
		out = append(out, name)
	}
	return out
}

// inserted is INSERT INTO name [PARTITION (...)] [(columns)] query; with is what
// stood before it.
func (s statement) inserted(with []token) ([]Query, bool) {
	p := parser{tokens: s.tokens, at: 1, dialect: s.dialect}
	for p.take("OR", "REPLACE", "IGNORE", "INTO", "OVERWRITE", "TABLE", "LOW_PRIORITY") {
		continue
	}
	target, isPath := p.name()
	if target == "" || isPath {
		return nil, false
	}
	q := Query{Target: target, ByPosition: true}
	if p.take("PARTITION") && p.peek(0).mark("(") {
		for _, part := range split(inside(p.tokens[p.at:])) {
			if slices.ContainsFunc(part, func(t token) bool { return t.mark("=") }) {
				q.Set++
			}
		}
		p.at += closing(p.tokens[p.at:])
	}
	if p.take("BY") {
		p.take("NAME")
		q.ByPosition = false
	}
	if p.peek(0).mark("(") && !p.startsQuery(0) {
		q.Columns = firstWords(inside(p.tokens[p.at:]))
		q.ByPosition = false
		p.at += closing(p.tokens[p.at:])
	}
	query := p.tokens[p.at:]
	if tail := insertTail(query); tail >= 0 {
		query = query[:tail]
	}
	if len(query) > 0 && query[0].is("VALUES") || s.only(query, "DEFAULT", "VALUES") {
		return nil, index(query, "SELECT") < 0 && !holdsQuery(query)
	}
	if !queryAt(query) {
		return nil, false
	}
	q.SQL = joinText(s.text(with), s.text(unwrapped(query)))
	return []Query{q}, true
}

func (s statement) only(tokens []token, words ...string) bool {
	return len(tokens) == len(words) && slices.IndexFunc(tokens, func(t token) bool { return !t.is(words...) }) < 0
}

func holdsQuery(tokens []token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return t.is("SELECT") })
}

// insertTail is where ON CONFLICT, ON DUPLICATE KEY or RETURNING begins, or -1.
func insertTail(tokens []token) int {
	for from := 0; ; {
		at := index(tokens[from:], "ON", "RETURNING")
		if at < 0 {
			return -1
		}
		at += from
		if tokens[at].is("RETURNING") || at+1 < len(tokens) && tokens[at+1].is("CONFLICT", "DUPLICATE") {
			return at
		}
		from = at + 1
	}
}

func joinText(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
