package store

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed queries
var queryFiles embed.FS

const queryName = "-- name: "

// queries maps a name to the text of one statement.
type queries map[string]string

// loadQueries reads every .sql file of dir; a statement starts at a line
// "-- name: NAME" and ends at the next one.
func loadQueries(files fs.FS, dir string) (queries, error) {
	paths, err := fs.Glob(files, path.Join(dir, "*.sql"))
	if err != nil {
		return nil, fmt.Errorf("list queries in %s: %w", dir, err)
	}
	all := queries{}
	for _, p := range paths {
		text, err := fs.ReadFile(files, p)
		if err != nil {
			return nil, fmt.Errorf("read queries: %w", err)
		}
		if err := all.add(p, string(text)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (q queries) add(file, text string) error {
	before, rest, _ := strings.Cut("\n"+text, "\n"+queryName)
	if strings.TrimSpace(before) != "" {
		return fmt.Errorf("%s: text before the first %q", file, queryName)
	}
	for part := range strings.SplitSeq(rest, "\n"+queryName) {
		name, body, _ := strings.Cut(part, "\n")
		name, body = strings.TrimSpace(name), strings.TrimSpace(body)
		if name == "" || body == "" {
			return fmt.Errorf("%s: query %q has no name or no text", file, name)
		}
		if _, dup := q[name]; dup {
			return fmt.Errorf("%s: query %q is defined twice", file, name)
		}
		q[name] = body
	}
	return nil
}
