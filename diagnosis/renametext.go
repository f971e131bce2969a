package diagnosis

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"dw/checks"
)

// RenameInMapping returns the text of a YAML file that maps columns with the new
// name of one. Only a value that is the name itself is read as the column; a name
// that stands more than once, or inside other text, is for a person. Every other
// byte stays. ErrNoChangeNeeded says that the file does not name the column.
func RenameInMapping(text []byte, r checks.Rename) ([]byte, error) {
	root, err := parseRoot(text)
	if err != nil {
		return nil, err
	}
	found := scalars(root, r.From)
	switch {
	case len(found) == 0 && wordOf(r.From).Match(withoutComments(text)):
		return nil, fmt.Errorf("column %s stands inside other text; a person must adapt it", r.From)
	case len(found) == 0:
		return nil, fmt.Errorf("%w: the file does not name column %s", ErrNoChangeNeeded, r.From)
	case len(found) > 1:
		return nil, fmt.Errorf("column %s stands in %d places; a person must say which is meant", r.From, len(found))
	case !identifier.MatchString(r.To):
		return nil, fmt.Errorf("the new name %q cannot be written without quotes; a person must adapt it", r.To)
	}
	l := splitLines(text)
	at := found[0]
	line := l.lines[at.Line-1]
	head, rest := line[:at.Column-1], line[at.Column-1:]
	if at.Anchor != "" || !strings.Contains(rest, r.From) {
		return nil, errors.New("the layout of the file is not one that dw can edit")
	}
	l.lines[at.Line-1] = head + strings.Replace(rest, r.From, r.To, 1)
	out := []byte(strings.Join(l.lines, ""))
	if after, err := parseRoot(out); err != nil || len(scalars(after, r.From)) != 0 || len(scalars(after, r.To)) != len(scalars(root, r.To))+1 {
		return nil, errors.New("the layout of the file is not one that dw can edit")
	}
	return out, nil
}

// scalars lists the places where a value, or a key, is a name.
func scalars(n *yaml.Node, name string) []*yaml.Node {
	if n == nil {
		return nil
	}
	var out []*yaml.Node
	if n.Kind == yaml.ScalarNode && n.Value == name {
		out = append(out, n)
	}
	for _, child := range n.Content {
		out = append(out, scalars(child, name)...)
	}
	return out
}

// withoutComments blanks lines that are comments.
func withoutComments(text []byte) []byte {
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			out.WriteString(line)
		}
	}
	return []byte(out.String())
}

// wordOf finds a name that no other character of a name touches.
func wordOf(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|\b)` + regexp.QuoteMeta(name) + `(?:\b|$)`)
}

var (
	selectWord = regexp.MustCompile(`(?i)\bselect\b`)
	itemEnd    = regexp.MustCompile(`(?i)^\s*(?:,|from\b|$)`)
	itemStart  = regexp.MustCompile(`(?i)(?:,|\bselect|\bdistinct)\s*(?:[A-Za-z_][A-Za-z0-9_]*\s*\.\s*)?$`)
)

// RenameInModel returns the text of a model that reads a column under its new
// name and hands it on under the old one, so that its own readers see nothing of
// it. A model of one select is read, comments, quoted text and Jinja aside;
// several selects, a star or another column of the new name are for a person.
// ErrNoChangeNeeded says that the model does not name the column.
func RenameInModel(text []byte, r checks.Rename) ([]byte, error) {
	bare := maskSQL(string(text))
	places := wordOf(r.From).FindAllStringIndex(bare, -1)
	switch {
	case len(places) == 0 && !wordOf(r.From).Match(text):
		return nil, fmt.Errorf("%w: the model does not name column %s", ErrNoChangeNeeded, r.From)
	case len(places) == 0:
		return nil, fmt.Errorf("column %s stands in quoted text or a template only; a person must adapt it", r.From)
	case len(selectWord.FindAllString(bare, -1)) != 1:
		return nil, errors.New("the model has more than one select; a person must say which reads the column")
	case wordOf(r.To).MatchString(bare):
		return nil, fmt.Errorf("the model names %s already; a person must adapt it", r.To)
	case !identifier.MatchString(r.From) || !identifier.MatchString(r.To):
		return nil, errors.New("the names cannot be written without quotes; a person must adapt it")
	}
	var out strings.Builder
	last, items := 0, selectList(bare)
	for _, at := range places {
		out.WriteString(string(text)[last:at[0]] + r.To)
		whole := itemStart.MatchString(bare[:at[0]]) && itemEnd.MatchString(bare[at[1]:])
		if whole && at[0] < items && !inBrackets(bare[:at[0]]) {
			out.WriteString(" as " + r.From)
		}
		last = at[1]
	}
	out.WriteString(string(text)[last:])
	return []byte(out.String()), nil
}

// inBrackets reports whether a bracket is open where text ends.
func inBrackets(text string) bool { return strings.Count(text, "(") > strings.Count(text, ")") }

// selectList is where the list of a single select ends: at its FROM.
func selectList(bare string) int {
	if at := regexp.MustCompile(`(?i)\bfrom\b`).FindStringIndex(bare); at != nil {
		return at[0]
	}
	return len(bare)
}

// maskSQL blanks comments, quoted text and Jinja, each byte by a space, so that
// places in the result are places in the text.
func maskSQL(text string) string {
	var out strings.Builder
	for len(text) > 0 {
		n, keep := sqlToken(text)
		if keep {
			out.WriteString(text[:n])
		} else {
			out.WriteString(strings.Repeat(" ", n))
		}
		text = text[n:]
	}
	return out.String()
}
