// Package sqlite reads SQLite files for the checks. A file is opened read-only
// and never made; every statement passes the guard of package checks and runs
// under limits on time, rows and the size of a value.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
)

// Limits of Options whose field is zero.
const (
	DefaultMaxRows = 10_000
	DefaultTimeout = 30 * time.Second
)

// openTimeout bounds the look into a file when it is opened.
const openTimeout = 10 * time.Second

// connections is how many statements run at once.
const connections = 4

// Options are the limits of one connection.
type Options struct {
	MaxRows int           // rows of one answer; 0 is DefaultMaxRows
	Timeout time.Duration // of one statement; 0 is DefaultTimeout
}

// DB is a SQLite file that can only be read. It meets checks.Querier and may be
// used by several goroutines.
type DB struct {
	path string
	opts Options
	pool *sql.DB
}

// Open opens an existing SQLite file for reading, and looks into it to see that
// it is one. The path may hold any characters but NUL. A file that is missing,
// that may not be read or that is not a database is an error that says so.
func Open(path string, opts Options) (*DB, error) {
	if opts.MaxRows < 0 || opts.Timeout < 0 {
		return nil, errors.New("open SQLite file: limits are not negative")
	}
	if opts.MaxRows == 0 {
		opts.MaxRows = DefaultMaxRows
	}
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	absolute, err := existing(path)
	if err != nil {
		return nil, err
	}
	pool, err := sql.Open("sqlite", dsn(absolute))
	if err != nil {
		return nil, fmt.Errorf("open SQLite file %s: %w", path, err)
	}
	pool.SetMaxOpenConns(connections)
	db := &DB{path: absolute, opts: opts, pool: pool}
	ctx, cancel := context.WithTimeout(context.Background(), openTimeout)
	defer cancel()
	if err := db.probe(ctx); err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return db, nil
}

// existing returns the absolute path of a regular file. It only asks for the
// file's status: closing a handle of its own would drop SQLite's locks on it.
func existing(path string) (string, error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return "", fmt.Errorf("open SQLite file: %q is not a path", path)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("open SQLite file %s: %w", path, err)
	}
	info, err := os.Stat(absolute)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("open SQLite file: %s does not exist; correct the path (it is never created): %w", absolute, fs.ErrNotExist)
	case err != nil:
		return "", fmt.Errorf("open SQLite file %s: %w", absolute, err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("open SQLite file: %s is not a regular file", absolute)
	}
	return absolute, nil
}

// dsn returns the URI of a file, opened read-only. Double-quoted text is never a
// string: a wrong column is then an error and not a constant.
func dsn(absolute string) string {
	segments := strings.Split(filepath.ToSlash(absolute), "/")
	for i, segment := range segments {
		segments[i] = url.PathEscape(segment)
	}
	options := url.Values{
		"mode":       {"ro"},
		"_dqs":       {"0"},
		"_defensive": {"1"},
		"_pragma":    {"busy_timeout(5000)", "query_only(1)", "trusted_schema(0)", "cell_size_check(1)"},
	}
	return "file:" + strings.Join(segments, "/") + "?" + options.Encode()
}

// probe reads the catalogue once and sees that the connection refuses to write.
func (db *DB) probe(ctx context.Context) error {
	var tables, queryOnly, trusted int
	err := db.pool.QueryRowContext(ctx,
		"SELECT (SELECT count(*) FROM sqlite_schema), (SELECT query_only FROM pragma_query_only), (SELECT trusted_schema FROM pragma_trusted_schema)").
		Scan(&tables, &queryOnly, &trusted)
	if err != nil {
		return fmt.Errorf("open SQLite file %s: %w", db.path, explain(err))
	}
	if queryOnly != 1 || trusted != 0 {
		return fmt.Errorf("open SQLite file %s: the driver did not make the connection read-only", db.path)
	}
	return nil
}

// Close closes the file. Running statements end first.
func (db *DB) Close() error {
	if err := db.pool.Close(); err != nil {
		return fmt.Errorf("close SQLite file %s: %w", db.path, err)
	}
	return nil
}

// Dialect returns "sqlite".
func (db *DB) Dialect() string { return "sqlite" }

// Result codes of SQLite that are explained to people.
const (
	codeBusy     = 5
	codeReadOnly = 8
	codeCorrupt  = 11
	codeCantOpen = 14
	codeTooBig   = 18
	codeNotADB   = 26
)

// explain adds what to do to the errors that a file's state causes.
func explain(err error) error {
	var coded *sqlite.Error
	if !errors.As(err, &coded) {
		return err
	}
	advice := ""
	switch coded.Code() & 0xff {
	case codeBusy:
		advice = "another process holds it; try again"
	case codeReadOnly:
		advice = "it is opened for reading only"
	case codeCorrupt:
		advice = "the file is damaged; restore it from a copy"
	case codeCantOpen:
		advice = "it cannot be read; check the permissions of the file and of its folder"
	case codeTooBig:
		advice = "a value is too big; select less"
	case codeNotADB:
		advice = "it is not a SQLite database; correct the path"
	default:
		return err
	}
	return fmt.Errorf("%s: %w", advice, err)
}
