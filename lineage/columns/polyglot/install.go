// Package polyglot runs the SQL engine of the npm package @polyglot-sql/sdk, a
// WebAssembly module, without cgo and without Node. The module is fetched at
// set-up (`make sql-engine`), never kept in the repository, and run only if its
// checksum is the one that stands here.
package polyglot

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Version is the version of the npm package whose module dw runs.
const Version = "0.12.1"

// Checksum is the SHA-256 of dist/polyglot_sql.wasm in that package.
const Checksum = "27f296ff050eb1f7a4474204ec159383e33c08ed85d52e9a91152b064ec02a7c"

// FolderVariable is the environment variable that names the engine's folder.
const FolderVariable = "DW_SQL_ENGINE"

// ErrAbsent says that the engine is not there.
var ErrAbsent = errors.New("the SQL engine is not installed: run `make sql-engine`")

// ChecksumError says that the file is not the module that dw was tested with.
type ChecksumError struct{ Path, Got string }

// Error names the file and both checksums.
func (e *ChecksumError) Error() string {
	return fmt.Sprintf("%s is not the SQL engine that dw runs: its SHA-256 is %s, not %s; delete it and run `make sql-engine`", e.Path, e.Got, Checksum)
}

// Folder is where the module and its compiled form are kept: DW_SQL_ENGINE, or
// dw/sql-engine in the user's cache folder.
func Folder(getenv func(string) string) (string, error) {
	if named := getenv(FolderVariable); named != "" {
		return named, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the folder of the SQL engine: %w; set %s", err, FolderVariable)
	}
	return filepath.Join(cache, "dw", "sql-engine"), nil
}

func modulePath(folder string) string {
	return filepath.Join(folder, "polyglot-"+Version+".wasm")
}

// Installed reports whether the module lies in the folder; it is not read.
func Installed(folder string) bool {
	info, err := os.Stat(modulePath(folder))
	return err == nil && info.Mode().IsRegular()
}

// Module reads the module from the folder. What is not there is ErrAbsent, what
// has another checksum a *ChecksumError.
func Module(folder string) ([]byte, error) { return readModule(modulePath(folder)) }

func readModule(path string) ([]byte, error) {
	module, err := os.ReadFile(path) //nolint:gosec // the operator names the folder
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrAbsent
	}
	if err != nil {
		return nil, fmt.Errorf("read the SQL engine: %w", err)
	}
	sum := sha256.Sum256(module)
	if got := hex.EncodeToString(sum[:]); got != Checksum {
		return nil, &ChecksumError{Path: path, Got: got}
	}
	return module, nil
}

// Install puts a module into the folder, if its checksum is right.
func Install(path, folder string) error {
	module, err := readModule(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the folder of the SQL engine: %w", err)
	}
	// Another process may read it: it appears whole.
	part := modulePath(folder) + ".part"
	if err := os.WriteFile(part, module, 0o600); err != nil {
		return fmt.Errorf("write the SQL engine: %w", err)
	}
	if err := os.Rename(part, modulePath(folder)); err != nil {
		return fmt.Errorf("write the SQL engine: %w", err)
	}
	return nil
}
