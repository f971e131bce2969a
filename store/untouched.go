package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// OpenUntouched opens the database that dsn names as OpenReadOnly does and makes
// no file beside it, where nobody has it open. still reports, after reading,
// whether that held all the while: if not, what was read may be torn, and
// OpenReadOnly leaves no more behind than the process that opened it.
func OpenUntouched(ctx context.Context, dsn string) (db *DB, still func() bool, err error) {
	if isPostgres(dsn) {
		db, err = OpenReadOnly(ctx, dsn)
		return db, func() bool { return true }, err
	}
	path, err := sqlitePath(dsn)
	if err != nil {
		return nil, nil, fmt.Errorf("open store: %w", err)
	}
	if !alone(path) {
		db, err = OpenReadOnly(ctx, dsn)
		return db, func() bool { return true }, err
	}
	db = &DB{opts: Options{}.withDefaults()}
	if err := sqliteFile(path).openFile(ctx, db, "immutable=1"); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), db.Close())
	}
	return db, func() bool { return alone(path) }, nil
}

// alone reports that no write-ahead log lies beside the database, so that nobody
// has it open and nothing of it waits outside the file.
func alone(path string) bool {
	_, err := os.Stat(path + "-wal")
	return errors.Is(err, fs.ErrNotExist)
}
