package sqlite_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/sqlite"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var _ checks.Querier = (*sqlite.DB)(nil)

// build makes a SQLite file by running statements.
func build(t *testing.T, path string, statements ...string) string {
	t.Helper()
	w, err := sql.Open("sqlite", "file:"+strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, s := range statements {
		if _, err := w.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return path
}

// open builds a file in a new folder and opens it for reading.
func open(t *testing.T, opts sqlite.Options, statements ...string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(build(t, filepath.Join(t.TempDir(), "w.db"), statements...), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestOpenAwkwardPaths(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain.db", "with space.db", "it's.db", `say "hi".db`, "what?mode=rwc.db", "a#b.db", "100%.db", "%41.db", "ünï.db", "a&b=c.db", "plus+.db"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := build(t, filepath.Join(t.TempDir(), name), "CREATE TABLE t (x)", "INSERT INTO t VALUES (7)")
			db, err := sqlite.Open(path, sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			rows, err := db.Select(t.Context(), "SELECT x FROM t")
			if err != nil || len(rows.Values) != 1 || rows.Values[0][0] != int64(7) {
				t.Fatalf("rows %v, error %v", rows, err)
			}
			entries, err := os.ReadDir(filepath.Dir(path))
			if err != nil || len(entries) != 1 {
				t.Fatalf("opening %q left %v in the folder (%v)", name, entries, err)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text := filepath.Join(folder, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database at all\n", 200)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ path, want string }{
		"missing":    {filepath.Join(folder, "none.db"), "does not exist"},
		"a folder":   {folder, "not a regular file"},
		"not SQLite": {text, "not a SQLite database"},
		"empty":      {"", "not a path"},
		"NUL":        {"a\x00b", "not a path"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := sqlite.Open(c.path, sqlite.Options{})
			if err == nil {
				db.Close()
				t.Fatal("it was opened")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %q does not say %q", err, c.want)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(folder, "none.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the missing file was made: %v", err)
	}
}

func TestOpenUnreadable(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root reads every file")
	}
	path := build(t, filepath.Join(t.TempDir(), "w.db"), "CREATE TABLE t (x)")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(path, sqlite.Options{})
	if err == nil {
		db.Close()
		t.Fatal("it was opened")
	}
	if !strings.Contains(err.Error(), "check the permissions") {
		t.Errorf("error %q does not say what to do", err)
	}
}

func TestSelectNeverWrites(t *testing.T) {
	t.Parallel()
	path := build(t, filepath.Join(t.TempDir(), "w.db"), "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)")
	before := digest(t, path)
	db, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, text := range []string{
		"DELETE FROM t", "WITH a AS (SELECT 1) DELETE FROM t", "SELECT 1; DROP TABLE t",
		"ATTACH 'other.db' AS o", "PRAGMA query_only = 0", "SELECT * FROM pragma_query_only(0)",
		"SELECT load_extension('x')", "CREATE TEMP TABLE z (x)", "SELECT 1) SELECT (2",
	} {
		if rows, err := db.Select(t.Context(), text); err == nil {
			t.Errorf("%s ran: %v", text, rows)
		}
	}
	if digest(t, path) != before {
		t.Error("the file has changed")
	}
}

func digest(t *testing.T, path string) [32]byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(data)
}

func TestSelectLimits(t *testing.T) {
	t.Parallel()
	const endless = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
	t.Run("rows are cut and said", func(t *testing.T) {
		t.Parallel()
		db := open(t, sqlite.Options{MaxRows: 3}, "CREATE TABLE t (x)")
		rows, err := db.Select(t.Context(), endless+"SELECT x FROM c")
		if err != nil || len(rows.Values) != 3 || !rows.Truncated {
			t.Fatalf("%d rows, truncated %v, error %v", len(rows.Values), rows.Truncated, err)
		}
	})
	t.Run("exactly the limit is whole", func(t *testing.T) {
		t.Parallel()
		db := open(t, sqlite.Options{MaxRows: 3}, "CREATE TABLE t (x)")
		rows, err := db.Select(t.Context(), endless+"SELECT x FROM c LIMIT 3")
		if err != nil || len(rows.Values) != 3 || rows.Truncated {
			t.Fatalf("%d rows, truncated %v, error %v", len(rows.Values), rows.Truncated, err)
		}
	})
	for name, text := range map[string]string{
		"an endless count": endless + "SELECT count(*) FROM c",
		// The driver alone cannot interrupt this one after its first row.
		"an endless search after the first row": endless + "SELECT x FROM c WHERE x = 1",
	} {
		t.Run("time limit stops "+name, func(t *testing.T) {
			t.Parallel()
			db := open(t, sqlite.Options{Timeout: 50 * time.Millisecond}, "CREATE TABLE t (x)")
			_, err := db.Select(t.Context(), text)
			var refused *checks.RefusedError
			if !errors.As(err, &refused) || refused.Guard != "time limit" {
				t.Fatalf("error %v is not the time limit's", err)
			}
			if _, err := db.Select(t.Context(), "SELECT 1"); err != nil {
				t.Errorf("the connection is of no use afterwards: %v", err)
			}
		})
		t.Run("cancel stops "+name, func(t *testing.T) {
			t.Parallel()
			db := open(t, sqlite.Options{}, "CREATE TABLE t (x)")
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, err := db.Select(ctx, text)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("error %v is not the caller's deadline", err)
			}
		})
	}
	t.Run("a huge value is refused", func(t *testing.T) {
		t.Parallel()
		db := open(t, sqlite.Options{}, "CREATE TABLE t (x)")
		if _, err := db.Select(t.Context(), "SELECT hex(zeroblob(100000000))"); err == nil || !strings.Contains(err.Error(), "too big") {
			t.Fatalf("error %v", err)
		}
	})
}

func TestSelectValues(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Options{}, "CREATE TABLE t (i INTEGER, f REAL, s TEXT, b BLOB, n, d DATETIME)",
		"INSERT INTO t VALUES (1, 1.5, 'one', x'01', NULL, '2026-10-01T11:00:00Z')")
	at := time.Date(2026, 10, 1, 13, 0, 0, 0, time.FixedZone("", 7200))
	rows, err := db.Select(t.Context(), "SELECT i, f, s, b, n, max(d) FROM t WHERE d = ? -- why", at)
	if err != nil || len(rows.Values) != 1 {
		t.Fatalf("rows %v, error %v", rows, err)
	}
	row := rows.Values[0]
	if row[0] != int64(1) || row[1] != 1.5 || row[2] != "one" || string(row[3].([]byte)) != "\x01" || row[4] != nil || row[5] != "2026-10-01T11:00:00Z" {
		t.Errorf("row %#v", row)
	}
	if strings.Join(rows.Columns[:3], ",") != "i,f,s" {
		t.Errorf("columns %v", rows.Columns)
	}
}

func TestSelectKeepsOrder(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Options{}, "CREATE TABLE t (x)", "INSERT INTO t VALUES (2), (3), (1)")
	rows, err := db.Select(t.Context(), "SELECT x FROM t ORDER BY x DESC;")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{3, 2, 1} {
		if rows.Values[i][0] != want {
			t.Fatalf("rows %v", rows.Values)
		}
	}
}

func TestSelectWrongColumnIsNoString(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Options{}, "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)")
	if rows, err := db.Select(t.Context(), `SELECT count(*) FROM t WHERE "nope" IS NOT NULL`); err == nil {
		t.Fatalf("a wrong column was read as a string: %v", rows.Values)
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Options{},
		"CREATE TABLE orders (id, t TEXT, twice AS (id * 2))",
		`CREATE TABLE "a.b" (dotted)`, `CREATE TABLE "o""; drop table orders--" (evil)`,
		"CREATE VIEW seen AS SELECT id FROM orders")
	for name, want := range map[string]string{
		"orders":                     "id,t,twice",
		"Orders":                     "id,t,twice",
		"main.orders":                "id,t,twice",
		`main."orders"`:              "id,t,twice",
		"a.b":                        "dotted",
		`"a.b"`:                      "dotted",
		`o"; drop table orders--`:    "evil",
		`"o""; drop table orders--"`: "evil",
		"seen":                       "id",
	} {
		columns, err := db.Columns(t.Context(), name)
		if err != nil || names(columns) != want {
			t.Errorf("%s: columns %v, error %v, want %s", name, columns, err, want)
		}
	}
	for name, near := range map[string]string{"order": "orders", "main.ordres": "orders", "pragma_table_info": "", "sqlite_dbpage": "", "other.orders": "orders"} {
		_, err := db.Columns(t.Context(), name)
		if missing, ok := errors.AsType[*checks.MissingTableError](err); !ok {
			t.Errorf("%s: error %v is not a missing table", name, err)
		} else if near != "" && (len(missing.Near) == 0 || missing.Near[0] != near) {
			t.Errorf("%s: near names %v, want %s", name, missing.Near, near)
		}
	}
}

func names(columns []checks.Column) string {
	list := make([]string, len(columns))
	for i, column := range columns {
		list[i] = column.Name
	}
	return strings.Join(list, ",")
}

func TestColumnTypes(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Options{},
		"CREATE TABLE orders (id INTEGER PRIMARY KEY, amount NUMERIC(10,2) NOT NULL, note TEXT, bare)",
		"CREATE TABLE pair (a INTEGER, b INTEGER, PRIMARY KEY (a, b))")
	for name, want := range map[string][]checks.Column{
		"orders": {{Name: "id", Type: "INTEGER"}, {Name: "amount", Type: "NUMERIC(10,2)"}, {Name: "note", Type: "TEXT", Nullable: true}, {Name: "bare", Nullable: true}},
		"pair":   {{Name: "a", Type: "INTEGER", Nullable: true}, {Name: "b", Type: "INTEGER", Nullable: true}},
	} {
		columns, err := db.Columns(t.Context(), name)
		if err != nil || !slices.Equal(columns, want) {
			t.Errorf("%s: columns %+v, error %v, want %+v", name, columns, err, want)
		}
	}
}

func TestLiveWriterIsSeen(t *testing.T) {
	t.Parallel()
	path := build(t, filepath.Join(t.TempDir(), "w.db"), "PRAGMA journal_mode = WAL", "CREATE TABLE t (x)")
	writer, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if _, err := writer.Exec("INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for want := int64(1); want <= 3; want++ {
		rows, err := db.Select(t.Context(), "SELECT count(*) FROM t")
		if err != nil || rows.Values[0][0] != want {
			t.Fatalf("rows %v, error %v, want %d", rows.Values, err, want)
		}
		if _, err := writer.Exec("INSERT INTO t VALUES (1)"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDamagedFile(t *testing.T) {
	t.Parallel()
	path := build(t, filepath.Join(t.TempDir(), "w.db"), "CREATE TABLE t (x)",
		"WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 2000) INSERT INTO t SELECT hex(randomblob(50)) FROM c")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()/2); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(path, sqlite.Options{})
	if err == nil {
		defer db.Close()
		_, err = db.Select(t.Context(), "SELECT count(*) FROM t")
	}
	if err == nil || !strings.Contains(err.Error(), "restore it from a copy") {
		t.Errorf("error %v", err)
	}
}
