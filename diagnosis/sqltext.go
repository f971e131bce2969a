package diagnosis

import (
	"errors"
	"strings"
)

// queryStart returns the start of the line on which the query of a model begins:
// after blank lines, comments, a config() call and leading Jinja statements.
func queryStart(text string) (int, error) {
	at := 0
	for {
		rest := strings.TrimLeft(text[at:], " \t\r\n")
		at = len(text) - len(rest)
		end, err := headEnd(rest)
		if err != nil {
			return 0, err
		}
		if end == 0 {
			break
		}
		at += end
	}
	line := strings.LastIndex(text[:at], "\n") + 1
	if strings.TrimSpace(text[line:at]) != "" {
		return 0, errors.New("the model's query begins on a line with something else")
	}
	return line, nil
}

// headEnd returns the length of what stands at the start of rest and is not yet
// the query, 0 where the query begins.
func headEnd(rest string) (int, error) {
	closing := ""
	switch {
	case strings.HasPrefix(rest, "--"):
		closing = "\n"
	case strings.HasPrefix(rest, "/*"):
		closing = "*/"
	case strings.HasPrefix(rest, "{#"):
		closing = "#}"
	case strings.HasPrefix(rest, "{%"):
		closing = "%}"
	case configCall.MatchString(rest):
		closing = "}}"
	default:
		return 0, nil
	}
	end := strings.Index(rest, closing)
	if end < 0 {
		return 0, errors.New("the head of the model does not end")
	}
	return end + len(closing), nil
}

// stripSQL blanks comments, quoted text and Jinja expressions, so that words and
// brackets can be looked for.
func stripSQL(text string) string {
	var out strings.Builder
	for len(text) > 0 {
		n, keep := sqlToken(text)
		if keep {
			out.WriteString(text[:n])
		} else {
			out.WriteString(" ")
		}
		text = text[n:]
	}
	return out.String()
}

// sqlToken returns the length of what stands at the start of text, and whether
// it is plain SQL.
func sqlToken(text string) (int, bool) {
	pairs := []struct{ open, closing string }{
		{"--", "\n"}, {"/*", "*/"}, {"{#", "#}"}, {"{{", "}}"}, {"'", "'"}, {`"`, `"`}, {"`", "`"},
	}
	for _, p := range pairs {
		if !strings.HasPrefix(text, p.open) {
			continue
		}
		end := strings.Index(text[len(p.open):], p.closing)
		if end < 0 {
			return len(text), false
		}
		return len(p.open) + end + len(p.closing), false
	}
	return 1, true
}

// finalSelect drops everything inside brackets: what is left of a query with
// parts is its final select.
func finalSelect(bare string) string {
	var out strings.Builder
	depth := 0
	for _, r := range bare {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case depth <= 0:
			out.WriteRune(r)
		}
	}
	return out.String()
}
