package store

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

const sqliteScheme = "sqlite:"

// ErrNotBuilt says that this binary cannot use the kind of database asked for.
var ErrNotBuilt = errors.New("not built yet")

// sqlitePath returns the absolute path of the database file that dsn names.
func sqlitePath(dsn string) (string, error) {
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		// The DSN may hold a password, so the message does not repeat it.
		return "", fmt.Errorf("PostgreSQL store: %w; use a SQLite file such as dw.db", ErrNotBuilt)
	}
	path := strings.TrimPrefix(dsn, sqliteScheme)
	switch {
	case path == "" || path == ":memory:":
		return "", fmt.Errorf("database %q: name a file, receipts must outlive the process", dsn)
	case strings.HasPrefix(path, "file:") || strings.Contains(path, "://"):
		return "", fmt.Errorf("database of kind %q is not supported; use a file path or sqlite:PATH",
			path[:strings.Index(path, ":")])
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("resolve database path %s: %w", path, err)
	}
	return abs, nil
}

// sqliteURI returns the name under which the driver opens path with the given
// parameters and pragmas. A "file:" URI is the only form in which SQLite itself
// reads parameters such as mode.
func sqliteURI(path string, parameters []string, pragmas []pragma) string {
	all := make([]string, 0, len(parameters)+len(pragmas))
	all = append(all, parameters...)
	for _, p := range pragmas {
		all = append(all, "_pragma="+url.QueryEscape(p.name+"("+p.set+")"))
	}
	escaped := (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
	return "file:" + escaped + "?" + strings.Join(all, "&")
}
