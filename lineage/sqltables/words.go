package sqltables

import "strings"

// Words are the names and keywords that SQL holds, folded: what is not among them
// the SQL does not name.
func Words(sql, dialect string) map[string]bool {
	out := map[string]bool{}
	for _, t := range tokens(sql, strings.ToLower(dialect)) {
		if t.kind == word || t.kind == quoted {
			out[strings.ToLower(t.text)] = true
		}
	}
	return out
}
