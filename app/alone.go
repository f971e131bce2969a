package app

import (
	"fmt"

	"dw/store"
)

// ErrLocked says that another process holds a file's lock.
var ErrLocked = store.ErrLocked

// LockFile makes the file at path and holds its lock until release is called or
// the process ends; see store.LockFile.
func LockFile(path string) (release func() error, err error) { return store.LockFile(path) }

// takeStore holds that no other dw works on a SQLite database.
func (a *App) takeStore() error {
	release, err := store.Alone(a.project.Config.Store.DSN.Reveal())
	if err != nil {
		return fmt.Errorf("store.dsn: %w", err)
	}
	a.release = release
	return nil
}
