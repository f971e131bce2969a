package checks

import (
	"slices"
	"strings"
	"unicode"
)

// Personal reports whether a column's name says that it holds data about a
// person or a secret: "email", "phone_number", "shipAddress", "iban". The values
// of such columns are counted and never shown. A name tells only so much: the
// key private of a check names further columns.
func Personal(column string) bool {
	words := wordsOf(column)
	for i, word := range words {
		switch word {
		case "email", "mail", "phone", "telephone", "mobile", "msisdn", "address", "street", "postcode", "zip",
			"iban", "bic", "ssn", "passport", "birthday", "birthdate", "birth", "dob", "surname", "firstname",
			"lastname", "fullname", "username", "password", "secret", "token", "card", "pan", "cvv", "ip",
			"latitude", "longitude":
			return true
		case "name":
			if i > 0 && slices.Contains([]string{
				"first", "last", "full", "middle", "maiden", "customer", "user",
				"person", "contact", "holder", "guest", "buyer", "patient", "employee", "member",
			}, words[i-1]) {
				return true
			}
		}
	}
	return false
}

// wordsOf splits a column's name at underscores, dashes, spaces, dots, and where
// a capital follows a small letter.
func wordsOf(name string) []string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if unicode.IsUpper(r) && small {
			b.WriteByte(' ')
		}
		small = unicode.IsLower(r)
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// private returns the first of some columns whose values may not be shown.
func (s Spec) private(columns []string) (string, bool) {
	for _, column := range columns {
		named := slices.ContainsFunc(s.Private, func(p string) bool { return strings.EqualFold(p, column) })
		if named || Personal(column) {
			return column, true
		}
	}
	return "", false
}
