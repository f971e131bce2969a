package demo

import (
	"errors"
	"fmt"
	"path/filepath"

	"dw/app"
)

// lockDir holds a demo's folder for this process until unlock, or until the
// process ends in any way: the system lets the lock go with it.
func lockDir(dir string) (unlock func() error, err error) {
	unlock, err = app.LockFile(filepath.Join(dir, lockFile))
	switch {
	case errors.Is(err, app.ErrLocked):
		return nil, fmt.Errorf("another demo runs in %s; end it first, or name another folder with --dir", dir)
	case err != nil:
		return nil, fmt.Errorf("the demo's folder: %w", err)
	}
	return unlock, nil
}
