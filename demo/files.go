package demo

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed assets/*.tmpl
var assets embed.FS

// fill fills a template of the story's files with the names in force. In a
// template, n is a name as it is, q quotes a text put together from names and
// other parts, lit quotes a text as it stands.
func fill(name string, names Names, data any) ([]byte, error) {
	join := func(parts []string) string {
		for i, part := range parts {
			if shown, known := names[part]; known {
				parts[i] = shown
			}
		}
		return strings.Join(parts, "")
	}
	functions := template.FuncMap{
		"n":     func(name string) string { return names[name] },
		"q":     func(parts ...string) (string, error) { return quoted(join(parts)) },
		"lit":   quoted,
		"harm":  func() (string, error) { return quoted(harmQuery(names)) },
		"today": func() (string, error) { return quoted(todayCondition(names)) },
	}
	t, err := template.New(name).Funcs(functions).Option("missingkey=error").ParseFS(assets, "assets/"+name)
	if err != nil {
		return nil, fmt.Errorf("read the template %s: %w", name, err)
	}
	var out bytes.Buffer
	if err := t.ExecuteTemplate(&out, name, data); err != nil {
		return nil, fmt.Errorf("fill the template %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// harmQuery counts whose money is missing: the organizers of records that never
// became rows.
func harmQuery(n Names) string {
	return "select count(distinct json_extract(cast(value as text), '$.organizer_id')) from " + sqlName(n[tableDead])
}

// todayCondition keeps checks of rows to the newest day.
func todayCondition(n Names) string {
	return "ordered_at >= (select date(max(ordered_at)) from " + sqlName(n[tableOrders]) + ")"
}
