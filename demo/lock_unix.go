//go:build linux || darwin

package demo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockDir holds a demo's folder for this process until unlock, or until the
// process ends in any way: the system lets the lock go with it.
func lockDir(dir string) (unlock func() error, err error) {
	file, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the demo's folder: %w", err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(fmt.Errorf("another demo runs in %s; end it first, or name another folder with --dir", dir), file.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the demo's folder: %w", err), file.Close())
	}
	return file.Close, nil
}
