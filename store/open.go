package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"dw/receipts"

	"github.com/riverqueue/river"
)

// The points at which Options.Crash is called.
const (
	CrashBeforeCommit = "before_commit"
	CrashAfterCommit  = "after_commit"
	// CrashInMigration is after dw's own tables and before the queue's.
	CrashInMigration = "in_migration"
)

const (
	defaultKeepResults = 500
	defaultMaxAttempts = 500
	defaultLockWait    = 5 * time.Second
)

// Options say how a store is used.
type Options struct {
	// Instance names this dw in its receipts; a database belongs to one.
	Instance string
	// Signer signs checkpoints; without one WriteCheckpoint is refused.
	Signer *receipts.Signer
	// SignerNow gives the key with which an update signs the log in its own transaction
	// where it appends a receipt of which a person is the actor. Where that fails the
	// update stands unsigned, and Log takes the error. Nil: no update signs.
	SignerNow func() (receipts.Signer, error)
	// Redactor takes secrets out of receipts; nil knows the patterns alone.
	Redactor *receipts.Redactor
	// Rand gives the salts of free texts; nil means crypto/rand's Reader.
	Rand io.Reader
	// Log takes what an operator should know; nil discards it.
	Log *slog.Logger
	// KeepResults is how many results of one check are kept; 0 means 500.
	KeepResults int
	// MaxAttempts is how often an effect is tried before it is given up; 0
	// means 500, which is more than a day at five minutes each.
	MaxAttempts int
	// LockWait is how long an update waits for another process that holds the
	// SQLite database locked before it fails and nothing is changed; 0 means 5 s,
	// which is more than Slack waits for an answer.
	LockWait time.Duration
	// Crash is called at the named points of each commit and of a migration, so that a test can
	// end the process there. It is nil in production.
	Crash func(point string)
}

// DB is a store on one database. It is safe for concurrent use.
type DB struct {
	write    *sql.DB // nil where opened for reading only
	read     *sql.DB
	writes   *statements // nil on PostgreSQL
	reads    *statements // nil on PostgreSQL
	line     line        // of the updates, on SQLite
	probe    string      // how to ask for the lock of SQLite, empty elsewhere and where nothing is written
	sql      queries
	queue    *river.Client[*sql.Tx]
	server   *server // nil on SQLite
	claims   *sql.DB // nil on SQLite
	instance string
	opts     Options
	signer   atomic.Pointer[receipts.Signer] // nil: checkpoints are refused
}

// database is where a store can be opened; its text may be printed.
type database interface {
	fmt.Stringer
	open(ctx context.Context, db *DB) error
	openReadOnly(ctx context.Context, db *DB) error
}

func databaseOf(dsn string) (database, error) {
	if isPostgres(dsn) {
		return newServer(dsn)
	}
	path, err := sqlitePath(dsn)
	return sqliteFile(path), err
}

// Open opens the database that dsn names and migrates it: a file path or
// sqlite:PATH, made with mode 0600 if there is none, or a postgres:// URL of a
// database that exists. It fails with ErrNewerSchema for a database of a newer
// dw, and when the database or its settings are not those that receipts need. No
// error repeats a DSN that may hold a password.
func Open(ctx context.Context, dsn string, o Options) (*DB, error) {
	at, err := databaseOf(dsn)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := receipts.CheckInstance(o.Instance); err != nil {
		return nil, fmt.Errorf("open store %s: %w", at, err)
	}
	if s := o.Signer; s != nil && !strings.HasPrefix(s.VerifierKey(), "dw/"+o.Instance+"+") {
		return nil, fmt.Errorf("open store %s: the signing key %s is not instance %q's; "+
			"every checkpoint would name another dw", at, s, o.Instance)
	}
	db := &DB{instance: o.Instance, opts: o.withDefaults()}
	db.signer.Store(o.Signer)
	if err := at.open(ctx, db); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", at, err), db.Close())
	}
	return db, nil
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.KeepResults <= 0 {
		o.KeepResults = defaultKeepResults
	}
	if o.MaxAttempts <= 0 {
		o.MaxAttempts = defaultMaxAttempts
	}
	if o.LockWait <= 0 {
		o.LockWait = defaultLockWait
	}
	return o
}

// OpenReadOnly opens the database that dsn names for reading; Update and
// WriteCheckpoint are refused. The database is neither made nor migrated; SQLite
// may leave an empty -wal and a -shm file beside its file, which are safe to
// delete when nobody has the database open.
func OpenReadOnly(ctx context.Context, dsn string) (*DB, error) {
	at, err := databaseOf(dsn)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	db := &DB{opts: Options{}.withDefaults()}
	if err := at.openReadOnly(ctx, db); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", at, err), db.Close())
	}
	return db, nil
}

// Instance returns the name of the dw whose database this is.
func (db *DB) Instance() string { return db.instance }

// Writer returns the connections that write, for the queue's workers to share;
// nil where the store was opened for reading only. They belong to the store.
func (db *DB) Writer() *sql.DB { return db.write }

// Postgres reports whether the database is PostgreSQL, as the queue's workers
// need to know.
func (db *DB) Postgres() bool { return db.server != nil }

// Close closes all connections; transactions under way end first.
func (db *DB) Close() error {
	err := errors.Join(db.reads.close(), db.writes.close())
	if db.read != nil {
		err = errors.Join(err, db.read.Close())
	}
	if db.claims != nil {
		err = errors.Join(err, db.claims.Close())
	}
	if db.write != nil {
		// Last, so that it folds the WAL into the file.
		err = errors.Join(err, db.write.Close())
	}
	return err
}
