package slackdev

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// check looks at one JSON value and notes what is wrong with it.
type check func(f *findings, at string, v any)

// findings collects refusals in Slack's words, and the ids seen on one surface.
type findings struct {
	errors  []string
	ids     map[string]bool
	surface string
	tables  int
	inputs  int

	markdown int // characters of the markdown blocks so far
}

func (f *findings) add(at, format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...)+" [json-pointer:"+at+"]")
}

// field is one key of an object.
type field struct {
	need  bool
	check check
}

func need(c check) field { return field{need: true, check: c} }
func may(c check) field  { return field{check: c} }

// fields are the keys an object may have; any other key is refused.
type fields map[string]field

func (fs fields) check(f *findings, at string, v any) {
	object, ok := v.(map[string]any)
	if !ok {
		f.add(at, "must be a valid object")
		return
	}
	for _, key := range sortedKeys(object) {
		known, ok := fs[key]
		if !ok {
			f.add(at+"/"+key, "unknown field: %s", key)
			continue
		}
		known.check(f, at+"/"+key, object[key])
	}
	for _, key := range sortedKeys(fs) {
		if _, ok := object[key]; fs[key].need && !ok {
			f.add(at, "missing required field: %s", key)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// str is a string of least to most code points.
func str(least, most int) check {
	return func(f *findings, at string, v any) {
		s, ok := v.(string)
		switch n := utf8.RuneCountInString(s); {
		case !ok:
			f.add(at, "must be a string")
		case n < least:
			f.add(at, "must be more than %d characters", least-1)
		case n > most:
			f.add(at, "must be less than %d characters", most+1)
		}
	}
}

func oneOf(words ...string) check {
	return func(f *findings, at string, v any) {
		if s, ok := v.(string); !ok || !slices.Contains(words, s) {
			f.add(at, "must be one of: %s", strings.Join(words, ", "))
		}
	}
}

func boolean(f *findings, at string, v any) {
	if _, ok := v.(bool); !ok {
		f.add(at, "must be a boolean")
	}
}

// whole is an integer from least to most.
func whole(least, most int64) check {
	return func(f *findings, at string, v any) {
		number, _ := v.(json.Number)
		n, err := number.Int64()
		if err != nil || n < least || n > most {
			f.add(at, "must be an integer from %d to %d", least, most)
		}
	}
}

func list(least, most int, item check) check {
	return func(f *findings, at string, v any) {
		items, ok := v.([]any)
		switch {
		case !ok:
			f.add(at, "must be an array")
			return
		case len(items) < least:
			f.add(at, "no fewer than %d items allowed", least)
		case len(items) > most:
			f.add(at, "no more than %d items allowed", most)
			return
		}
		for i, v := range items {
			item(f, fmt.Sprintf("%s/%d", at, i), v)
		}
	}
}

// byType picks the check by the object's "type".
func byType(kinds map[string]check) check {
	return func(f *findings, at string, v any) {
		object, ok := v.(map[string]any)
		if !ok {
			f.add(at, "must be a valid object")
			return
		}
		kind, _ := object["type"].(string)
		c, ok := kinds[kind]
		if !ok {
			f.add(at+"/type", "unsupported type: %s", kind)
			return
		}
		c(f, at, v)
	}
}

// unique is an id of up to 255 characters, used once per surface and key.
func unique(key string) check {
	return func(f *findings, at string, v any) {
		str(1, 255)(f, at, v)
		id, _ := v.(string)
		if f.ids[key+id] {
			f.add(at, "`%s` already exists: %s", key, id)
		}
		f.ids[key+id] = true
	}
}

// text is a text object of one of the kinds, "plain_text" or "mrkdwn".
func text(most int, kinds ...string) check {
	shape := fields{
		"type": need(oneOf(kinds...)), "text": need(str(1, most)), "emoji": may(boolean), "verbatim": may(boolean),
	}
	return func(f *findings, at string, v any) {
		shape.check(f, at, v)
		object, _ := v.(map[string]any)
		_, emoji := object["emoji"]
		_, verbatim := object["verbatim"]
		if emoji && object["type"] == "mrkdwn" {
			f.add(at+"/emoji", "unknown field: emoji")
		}
		if verbatim && object["type"] == "plain_text" {
			f.add(at+"/verbatim", "unknown field: verbatim")
		}
	}
}

func plain(most int) check  { return text(most, "plain_text") }
func either(most int) check { return text(most, "plain_text", "mrkdwn") }

// decodeAny decodes one JSON value, numbers kept as written, and refuses
// anything after it.
func decodeAny(raw []byte) (any, error) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("decode JSON: %w", err)
	}
	if d.More() {
		return nil, fmt.Errorf("decode JSON: more than one value")
	}
	return v, nil
}
