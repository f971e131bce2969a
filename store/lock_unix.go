//go:build unix

package store

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// LockFile makes the file at path, mode 0600, and holds its lock until release
// is called or the process ends, however it ends. The file stays. A second taker
// gets ErrLocked.
func LockFile(path string) (release func() error, err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the caller's own folder
	if err != nil {
		return nil, fmt.Errorf("make the lock: %w", err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrLocked
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
	}
	return file.Close, nil
}
