package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// pragma is one setting of a SQLite connection and the value that SQLite must
// report for it afterwards.
type pragma struct {
	name, set, want string
}

// writerPragmas are the settings of the one connection that writes.
// synchronous is FULL because NORMAL may lose the last commits on power loss,
// which receipts do not allow. mmap_size stays unset: a reported corruption was
// amplified by it. lockWait is Options.LockWait.
func writerPragmas(lockWait time.Duration) []pragma {
	wait := strconv.FormatInt(lockWait.Milliseconds(), 10)
	return []pragma{
		{"busy_timeout", wait, wait}, // first: the others may have to wait
		{"journal_mode", "WAL", "wal"},
		{"synchronous", "FULL", "2"},
		{"foreign_keys", "1", "1"},
		{"trusted_schema", "0", "0"},
		{"cell_size_check", "1", "1"},
		{"wal_autocheckpoint", "1000", "1000"},
		{"journal_size_limit", "67108864", "67108864"},
		{"temp_store", "MEMORY", "2"},
	}
}

// readerPragmas are the settings of the connections that only read.
func readerPragmas() []pragma {
	return []pragma{
		{"busy_timeout", "5000", "5000"},
		{"query_only", "1", "1"},
		{"trusted_schema", "0", "0"},
		{"cell_size_check", "1", "1"},
		{"temp_store", "MEMORY", "2"},
	}
}

// checkPragmas reads each setting back. Drivers have ignored settings silently
// before, and a store with other settings could lose receipts.
func checkPragmas(ctx context.Context, db *sql.DB, pragmas []pragma) error {
	for _, p := range pragmas {
		var got string
		if err := db.QueryRowContext(ctx, "PRAGMA "+p.name).Scan(&got); err != nil {
			return fmt.Errorf("read pragma %s: %w", p.name, err)
		}
		if !strings.EqualFold(got, p.want) {
			return fmt.Errorf("pragma %s is %s but must be %s; "+
				"is the database on a file system without shared memory (NFS)?", p.name, got, p.want)
		}
	}
	return nil
}

// minSQLite is the first release without the WAL-reset corruption, in which two
// connections that wrote and checkpointed at once could damage the file.
const minSQLite = "3.51.3"

func checkVersion(ctx context.Context, db *sql.DB) error {
	var got string
	if err := db.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&got); err != nil {
		return fmt.Errorf("read SQLite version: %w", err)
	}
	return refuseOlder(got, minSQLite)
}

func refuseOlder(got, least string) error {
	g, err := parseVersion(got)
	if err != nil {
		return err
	}
	l, err := parseVersion(least)
	if err != nil {
		return err
	}
	for i := range l {
		if g[i] != l[i] {
			if g[i] > l[i] {
				return nil
			}
			return fmt.Errorf("SQLite %s can corrupt a WAL database; build dw with %s or later", got, least)
		}
	}
	return nil
}

func parseVersion(text string) ([3]int, error) {
	var v [3]int
	parts := strings.Split(text, ".")
	if len(parts) < len(v) {
		return v, fmt.Errorf("SQLite version %q is not of the form 1.2.3", text)
	}
	for i := range v {
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			return v, fmt.Errorf("SQLite version %q is not of the form 1.2.3", text)
		}
		v[i] = n
	}
	return v, nil
}
