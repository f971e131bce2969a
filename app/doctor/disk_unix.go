//go:build linux || darwin

package doctor

import "syscall"

// freeBytes is how much the user of this process may still write to the file
// system of a folder; false where the system does not tell.
func freeBytes(folder string) (uint64, bool) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(folder, &fs); err != nil {
		return 0, false
	}
	return fs.Bavail * uint64(fs.Bsize), true //nolint:gosec // a block size is never negative
}

// writable reports whether the user of this process may make files in a folder.
func writable(folder string) bool {
	const mayWriteAndEnter = 0x2 | 0x1 // W_OK | X_OK of access(2)
	return syscall.Access(folder, mayWriteAndEnter) == nil
}
