package sqlite

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
)

// TestFenceBehindTheGuard checks that the file itself is opened for reading only:
// a statement that got past every other fence could still not write.
func TestFenceBehindTheGuard(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "w.db")
	w, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Exec("CREATE TABLE t (x)"); err != nil {
		t.Fatal(err)
	}
	db, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "PRAGMA query_only = 0"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), "INSERT INTO t VALUES (1)"); err == nil || !strings.Contains(err.Error(), "readonly") {
		t.Errorf("a write gave %v", err)
	}
	if err := limit(conn); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), "ATTACH ':memory:' AS other"); err == nil || !strings.Contains(err.Error(), "too many attached") {
		t.Errorf("attaching gave %v", err)
	}
}
