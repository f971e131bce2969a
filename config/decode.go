package config

import (
	"fmt"
	"reflect"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// decoder fills values from a YAML tree, remembers where each key stands, and
// collects every problem instead of stopping at the first.
type decoder struct {
	file     string
	getenv   func(string) (string, bool)
	readFile func(string) ([]byte, error)
	at       map[string]*yaml.Node
	problems Problems
}

var (
	envPattern   = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	durationType = reflect.TypeFor[Duration]()
	secretType   = reflect.TypeFor[Secret]()
)

func (d *decoder) fail(n *yaml.Node, key, format string, args ...any) {
	d.problems = append(d.problems, Problem{File: d.file, Line: n.Line, Column: n.Column, Key: key, What: fmt.Sprintf(format, args...)})
}

// value decodes one node into v; key is the path so far.
func (d *decoder) value(n *yaml.Node, v reflect.Value, key string) {
	if n.Kind == yaml.AliasNode {
		d.fail(n, key, "YAML aliases are not supported; write the value out")
		return
	}
	d.at[key] = n
	if n.Tag == "!!null" {
		return
	}
	switch {
	case v.Type() == durationType, v.Type() == secretType:
		d.scalar(n, v, key)
	case v.Kind() == reflect.Struct:
		d.object(n, v, key)
	case v.Kind() == reflect.Slice:
		d.list(n, v, key)
	case v.Kind() == reflect.Map:
		d.table(n, v, key)
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(n, v.Elem(), key)
	default:
		d.scalar(n, v, key)
	}
}

func (d *decoder) object(n *yaml.Node, v reflect.Value, key string) {
	if n.Kind != yaml.MappingNode {
		d.fail(n, key, "must be a block of keys, is %s", kindName(n))
		return
	}
	fields := fieldsOf(v.Type())
	for name, value := range d.pairs(n, key) {
		index, ok := fields[name]
		if secret, found := strings.CutSuffix(name, "_file"); !ok && found {
			if i, is := fields[secret]; is && v.Field(i).Type() == secretType {
				d.secretFile(value, v.Field(i), join(key, name))
				continue
			}
		}
		if !ok {
			d.fail(value.key, join(key, name), "unknown key%s", suggestion(fields))
			continue
		}
		d.value(value.node, v.Field(index), join(key, name))
	}
}

type pair struct{ key, node *yaml.Node }

// pairs yields a mapping's entries in the order of the file and refuses
// repeated keys.
func (d *decoder) pairs(n *yaml.Node, key string) func(func(string, pair) bool) {
	return func(yield func(string, pair) bool) {
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, value := n.Content[i], n.Content[i+1]
			if k.Kind != yaml.ScalarNode || k.Tag == "!!merge" {
				d.fail(k, key, "keys must be plain text")
				continue
			}
			if seen[k.Value] {
				d.fail(k, join(key, k.Value), "stands here twice")
				continue
			}
			seen[k.Value] = true
			if !yield(k.Value, pair{k, value}) {
				return
			}
		}
	}
}

func (d *decoder) list(n *yaml.Node, v reflect.Value, key string) {
	if n.Kind != yaml.SequenceNode {
		d.fail(n, key, "must be a list, is %s", kindName(n))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, item := range n.Content {
		d.value(item, v.Index(i), fmt.Sprintf("%s[%d]", key, i))
	}
}

func (d *decoder) table(n *yaml.Node, v reflect.Value, key string) {
	if n.Kind != yaml.MappingNode {
		d.fail(n, key, "must be a block of names, is %s", kindName(n))
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for name, value := range d.pairs(n, key) {
		item := reflect.New(v.Type().Elem()).Elem()
		d.value(value.node, item, join(key, name))
		v.SetMapIndex(reflect.ValueOf(name), item)
	}
}

func (d *decoder) scalar(n *yaml.Node, v reflect.Value, key string) {
	if n.Kind != yaml.ScalarNode {
		d.fail(n, key, "must be a single value, is %s", kindName(n))
		return
	}
	text, ok := d.expand(n, key)
	if !ok {
		return
	}
	if err := assign(v, text); err != nil {
		d.fail(n, key, "%v", err)
	}
}

// expand replaces ${NAME} by the environment; an unset name is a problem.
func (d *decoder) expand(n *yaml.Node, key string) (string, bool) {
	ok := true
	text := envPattern.ReplaceAllStringFunc(n.Value, func(match string) string {
		name := envPattern.FindStringSubmatch(match)[1]
		value, set := d.getenv(name)
		if !set || value == "" {
			d.fail(n, key, "environment variable %s is not set", name)
			ok = false
		}
		return value
	})
	return text, ok
}

func (d *decoder) secretFile(value pair, v reflect.Value, key string) {
	d.at[key] = value.node
	path, ok := d.expand(value.node, key)
	if !ok {
		return
	}
	content, err := d.readFile(path)
	if err != nil {
		d.fail(value.node, key, "cannot read the secret: %v", err)
		return
	}
	v.Set(reflect.ValueOf(NewSecret(strings.TrimSpace(string(content)))))
}

func assign(v reflect.Value, text string) error {
	switch {
	case v.Type() == secretType:
		v.Set(reflect.ValueOf(NewSecret(text)))
	case v.Type() == durationType:
		span, err := parseDuration(text)
		if err != nil {
			return err
		}
		v.SetInt(int64(span))
	case v.Kind() == reflect.String:
		v.SetString(text)
	case v.Kind() == reflect.Bool:
		return assignBool(v, text)
	case v.Kind() == reflect.Int:
		return assignInt(v, text)
	case v.Kind() == reflect.Float64:
		return assignFloat(v, text)
	default:
		return fmt.Errorf("no way to read a %s", v.Type())
	}
	return nil
}

func assignBool(v reflect.Value, text string) error {
	value, err := strconv.ParseBool(text)
	if err != nil {
		return fmt.Errorf("%q is neither true nor false", text)
	}
	v.SetBool(value)
	return nil
}

func assignInt(v reflect.Value, text string) error {
	value, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("%q is no whole number", text)
	}
	v.SetInt(int64(value))
	return nil
}

func assignFloat(v reflect.Value, text string) error {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("%q is no number", text)
	}
	v.SetFloat(value)
	return nil
}

// fieldsOf maps YAML names to field indexes.
func fieldsOf(t reflect.Type) map[string]int {
	fields := map[string]int{}
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name != "" && name != "-" {
			fields[name] = i
		}
	}
	return fields
}

func suggestion(fields map[string]int) string {
	known := make([]string, 0, len(fields))
	for field := range fields {
		known = append(known, field)
	}
	sort.Strings(known)
	return "; known here: " + strings.Join(known, ", ")
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a block of keys"
	case yaml.SequenceNode:
		return "a list"
	default:
		return "a single value"
	}
}

func join(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}
