package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrUsePgDump says that a PostgreSQL database is backed up with its own tools.
var ErrUsePgDump = errors.New("a PostgreSQL database is backed up with pg_dump and restored with pg_restore, docs/operations.md")

// ErrLive says that another process has the database open.
var ErrLive = errors.New("another process has the database open; stop dw first")

// Backup writes a whole, compact copy of the database that dsn names to the file
// out, mode 0600, while dw may be writing: the copy is what one read transaction
// sees. It has its own connection, takes no lock that a writer waits for, and
// never opens the database's file itself, which would drop SQLite's locks on it.
// A file at out is never overwritten; the copy appears there whole or not at all.
// The copy has passed CheckIntegrity.
func Backup(ctx context.Context, dsn, out string) (err error) {
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		return ErrUsePgDump
	}
	path, err := sqlitePath(dsn)
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("back up %s: %s is there already; a backup is never overwritten", path, out)
	}
	part := out + ".part"
	defer func() { err = errors.Join(err, removeIfThere(part)) }()
	if err := emptyFile(part); err != nil {
		return fmt.Errorf("back up %s: %w", path, err)
	}
	if err := vacuumInto(ctx, path, part); err != nil {
		return fmt.Errorf("back up %s: %w", path, err)
	}
	if err := CheckIntegrity(ctx, part); err != nil {
		return fmt.Errorf("back up %s: the copy: %w", path, err)
	}
	return SettleFile(part, out)
}

// emptyFile makes a file that only its owner can read, in place of the rest of
// a backup that was interrupted.
func emptyFile(path string) error {
	if err := removeIfThere(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("make the copy: %w", err)
	}
	return f.Close()
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the unfinished copy: %w", err)
	}
	return nil
}

// vacuumInto reads the database in one transaction and writes it to an empty
// file.
func vacuumInto(ctx context.Context, path, to string) (err error) {
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("look at the database file: %w", err)
	}
	db, err := sql.Open("sqlite", sqliteURI(path, []string{"mode=ro"}, []pragma{{"busy_timeout", "5000", "5000"}}))
	if err != nil {
		return fmt.Errorf("open for reading: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	return nil
}

// CheckIntegrity reads every page of a database that nobody has open and fails
// where SQLite finds one wrong, or where the file is no whole database.
func CheckIntegrity(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite", sqliteURI(path, []string{"mode=ro", "immutable=1"}, nil))
	if err != nil {
		return fmt.Errorf("open for reading: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, "PRAGMA integrity_check(10)")
	if err != nil {
		return fmt.Errorf("check the integrity of %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var said []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return fmt.Errorf("check the integrity of %s: %w", path, err)
		}
		said = append(said, line)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("check the integrity of %s: %w", path, err)
	}
	if text := strings.Join(said, "; "); text != "ok" {
		return fmt.Errorf("%s is damaged: %s", path, text)
	}
	return nil
}

// SettleFile gives a finished file its name after its bytes are on disk. A file
// of that name is never replaced.
func SettleFile(part, name string) error {
	f, err := os.OpenFile(part, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("finish %s: %w", name, err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("finish %s: %w", name, err)
	}
	// A link fails where the name is taken, which a rename would not.
	if err := os.Link(part, name); err != nil {
		return fmt.Errorf("finish %s: %w", name, err)
	}
	folder, err := os.Open(filepath.Dir(name))
	if err != nil {
		return fmt.Errorf("finish %s: %w", name, err)
	}
	if err := errors.Join(folder.Sync(), folder.Close()); err != nil {
		return fmt.Errorf("finish %s: %w", name, err)
	}
	return nil
}

// CheckIdle fails with ErrLive where another process has the database open. A
// file that SQLite cannot read is idle.
func CheckIdle(ctx context.Context, dsn string) (err error) {
	path, err := sqlitePath(dsn)
	if err != nil {
		return err
	}
	if alone(path) {
		return nil // nobody has it open: who has keeps a write-ahead log
	}
	db, err := sql.Open("sqlite", sqliteURI(path, []string{"mode=rw"}, []pragma{{"busy_timeout", "0", "0"}, {"locking_mode", "EXCLUSIVE", "exclusive"}}))
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	var tables int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables)
	if err != nil && strings.Contains(err.Error(), "database is locked") {
		return fmt.Errorf("%s: %w", path, ErrLive)
	}
	return nil //nolint:nilerr // what cannot be read is nobody's
}
