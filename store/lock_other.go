//go:build !unix

package store

// LockFile takes nothing where the system has no locks of this kind.
func LockFile(string) (release func() error, err error) { return func() error { return nil }, nil }
