package checks

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxIdentifier is the longest identifier that is quoted, in bytes.
const maxIdentifier = 128

// Quote returns an identifier in double quotes, with those inside doubled, as
// DialectSQLite and DialectPostgres read it. Empty names, names over 128
// bytes, NUL and broken UTF-8 are errors.
func Quote(dialect, ident string) (string, error) {
	switch {
	case dialect != DialectSQLite && dialect != DialectPostgres:
		return "", fmt.Errorf("quote an identifier: no such dialect %q", dialect)
	case ident == "":
		return "", errors.New("quote an identifier: it is empty")
	case len(ident) > maxIdentifier:
		return "", fmt.Errorf("quote the identifier %q…: longer than %d bytes", ident[:20], maxIdentifier)
	case strings.ContainsRune(ident, 0):
		return "", fmt.Errorf("quote the identifier %q: it holds a NUL", ident)
	case !utf8.ValidString(ident):
		return "", fmt.Errorf("quote the identifier %q: it is not UTF-8", ident)
	}
	return `"` + strings.ReplaceAll(ident, `"`, `""`) + `"`, nil
}

// SplitName splits a table name as people write it, `orders`, `main.orders` or
// `main."odd.name"`, into its parts without quotes. A double quote inside a
// quoted part is doubled. It is an error where a part is empty or a quote is
// not closed.
func SplitName(name string) ([]string, error) {
	var parts []string
	for rest := name; ; {
		part, after, err := cutPart(rest)
		if err != nil {
			return nil, fmt.Errorf("read the table name %q: %w", name, err)
		}
		parts = append(parts, part)
		if after == "" {
			return parts, nil
		}
		if after[0] != '.' {
			return nil, fmt.Errorf("read the table name %q: expected a dot after %q", name, part)
		}
		rest = after[1:]
	}
}

// cutPart takes one part off the front of a table name.
func cutPart(name string) (part, after string, err error) {
	if !strings.HasPrefix(name, `"`) {
		end := strings.IndexByte(name, '.')
		if end < 0 {
			end = len(name)
		}
		if end == 0 {
			return "", "", errors.New("a part is empty")
		}
		return name[:end], name[end:], nil
	}
	var b strings.Builder
	for i := 1; i < len(name); i++ {
		if name[i] != '"' {
			b.WriteByte(name[i])
			continue
		}
		if i+1 < len(name) && name[i+1] == '"' {
			b.WriteByte('"')
			i++
			continue
		}
		if b.Len() == 0 {
			return "", "", errors.New("a part is empty")
		}
		return b.String(), name[i+1:], nil
	}
	return "", "", errors.New("a quote is not closed")
}

// quotePath quotes the parts of a name and joins them with dots.
func quotePath(dialect string, parts []string) (string, error) {
	quoted := make([]string, len(parts))
	for i, part := range parts {
		q, err := Quote(dialect, part)
		if err != nil {
			return "", err
		}
		quoted[i] = q
	}
	return strings.Join(quoted, "."), nil
}
