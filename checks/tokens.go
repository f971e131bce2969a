package checks

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// tokenKind says what a piece of SQL is.
type tokenKind int

const (
	tokenWord   tokenKind = iota // an unquoted word, lower case
	tokenQuoted                  // a quoted identifier, without its quotes, lower case
	tokenString                  // a string constant
	tokenNumber
	tokenSymbol // one character
)

// token is one piece of SQL.
type token struct {
	kind tokenKind
	text string
}

// tokenize splits SQL into tokens without comments. Where SQLite and PostgreSQL
// would read the same text in two ways (nested comments, escape strings, dollar
// quotes, brackets), it is an error: a guard that reads text otherwise than the
// database does is no guard.
func tokenize(text string) ([]token, error) {
	if strings.ContainsRune(text, 0) {
		return nil, errors.New("the text holds a NUL")
	}
	if !utf8.ValidString(text) {
		return nil, errors.New("the text is not UTF-8")
	}
	var tokens []token
	for rest := text; rest != ""; {
		t, after, err := nextToken(rest)
		if err != nil {
			return nil, err
		}
		if t != nil {
			tokens = append(tokens, *t)
		}
		rest = after
	}
	return tokens, nil
}

// nextToken takes one token, or a space or comment (nil), off the front.
func nextToken(text string) (*token, string, error) {
	c := text[0]
	switch {
	case strings.IndexByte(" \t\r\n\f", c) >= 0:
		return nil, text[1:], nil
	case strings.HasPrefix(text, "--"):
		after, err := afterLine(text)
		return nil, after, err
	case strings.HasPrefix(text, "/*"):
		after, err := afterComment(text)
		return nil, after, err
	case c == '\'':
		return quotedToken(tokenString, text, '\'')
	case c == '"':
		return quotedToken(tokenQuoted, text, '"')
	case c == '`':
		return foreignQuoted(text, '`')
	case c == '[':
		return foreignQuoted(text, ']')
	case c == '$':
		return dollarToken(text)
	case isDigit(c):
		return numberToken(text)
	case isWordByte(c):
		return wordToken(text)
	case c < ' ' || c == 0x7f:
		return nil, "", fmt.Errorf("the text holds the control character %#02x", c)
	}
	return &token{tokenSymbol, text[:1]}, text[1:], nil
}

// afterLine returns what follows a line comment. SQLite ends it at \n alone and
// PostgreSQL at \r too, so a \r elsewhere than before \n is refused.
func afterLine(text string) (string, error) {
	comment, after, _ := strings.Cut(text, "\n")
	if strings.ContainsRune(strings.TrimSuffix(comment, "\r"), '\r') {
		return "", errors.New("a line comment holds a carriage return, which databases read in different ways")
	}
	return after, nil
}

// afterComment returns what follows a block comment.
func afterComment(text string) (string, error) {
	end := strings.Index(text[2:], "*/")
	if end < 0 {
		return "", errors.New("a comment is not closed")
	}
	if strings.Contains(text[2:2+end], "/*") {
		return "", errors.New("a comment holds another, which databases read in different ways")
	}
	return text[2+end+2:], nil
}

// quotedToken reads a string or identifier in which its own quote is doubled.
func quotedToken(kind tokenKind, text string, quote byte) (*token, string, error) {
	for i := 1; i < len(text); i++ {
		if text[i] != quote {
			continue
		}
		if i+1 < len(text) && text[i+1] == quote {
			i++
			continue
		}
		inside := text[1:i]
		if kind == tokenQuoted {
			inside = strings.ToLower(strings.ReplaceAll(inside, `""`, `"`))
		}
		return &token{kind, inside}, text[i+1:], nil
	}
	return nil, "", fmt.Errorf("a %c quote is not closed", quote)
}

// foreignQuoted reads `name` or [name], which quote in SQLite but not in
// PostgreSQL; only plain names are let through, so that both readings are safe.
func foreignQuoted(text string, end byte) (*token, string, error) {
	length := strings.IndexByte(text[1:], end)
	if length < 0 {
		return nil, "", fmt.Errorf("a %c quote is not closed", text[0])
	}
	name := text[1 : 1+length]
	for i := range len(name) {
		if !isWordByte(name[i]) && name[i] != ' ' {
			return nil, "", fmt.Errorf("%c quotes hold more than a plain name; use double quotes", text[0])
		}
	}
	return &token{tokenQuoted, strings.ToLower(name)}, text[length+2:], nil
}

// dollarToken reads the placeholder $1; dollar quotes are refused.
func dollarToken(text string) (*token, string, error) {
	end := 1 + span(text[1:], isDigit)
	if end == 1 || (end < len(text) && (isWordByte(text[end]) || text[end] == '$')) {
		return nil, "", errors.New("dollar quotes are not allowed")
	}
	return &token{tokenSymbol, text[:end]}, text[end:], nil
}

// wordToken reads an unquoted word. A word that runs into a quote (E'…', U&'…')
// changes how the string is read and is refused, except for the blob X'…'.
func wordToken(text string) (*token, string, error) {
	end := span(text, isWordByte)
	word := strings.ToLower(text[:end])
	rest := text[end:]
	if word == "u" && strings.HasPrefix(rest, "&") {
		return nil, "", errors.New("strings of the form U&'…' are not allowed")
	}
	if word != "x" && strings.HasPrefix(rest, "'") {
		return nil, "", fmt.Errorf("the string after %q has no space before it; escape strings are not allowed", word)
	}
	return &token{tokenWord, word}, rest, nil
}

// numberToken reads a number. PostgreSQL before 15 reads "1into" as two words,
// so letters that are no part of a number are refused.
func numberToken(text string) (*token, string, error) {
	end := span(text, isWordByte)
	number := strings.ToLower(text[:end])
	digits := strings.TrimLeft(number, "0123456789_")
	if hex, ok := strings.CutPrefix(number, "0x"); ok {
		digits = strings.TrimLeft(hex, "0123456789abcdef_")
	} else if exponent, ok := strings.CutPrefix(digits, "e"); ok {
		digits = strings.TrimLeft(exponent, "0123456789")
	}
	if digits != "" {
		return nil, "", fmt.Errorf("%q is not a number; put a space after it", text[:end])
	}
	return &token{tokenNumber, number}, text[end:], nil
}

// span counts the bytes at the front that satisfy is.
func span(text string, is func(byte) bool) int {
	for i := range len(text) {
		if !is(text[i]) {
			return i
		}
	}
	return len(text)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordByte(c byte) bool {
	return isDigit(c) || c == '_' || c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
}
