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

	"github.com/riverqueue/river/riverdriver/riversqlite"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// readers is how many connections read at once.
const readers = 4

// sqliteFile is the absolute path of a SQLite database.
type sqliteFile string

func (f sqliteFile) String() string { return string(f) }

func (f sqliteFile) open(ctx context.Context, db *DB) error {
	path := string(f)
	if err := guardFile(ctx, path, db.opts.Log); err != nil {
		return err
	}
	if err := db.openWriter(ctx, path); err != nil {
		return errors.Join(err, refusedFolder(filepath.Dir(path)))
	}
	if err := sqliteSchema(db.write).migrate(ctx, db); err != nil {
		return err
	}
	var err error
	if db.queue, err = newQueue(riversqlite.New(db.write), db.opts); err != nil {
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

// refusedFolder says why no file can be made in a folder, where SQLite only says
// that it cannot open: it needs its -wal and -shm beside the database.
func refusedFolder(dir string) error {
	f, err := os.CreateTemp(dir, ".dw-writable-*")
	if err != nil {
		return fmt.Errorf("no file can be made beside the database: %w", err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func (db *DB) openWriter(ctx context.Context, path string) error {
	var err error
	db.write, err = sql.Open("sqlite", sqliteURI(path, []string{"mode=rw", "_txlock=immediate"}, writerPragmas(db.opts.LockWait)))
	if err != nil {
		return fmt.Errorf("open for writing: %w", err)
	}
	db.probe = sqliteURI(path, []string{"mode=rw", "_txlock=immediate"}, []pragma{{"busy_timeout", probeWait, probeWait}})
	db.write.SetMaxOpenConns(1)
	db.writes = newStatements(db.write)
	if err := checkVersion(ctx, db.write); err != nil {
		return err
	}
	return checkPragmas(ctx, db.write, writerPragmas(db.opts.LockWait))
}

func (db *DB) openReaders(ctx context.Context, path string, parameters ...string) error {
	parameters = append([]string{"mode=ro", "_txlock=deferred"}, parameters...)
	var err error
	if db.read, err = sql.Open("sqlite", sqliteURI(path, parameters, readerPragmas())); err != nil {
		return fmt.Errorf("open for reading: %w", err)
	}
	db.reads = newStatements(db.read)
	db.read.SetMaxOpenConns(readers)
	db.read.SetMaxIdleConns(readers)
	if db.sql, err = loadQueries(queryFiles, "queries/sqlite"); err != nil {
		return err
	}
	return checkPragmas(ctx, db.read, readerPragmas())
}

func (f sqliteFile) openReadOnly(ctx context.Context, db *DB) error {
	return f.openFile(ctx, db, sealedParameters(string(f))...)
}

func (f sqliteFile) openFile(ctx context.Context, db *DB, parameters ...string) error {
	path := string(f)
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
	if err := sqliteSchema(db.read).check(ctx, db.read); err != nil {
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
