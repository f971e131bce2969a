package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"dw/receipts"

	"github.com/riverqueue/river"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// The points at which Options.Crash is called.
const (
	CrashBeforeCommit = "before_commit"
	CrashAfterCommit  = "after_commit"
)

const (
	readers            = 4
	defaultKeepResults = 500
	defaultMaxAttempts = 500
)

// Options say how a store is used.
type Options struct {
	// Instance names this dw in its receipts; a database belongs to one.
	Instance string
	// Signer signs checkpoints; without one WriteCheckpoint is refused.
	Signer *receipts.Signer
	// Log takes what an operator should know; nil discards it.
	Log *slog.Logger
	// KeepResults is how many results of one check are kept; 0 means 500.
	KeepResults int
	// MaxAttempts is how often an effect is tried before it is given up; 0
	// means 500, which is more than a day at five minutes each.
	MaxAttempts int
	// Crash is called at the named points of each Update, so that a test can
	// end the process there. It is nil in production.
	Crash func(point string)
}

// DB is a store on one SQLite file: one connection that writes, a few that
// read. It is safe for concurrent use.
type DB struct {
	write    *sql.DB // nil where opened for reading only
	read     *sql.DB
	sql      queries
	queue    *river.Client[*sql.Tx]
	instance string
	opts     Options
}

// Open opens the database that dsn names, a file path or sqlite:PATH, makes it
// with mode 0600 if there is none, and migrates it. It fails with ErrNotBuilt
// for a PostgreSQL DSN, with ErrNewerSchema for a database of a newer dw, and
// when SQLite or its settings are not those that receipts need.
func Open(ctx context.Context, dsn string, o Options) (*DB, error) {
	path, err := sqlitePath(dsn)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := receipts.CheckInstance(o.Instance); err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	if s := o.Signer; s != nil && !strings.HasPrefix(s.VerifierKey(), "dw/"+o.Instance+"+") {
		return nil, fmt.Errorf("open store %s: the signing key %s is not instance %q's; "+
			"every checkpoint would name another dw", path, s, o.Instance)
	}
	db := &DB{instance: o.Instance, opts: o.withDefaults()}
	if err := db.open(ctx, path); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), db.Close())
	}
	return db, nil
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.KeepResults <= 0 {
		o.KeepResults = defaultKeepResults
	}
	if o.MaxAttempts <= 0 {
		o.MaxAttempts = defaultMaxAttempts
	}
	return o
}

func (db *DB) open(ctx context.Context, path string) error {
	if err := guardFile(ctx, path, db.opts.Log); err != nil {
		return err
	}
	if err := db.openWriter(ctx, path); err != nil {
		return err
	}
	if err := migrate(ctx, db.write, db.opts.Log); err != nil {
		return err
	}
	var err error
	if db.queue, err = newQueue(db.write, db.opts); err != nil {
		return err
	}
	if err := db.openReaders(ctx, path); err != nil {
		return err
	}
	return db.claimInstance(ctx)
}

// guardFile makes an empty file that only its owner can read, or takes the
// others' rights away from an existing one. It never opens an existing
// database: closing it again would drop every POSIX lock that SQLite holds on
// it in this process.
func guardFile(ctx context.Context, path string, log *slog.Logger) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		return f.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make the database file: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("look at the database file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	log.WarnContext(ctx, "others could read the database; took their rights away",
		"file", path, "mode", fmt.Sprintf("%04o", info.Mode().Perm()))
	if err := os.Chmod(path, 0o600); err != nil {
		return fmt.Errorf("others can read the database and its mode cannot be changed: %w", err)
	}
	return nil
}

func (db *DB) openWriter(ctx context.Context, path string) error {
	var err error
	db.write, err = sql.Open("sqlite", sqliteURI(path, []string{"mode=rw", "_txlock=immediate"}, writerPragmas()))
	if err != nil {
		return fmt.Errorf("open for writing: %w", err)
	}
	db.write.SetMaxOpenConns(1)
	if err := checkVersion(ctx, db.write); err != nil {
		return err
	}
	return checkPragmas(ctx, db.write, writerPragmas())
}

func (db *DB) openReaders(ctx context.Context, path string, parameters ...string) error {
	parameters = append([]string{"mode=ro", "_txlock=deferred"}, parameters...)
	var err error
	if db.read, err = sql.Open("sqlite", sqliteURI(path, parameters, readerPragmas())); err != nil {
		return fmt.Errorf("open for reading: %w", err)
	}
	db.read.SetMaxOpenConns(readers)
	db.read.SetMaxIdleConns(readers)
	if db.sql, err = loadQueries(sqliteQueries, "queries/sqlite"); err != nil {
		return err
	}
	return checkPragmas(ctx, db.read, readerPragmas())
}

// OpenReadOnly opens the database that dsn names for reading; Update and
// WriteCheckpoint are refused. The file is neither made nor migrated; SQLite may
// leave an empty -wal and a -shm file beside it, which are safe to delete when
// nobody has the database open.
func OpenReadOnly(ctx context.Context, dsn string) (*DB, error) {
	path, err := sqlitePath(dsn)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	db := &DB{opts: Options{}.withDefaults()}
	if err := db.openReadOnly(ctx, path, sealedParameters(path)...); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), db.Close())
	}
	return db, nil
}

func (db *DB) openReadOnly(ctx context.Context, path string, parameters ...string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("look at the database file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	if err := db.openReaders(ctx, path, parameters...); err != nil {
		return err
	}
	if err := checkVersion(ctx, db.read); err != nil {
		return err
	}
	if err := checkSchema(ctx, db.read); err != nil {
		return err
	}
	db.instance, err = readMeta(ctx, db.read, db.sql, metaInstance)
	return err
}

// sealedParameters lets a copy in a read-only folder be read: SQLite cannot
// make its shared-memory file there. Without a WAL beside it nobody writes it.
func sealedParameters(path string) []string {
	_, walErr := os.Stat(path + "-wal")
	info, err := os.Stat(filepath.Dir(path))
	if err == nil && errors.Is(walErr, fs.ErrNotExist) && info.Mode().Perm()&0o222 == 0 {
		return []string{"immutable=1"}
	}
	return nil
}

// Instance returns the name of the dw whose database this is.
func (db *DB) Instance() string { return db.instance }

// Writer returns the connection that writes, for the queue's workers to share;
// nil where the store was opened for reading only. It belongs to the store.
func (db *DB) Writer() *sql.DB { return db.write }

// Close closes all connections; transactions under way end first.
func (db *DB) Close() error {
	var err error
	if db.read != nil {
		err = db.read.Close()
	}
	if db.write != nil {
		// Last, so that it folds the WAL into the file.
		err = errors.Join(err, db.write.Close())
	}
	return err
}
