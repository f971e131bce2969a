package store

import (
	"errors"
	"fmt"
)

var (
	// ErrLocked says that another process holds a file's lock.
	ErrLocked = errors.New("another process holds it")
	// ErrInUse says that another dw works on the SQLite file already.
	ErrInUse = errors.New("another dw works on this database")
)

// lockSuffix makes the name of the file beside a SQLite database whose lock its
// one dw holds.
const lockSuffix = "-lock"

// Alone takes the sole right to work on a SQLite database until release is
// called or the process ends: two would each deliver every effect, since only
// PostgreSQL has claims on effects. A second taker gets ErrInUse. On PostgreSQL
// several work side by side and nothing is taken.
func Alone(dsn string) (release func() error, err error) {
	if isPostgres(dsn) {
		return func() error { return nil }, nil
	}
	path, err := sqlitePath(dsn)
	if err != nil {
		return nil, err
	}
	release, err = LockFile(path + lockSuffix)
	if errors.Is(err, ErrLocked) {
		return nil, fmt.Errorf("%w (%w); stop it, or give this one its own store.dsn: several side by side need PostgreSQL", ErrInUse, err)
	}
	return release, err
}
