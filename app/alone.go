package app

import (
	"errors"
	"fmt"
	"time"

	"dw/store"
)

// ErrLocked says that another process holds a file's lock.
var ErrLocked = store.ErrLocked

// LockFile makes the file at path and holds its lock until release is called or
// the process ends; see store.LockFile.
func LockFile(path string) (release func() error, err error) { return store.LockFile(path) }

// A lock that another dw is about to let go is waited for: one that ends, or a child
// process of this one between fork and exec, which holds what its parent had open.
const (
	lockPatience = 2 * time.Second
	lockPause    = 50 * time.Millisecond
)

// takeStore holds that no other dw works on a SQLite database.
func (a *App) takeStore() error {
	for tries := lockPatience / lockPause; ; tries-- {
		release, err := store.Alone(a.project.Config.Store.DSN.Reveal())
		if err == nil {
			a.release = release
			return nil
		}
		if !errors.Is(err, store.ErrInUse) || tries <= 0 {
			return fmt.Errorf("store.dsn: %w", err)
		}
		time.Sleep(lockPause)
	}
}
