package store

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

const sqliteScheme = "sqlite:"

// isPostgres reports whether dsn names a PostgreSQL database.
func isPostgres(dsn string) bool {
	return strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://")
}

// Shown returns what may be printed of dsn: a file's path as it is, of a
// PostgreSQL database its hosts and name without user, password and parameters.
func Shown(dsn string) string {
	if !isPostgres(dsn) {
		return strings.TrimPrefix(dsn, sqliteScheme)
	}
	config, err := postgresConfig(dsn)
	if err != nil {
		return "PostgreSQL"
	}
	return shownConfig(config)
}

// sqlitePath returns the absolute path of the database file that dsn names.
func sqlitePath(dsn string) (string, error) {
	path := strings.TrimPrefix(dsn, sqliteScheme)
	switch {
	case path == "" || path == ":memory:":
		return "", fmt.Errorf("database %q: name a file, receipts must outlive the process", dsn)
	case strings.HasPrefix(path, "file:") || strings.Contains(path, "://"):
		// The rest of it may hold a password.
		return "", fmt.Errorf("database of kind %q is not supported; use a file path, sqlite:PATH or postgres://…",
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
