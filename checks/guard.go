package checks

import (
	"fmt"
	"slices"
	"strings"
)

// guardName is the guard that RefusedError names for text that is not one SELECT.
const guardName = "single SELECT"

// Guard reports whether SQL text is a single statement that only reads: it
// begins with SELECT or WITH, nothing follows a semicolon, and no word or
// function in it writes, attaches, loads or configures. Otherwise the error is a
// *RefusedError. It is one fence of several: the connection itself must be
// read-only too.
func Guard(text string) error {
	tokens, err := tokenize(text)
	if err != nil {
		return refuse("%v", err)
	}
	tokens, err = cutSemicolons(tokens)
	if err != nil {
		return err
	}
	if len(tokens) == 0 {
		return refuse("there is no statement")
	}
	first := tokens[0]
	if first.kind != tokenWord || (first.text != "select" && first.text != "with") {
		return refuse("the statement begins with %q; only SELECT and WITH are run", first.text)
	}
	return guardTokens(tokens)
}

// Single returns a statement that has passed Guard without what follows its
// semicolon, so that it can stand inside another; the error is that of Guard.
func Single(text string) (string, error) {
	if err := Guard(text); err != nil {
		return "", err
	}
	for rest := text; rest != ""; {
		t, after, err := nextToken(rest)
		if err != nil {
			return "", err
		}
		if t != nil && *t == (token{tokenSymbol, ";"}) {
			return text[:len(text)-len(rest)], nil
		}
		rest = after
	}
	return text, nil
}

// GuardCondition reports whether text can stand between the parentheses of
// WHERE (…): it may not close them, end the statement, or do what Guard refuses.
func GuardCondition(text string) error {
	tokens, err := tokenize(text)
	if err != nil {
		return refuse("%v", err)
	}
	if len(tokens) == 0 {
		return refuse("the condition is empty")
	}
	if slices.Contains(tokens, token{tokenSymbol, ";"}) {
		return refuse("the condition holds a semicolon")
	}
	return guardTokens(tokens)
}

// cutSemicolons drops semicolons at the end and refuses those elsewhere.
func cutSemicolons(tokens []token) ([]token, error) {
	semicolon := token{tokenSymbol, ";"}
	for len(tokens) > 0 && tokens[len(tokens)-1] == semicolon {
		tokens = tokens[:len(tokens)-1]
	}
	if slices.Contains(tokens, semicolon) {
		return nil, refuse("there is more than one statement")
	}
	return tokens, nil
}

// guardTokens refuses what writes, wherever it stands, and parentheses that do
// not match.
func guardTokens(tokens []token) error {
	depth := 0
	for i, t := range tokens {
		called := i+1 < len(tokens) && tokens[i+1] == token{tokenSymbol, "("}
		column := i > 1 && tokens[i-1] == token{tokenSymbol, "."} && isName(tokens[i-2])
		switch {
		case t == token{tokenSymbol, "("}:
			depth++
		case t == token{tokenSymbol, ")"}:
			depth--
		case t.kind == tokenWord && writes(t.text, called, column):
			return refuse("the word %s is not allowed (quote it if it is a name)", strings.ToUpper(t.text))
		case isName(t) && strings.HasPrefix(t.text, "pragma_"):
			return refuse("the pragma function %s is not allowed", t.text)
		case isName(t) && called && reaches(t.text):
			return refuse("the function %s is not allowed", t.text)
		}
		if depth < 0 {
			return refuse("a parenthesis closes what was not opened")
		}
	}
	if depth != 0 {
		return refuse("a parenthesis is not closed")
	}
	return nil
}

func isName(t token) bool { return t.kind == tokenWord || t.kind == tokenQuoted }

// writes reports whether an unquoted word belongs to a statement that writes or
// configures. replace(…) is an ordinary function, t.release an ordinary column.
func writes(word string, called, column bool) bool {
	switch word {
	case "insert", "update", "delete", "merge", "into", "attach", "detach", "pragma",
		"drop", "create", "alter", "truncate", "vacuum", "reindex", "grant", "revoke", "copy":
		return !column
	case "replace":
		return !called && !column
	}
	return false
}

// reaches reports whether a function acts outside the rows that are read: it
// loads code, touches files, sequences, sessions or settings.
func reaches(function string) bool {
	switch function {
	case "load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "sqlite_dbpage",
		"set_config", "nextval", "setval", "query_to_xml", "table_to_xml", "cursor_to_xml",
		"schema_to_xml", "database_to_xml", "query_to_xmlschema", "query_to_xml_and_xmlschema",
		"txid_current":
		return true
	}
	return strings.HasPrefix(function, "pg_") || strings.HasPrefix(function, "lo_") ||
		strings.HasPrefix(function, "dblink")
}

func refuse(format string, args ...any) *RefusedError {
	return &RefusedError{Guard: guardName, Why: fmt.Sprintf(format, args...)}
}
