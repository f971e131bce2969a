package receipts

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Value is what a receipt may hold: string, bool, int, int64, time.Time,
// []Value, []string or Object. Integers and times are encoded as strings; every
// other type, nil and floats included, is refused by Canonical.
type Value = any

// Object is a receipt's set of named values; a nil Object is encoded as {}.
type Object = map[string]Value

// ErrValue reports a value that has no place in a receipt.
var ErrValue = errors.New("value not allowed in a receipt")

// maxDepth ends the walk of a value that contains itself.
const maxDepth = 64

// Canonical returns the one encoding of v: the bytes RFC 8785 gives for the
// same value with each integer as a decimal string and each time as an
// RFC 3339 string in UTC. It refuses, with ErrValue, other types, the zero time,
// invalid UTF-8, keys that are not in Unicode NFC, and nesting beyond 64.
func Canonical(v Value) ([]byte, error) {
	return appendValue(make([]byte, 0, sizeOf(v, 0)), v, 0)
}

// sizeOf is about as long as the encoding of v, so that it is seldom moved while it
// grows.
func sizeOf(v Value, depth int) int {
	const around = 8 // quotes, comma, some escapes
	size := around
	switch v := v.(type) {
	case string:
		size += len(v)
	case []string:
		for _, item := range v {
			size += around + len(item)
		}
	case []Value:
		for _, item := range v {
			if depth < maxDepth {
				size += sizeOf(item, depth+1)
			}
		}
	case Object:
		for key, member := range v {
			if depth < maxDepth {
				size += around + len(key) + sizeOf(member, depth+1)
			}
		}
	default:
		size += around
	}
	return size
}

func appendValue(dst []byte, v Value, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: nested deeper than %d", ErrValue, maxDepth)
	}
	switch v := v.(type) {
	case string:
		return appendString(dst, v)
	case bool:
		return strconv.AppendBool(dst, v), nil
	case int:
		return appendInt(dst, int64(v)), nil
	case int64:
		return appendInt(dst, v), nil
	case time.Time:
		return appendTime(dst, v)
	case []string:
		return appendArray(dst, v, depth)
	case []Value:
		return appendArray(dst, v, depth)
	case Object:
		return appendObject(dst, v, depth)
	}
	return nil, fmt.Errorf("%w: %T (use string, bool, int, int64, time.Time, []Value, []string or Object)", ErrValue, v)
}

func appendInt(dst []byte, n int64) []byte {
	dst = append(dst, '"')
	dst = strconv.AppendInt(dst, n, 10)
	return append(dst, '"')
}

func appendTime(dst []byte, t time.Time) ([]byte, error) {
	text, err := formatTime(t)
	if err != nil {
		return nil, err
	}
	return appendString(dst, text)
}

// formatTime returns t in UTC; a zero time or a year that RFC 3339 cannot
// write is refused, since a reader would take it for a fact.
func formatTime(t time.Time) (string, error) {
	u := t.UTC()
	if u.IsZero() || u.Year() < 1 || u.Year() > 9999 {
		return "", fmt.Errorf("%w: time %v is unset or out of range", ErrValue, u)
	}
	return u.Format(time.RFC3339Nano), nil
}

func appendArray[T any](dst []byte, items []T, depth int) ([]byte, error) {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendValue(dst, item, depth+1); err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
	}
	return append(dst, ']'), nil
}

func appendObject(dst []byte, o Object, depth int) ([]byte, error) {
	keys, err := sortedKeys(o)
	if err != nil {
		return nil, err
	}
	dst = append(dst, '{')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendString(dst, key); err != nil {
			return nil, fmt.Errorf("key %q: %w", key, err)
		}
		dst = append(dst, ':')
		if dst, err = appendValue(dst, o[key], depth+1); err != nil {
			return nil, fmt.Errorf("key %q: %w", key, err)
		}
	}
	return append(dst, '}'), nil
}

// sortedKeys refuses keys that are not NFC: two keys that look alike must not
// be two keys. Values keep whatever form their source gave them.
func sortedKeys(o Object) ([]string, error) {
	keys := make([]string, 0, len(o))
	for key := range o {
		if !ascii(key) && !norm.NFC.IsNormalString(key) {
			return nil, fmt.Errorf("%w: key %+q is not in Unicode NFC", ErrValue, key)
		}
		keys = append(keys, key)
	}
	slices.SortFunc(keys, compareUTF16)
	return keys, nil
}

// ascii reports whether every byte of s is one of ASCII, which is NFC as it stands.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// compareUTF16 orders by UTF-16 code units, as RFC 8785 asks. It differs from
// byte order only where a supplementary rune meets one of U+E000..U+FFFF.
func compareUTF16(a, b string) int {
	for a != "" && b != "" {
		ra, na := utf8.DecodeRuneInString(a)
		rb, nb := utf8.DecodeRuneInString(b)
		if ra != rb {
			return compareRunes(ra, rb)
		}
		a, b = a[na:], b[nb:]
	}
	return len(a) - len(b)
}

func compareRunes(a, b rune) int {
	aWide, bWide := a > 0xFFFF, b > 0xFFFF
	switch {
	case aWide == bWide:
		return int(a - b)
	case aWide:
		return 0xD800 - int(b)
	default:
		return int(a) - 0xD800
	}
}
