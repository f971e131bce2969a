package sqltables

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a token is.
type kind int

const (
	word   kind = iota // a keyword or an unquoted name
	quoted             // a quoted name, without its quotes
	text               // a string literal, without its quotes
	mark               // one character of punctuation
)

type token struct {
	kind       kind
	text       string
	up         string // upper case, of words only
	start, end int    // its place in the SQL, in bytes
}

// is reports whether the token is one of the keywords.
func (t token) is(keywords ...string) bool {
	return t.kind == word && slices.Contains(keywords, t.up)
}

func (t token) mark(m string) bool { return t.kind == mark && t.text == m }

// scanner cuts SQL into tokens without knowing its grammar.
type scanner struct {
	sql     string
	at      int
	dialect string
}

func tokens(sql, dialect string) []token {
	s := scanner{sql: sql, dialect: dialect}
	var out []token
	for s.at < len(s.sql) {
		start := s.at
		if t, ok := s.next(); ok {
			t.start, t.end = start, s.at
			out = append(out, t)
		}
	}
	return out
}

func (s *scanner) rest() string { return s.sql[s.at:] }

// next takes one token, or passes over what is none.
func (s *scanner) next() (token, bool) {
	rest := s.rest()
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case unicode.IsSpace(r):
		s.at += size
	case strings.HasPrefix(rest, "--"), r == '#' && s.hashComments():
		s.until("\n", 1)
	case strings.HasPrefix(rest, "/*"):
		s.until("*/", 2)
	case r == '\'':
		return token{kind: text, text: s.delimited('\'', s.backslashes())}, true
	case r == '"':
		if s.doubleQuotedText() {
			return token{kind: text, text: s.delimited('"', true)}, true
		}
		return token{kind: quoted, text: s.delimited('"', false)}, true
	case r == '`':
		return token{kind: quoted, text: s.delimited('`', false)}, true
	case r == '[' && s.brackets():
		return token{kind: quoted, text: s.delimited(']', false)}, true
	case r == '$' && s.dollarTag() != "":
		return token{kind: text, text: s.dollar()}, true
	case nameRune(r):
		return s.word(), true
	default:
		s.at += size
		return token{kind: mark, text: string(r)}, true
	}
	return token{}, false
}

// until passes over what goes up to end, end included.
func (s *scanner) until(end string, from int) {
	if i := strings.Index(s.rest()[min(from, len(s.rest())):], end); i >= 0 {
		s.at += from + i + len(end)
		return
	}
	s.at = len(s.sql)
}

// delimited reads what stands in quotes; a doubled quote stands for one.
func (s *scanner) delimited(quote byte, backslash bool) string {
	var out strings.Builder
	for i := s.at + 1; i < len(s.sql); i++ {
		c := s.sql[i]
		switch {
		case c == '\\' && backslash && i+1 < len(s.sql):
			i++
			out.WriteByte(s.sql[i])
		case c == quote && i+1 < len(s.sql) && s.sql[i+1] == quote && quote != ']':
			i++
			out.WriteByte(quote)
		case c == quote:
			s.at = i + 1
			return out.String()
		default:
			out.WriteByte(c)
		}
	}
	s.at = len(s.sql)
	return out.String()
}

// dollarTag returns the opening $tag$, or "" where there is none.
func (s *scanner) dollarTag() string {
	rest := s.rest()
	end := strings.IndexByte(rest[1:], '$')
	if end < 0 {
		return ""
	}
	for _, r := range rest[1 : 1+end] {
		if !nameRune(r) {
			return ""
		}
	}
	return rest[:end+2]
}

func (s *scanner) dollar() string {
	tag := s.dollarTag()
	body := s.rest()[len(tag):]
	before, _, found := strings.Cut(body, tag)
	if !found {
		s.at = len(s.sql)
		return body
	}
	s.at += len(before) + 2*len(tag)
	return before
}

// word reads a name or a number. BigQuery's projects may have dashes.
func (s *scanner) word() token {
	start := s.at
	for s.at < len(s.sql) {
		r, size := utf8.DecodeRuneInString(s.rest())
		if inside := r == '$' && s.at > start; !nameRune(r) && !inside && !s.dash(start) {
			break
		}
		s.at += size
	}
	w := s.sql[start:s.at]
	return token{kind: word, text: w, up: strings.ToUpper(w)}
}

// dash says that a dash between letters belongs to a name, not to a difference:
// there is a dot behind the name.
func (s *scanner) dash(start int) bool {
	if s.dialect != "bigquery" || s.sql[s.at] != '-' || s.at == start {
		return false
	}
	for _, r := range s.rest()[1:] {
		if r == '.' {
			return true
		}
		if !nameRune(r) && r != '-' {
			return false
		}
	}
	return false
}

func nameRune(r rune) bool {
	return r == '_' || r == '@' || unicode.IsLetter(r) || unicode.IsDigit(r) || (r > 0x7f && r != utf8.RuneError && !unicode.IsSpace(r))
}

func (s *scanner) is(dialects ...string) bool {
	return slices.Contains(dialects, s.dialect)
}

func (s *scanner) hashComments() bool {
	return s.is("bigquery", "mysql", "mariadb", "starrocks", "clickhouse")
}

func (s *scanner) brackets() bool { return s.is("tsql", "sqlite", "fabric") }

// backslashes says that a backslash in a string escapes what follows it.
func (s *scanner) backslashes() bool {
	return s.is("bigquery", "mysql", "mariadb", "starrocks", "hive", "sparksql", "spark", "databricks", "snowflake", "clickhouse")
}

func (s *scanner) doubleQuotedText() bool {
	return s.is("bigquery", "mysql", "mariadb", "starrocks", "hive", "sparksql", "spark", "databricks")
}
