package jira

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// fill puts the values that were asked for into the fields that the issue type
// has, in the form that each wants, and reports every field that stands against
// it. Values are named by the field's id or its name.
func (c *Client) fill(name string, have []field, own, asked map[string]any) (map[string]any, error) {
	out := maps.Clone(own)
	wrong := &FieldsError{Call: System + ": " + name}
	for _, key := range slices.Sorted(maps.Keys(asked)) {
		i := slices.IndexFunc(have, func(f field) bool { return f.ID == key || strings.EqualFold(f.Name, key) })
		if i < 0 {
			wrong.Wrong = append(wrong.Wrong, key+" is not on the create screen")
			continue
		}
		if _, taken := own[have[i].ID]; taken {
			wrong.Wrong = append(wrong.Wrong, have[i].Name+" is set by dw")
			continue
		}
		v, err := c.shape(have[i], asked[key])
		if err != nil {
			wrong.Wrong = append(wrong.Wrong, err.Error())
			continue
		}
		out[have[i].ID] = v
	}
	for _, f := range have {
		if _, set := out[f.ID]; !set && f.Needed && !f.Default && !mentions(asked, f) {
			wrong.Missing = append(wrong.Missing, f.String())
		}
	}
	if len(wrong.Missing)+len(wrong.Wrong) > 0 {
		return nil, wrong
	}
	return out, nil
}

func mentions(asked map[string]any, f field) bool {
	for key := range asked {
		if key == f.ID || strings.EqualFold(key, f.Name) {
			return true
		}
	}
	return false
}

// shape gives a text the form that its field wants; other values are sent as they
// are.
func (c *Client) shape(f field, value any) (any, error) {
	text, ok := value.(string)
	if !ok {
		return value, nil
	}
	if f.Schema.Type != "array" {
		return c.shapeOne(f, f.Schema.Type, text)
	}
	var out []any
	for part := range strings.SplitSeq(text, ",") {
		v, err := c.shapeOne(f, f.Schema.Items, strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (c *Client) shapeOne(f field, kind, text string) (any, error) {
	if choices := f.choices(); len(choices) > 0 {
		i := slices.IndexFunc(choices, func(s string) bool { return strings.EqualFold(s, text) })
		if i < 0 {
			return nil, fmt.Errorf("%s has no value %q", f, text)
		}
		text = choices[i]
	}
	switch kind {
	case "option":
		return map[string]any{"value": text}, nil
	case "priority", "version", "component", "resolution", "group", "securitylevel":
		return map[string]any{"name": text}, nil
	case "user":
		if c.opts.Cloud {
			return map[string]any{"accountId": text}, nil
		}
		return map[string]any{"name": text}, nil
	case "number":
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("%s wants a number, not %q", f, text)
		}
		return n, nil
	}
	if strings.HasSuffix(f.Schema.Custom, ":textarea") {
		return c.rich(Document(Paragraph(Text(text)))), nil
	}
	return text, nil
}

// rich is a document in the form that the server takes.
func (c *Client) rich(d Doc) any {
	if c.opts.Cloud {
		return d
	}
	return d.Wiki()
}
