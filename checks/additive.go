package checks

import "strings"

// additive reports whether an expression is made of plain aggregates and numbers
// alone, so that it means the same beside other aggregates. A bare column, a
// window, a subquery, DISTINCT, which a database sorts for, and min and max of
// several values, which are no aggregates in SQLite, are not.
func additive(expression string) bool {
	tokens, err := tokenize(expression)
	if err != nil {
		return false
	}
	depth, found := 0, false
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		called := i+1 < len(tokens) && tokens[i+1] == token{tokenSymbol, "("}
		switch {
		case t.kind == tokenNumber:
		case t == token{tokenSymbol, "("}:
			depth++
		case t == token{tokenSymbol, ")"}:
			depth--
		case t == token{tokenSymbol, ","} && depth > 0:
		case t.kind == tokenSymbol && strings.Contains("+-*/.", t.text):
		case t.kind == tokenWord && called && scalar(t.text):
		case t.kind == tokenWord && called && aggregate(t.text):
			end := closing(tokens, i+1)
			if end < 0 || !plainArgument(tokens[i+2:end]) {
				return false
			}
			i, found = end, true
		default:
			return false
		}
	}
	return found
}

func aggregate(function string) bool {
	switch function {
	case "count", "sum", "avg", "min", "max":
		return true
	}
	return false
}

func scalar(function string) bool {
	switch function {
	case "coalesce", "nullif", "round", "abs":
		return true
	}
	return false
}

// closing returns where the parenthesis that opens at a token is closed, -1 if
// it is not.
func closing(tokens []token, open int) int {
	depth := 0
	for i := open; i < len(tokens); i++ {
		switch tokens[i] {
		case token{tokenSymbol, "("}:
			depth++
		case token{tokenSymbol, ")"}:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// plainArgument reports whether an aggregate's argument is one value of each row.
func plainArgument(tokens []token) bool {
	depth := 0
	for i, t := range tokens {
		called := i+1 < len(tokens) && tokens[i+1] == token{tokenSymbol, "("}
		switch {
		case t == token{tokenSymbol, "("}:
			depth++
		case t == token{tokenSymbol, ")"}:
			depth--
		case t == token{tokenSymbol, ","} && depth == 0:
			return false
		case t.kind == tokenWord && called && aggregate(t.text):
			return false
		case t.kind == tokenWord && (t.text == "select" || t.text == "distinct" || t.text == "all" || t.text == "order" || t.text == "over"):
			return false
		}
	}
	return len(tokens) > 0
}
