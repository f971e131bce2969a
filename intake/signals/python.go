package signals

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// pythonDict is a JSON object in the order of its text, as Python keeps it: a
// key that stands twice has its first place and its last value.
type pythonDict struct {
	keys   []string
	values map[string]any
}

// deepest bounds how deep JSON may nest.
const deepest = 64

// pythonValue reads one JSON value as json.loads does.
func pythonValue(dec *json.Decoder, depth int) (any, error) {
	if depth > deepest {
		return nil, errors.New("the JSON nests too deep")
	}
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return pythonObject(dec, depth)
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			value, err := pythonValue(dec, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := dec.Token()
		return list, err
	}
	return token, nil
}

func pythonObject(dec *json.Decoder, depth int) (any, error) {
	object := pythonDict{values: map[string]any{}}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key := fmt.Sprint(token) // the keys of an object are strings, else Token fails
		value, err := pythonValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		if _, known := object.values[key]; !known {
			object.keys = append(object.keys, key)
		}
		object.values[key] = value
	}
	_, err := dec.Token()
	return object, err
}

// pythonStr is str(value): a text is itself, anything else is its repr.
func pythonStr(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	return pythonRepr(value)
}

// pythonRepr is repr(value).
func pythonRepr(value any) string {
	switch v := value.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case json.Number:
		return pythonNumber(string(v))
	case string:
		return pythonQuoted(v)
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = pythonRepr(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case pythonDict:
		parts := make([]string, len(v.keys))
		for i, key := range v.keys {
			parts[i] = pythonQuoted(key) + ": " + pythonRepr(v.values[key])
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return ""
}

// pythonNumber is repr of a JSON number: without point and exponent it is a whole
// number, else a float, written short and with an exponent from 1e16 on and
// below 1e-4.
func pythonNumber(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		if text == "-0" {
			return "0"
		}
		return text
	}
	f, _ := strconv.ParseFloat(text, 64) // out of range is infinite, as in Python
	if math.IsInf(f, 0) {
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+"))
	}
	if size := math.Abs(f); f != 0 && (size >= 1e16 || size < 1e-4) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	short := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(short, ".") {
		short += ".0"
	}
	return short
}

// pythonQuoted is repr of a text.
func pythonQuoted(s string) string {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	var b strings.Builder
	b.WriteRune(quote)
	for _, r := range s {
		switch {
		case r == quote || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteRune(quote)
	return b.String()
}
