package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"unsafe"

	"dw/store"
	"dw/store/storetest"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// powerPoint has a child write with a disk that is watched: what lies on it when
// the power goes is what SQLite has synced by then, and nothing else.
const powerPoint = "power"

// powerAcks is how many updates that child acknowledges.
const powerAcks = 5

// disk is what would be left of a database's files: each as it was at its last
// sync. It is the child's only, which opens one database.
var disk struct { //nolint:gochecknoglobals // SQLite calls functions without a receiver
	mu    sync.Mutex
	files map[string][]byte  // by path
	names map[uintptr]string // of SQLite's open files
	open  func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32
	sync  func(*libc.TLS, uintptr, int32) int32
	kept  []*sqlite3.Tsqlite3_io_methods // SQLite holds their addresses
}

// at reads SQLite's memory.
func at[T any](address uintptr) *T { return (*T)(*(*unsafe.Pointer)(unsafe.Pointer(&address))) }

// pointer is a declared function as SQLite calls it; see cFuncPointer of the driver.
func pointer[T any](f T) uintptr { return *(*uintptr)(unsafe.Pointer(&struct{ f T }{f})) }

// function is the reverse of pointer.
func function[T any](address uintptr) T { return *(*T)(unsafe.Pointer(&struct{ f uintptr }{address})) }

// watchSyncs puts itself between SQLite and its files.
func watchSyncs() error {
	tls := libc.NewTLS()
	defer tls.Close()
	vfs := sqlite3.Xsqlite3_vfs_find(tls, 0)
	if vfs == 0 {
		return errors.New("SQLite has no file system")
	}
	disk.files, disk.names = map[string][]byte{}, map[uintptr]string{}
	disk.open = function[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](at[sqlite3.Tsqlite3_vfs](vfs).FxOpen)
	at[sqlite3.Tsqlite3_vfs](vfs).FxOpen = pointer(openWatched)
	return nil
}

func openWatched(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
	rc := disk.open(tls, vfs, name, file, flags, out)
	opened := at[sqlite3.Tsqlite3_file](file)
	if rc != sqlite3.SQLITE_OK || name == 0 || opened.FpMethods == 0 {
		return rc
	}
	disk.mu.Lock()
	defer disk.mu.Unlock()
	methods := *at[sqlite3.Tsqlite3_io_methods](opened.FpMethods)
	if methods.FxSync != pointer(syncWatched) {
		disk.sync = function[func(*libc.TLS, uintptr, int32) int32](methods.FxSync)
		methods.FxSync = pointer(syncWatched)
	}
	disk.kept = append(disk.kept, &methods)
	opened.FpMethods = uintptr(unsafe.Pointer(&methods))
	disk.names[file] = libc.GoString(name)
	return rc
}

func syncWatched(tls *libc.TLS, file uintptr, flags int32) int32 {
	rc := disk.sync(tls, file, flags)
	disk.mu.Lock()
	defer disk.mu.Unlock()
	if name := disk.names[file]; rc == sqlite3.SQLITE_OK {
		if content, err := os.ReadFile(name); err == nil {
			disk.files[name] = content
		}
	}
	return rc
}

// powerLost writes what would be left of the files at path into a new folder.
func powerLost(path, to string) error {
	disk.mu.Lock()
	defer disk.mu.Unlock()
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, suffix := range []string{"", "-wal"} {
		if err := os.WriteFile(filepath.Join(to, "dw.db"+suffix), disk.files[path+suffix], 0o600); err != nil {
			return err
		}
	}
	return nil
}

// writeOnWatchedDisk keeps, after every acknowledged update and in the midst of
// the next one, what a loss of power would leave.
func writeOnWatchedDisk(ctx context.Context, path string) error {
	if err := watchSyncs(); err != nil {
		return err
	}
	written := 0
	var lost error
	db, err := store.Open(ctx, path, store.Options{Instance: storetest.Instance, Crash: func(point string) {
		if point == store.CrashBeforeCommit && written > 0 {
			lost = errors.Join(lost, powerLost(path, powerFolder(path, written, "in-the-next")))
		}
	}})
	if err != nil {
		return err
	}
	for range powerAcks {
		if err := writeOne(ctx, db, written+1); err != nil {
			return err
		}
		written++
		lost = errors.Join(lost, powerLost(path, powerFolder(path, written, "acknowledged")))
	}
	return errors.Join(lost, db.Close())
}

func powerFolder(path string, written int, when string) string {
	return filepath.Join(filepath.Dir(path), when+string(rune('0'+written)))
}
