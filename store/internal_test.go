package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"dw/receipts"
	"dw/workflows"
)

func TestPragmasAreInForce(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "dw.db"), Options{Instance: "a"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	// A second reader connection: settings are made on each, not on the first.
	first, err := db.read.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if err := checkPragmas(t.Context(), db.read, readerPragmas()); err != nil {
		t.Errorf("reader: %v", err)
	}
	if err := checkPragmas(t.Context(), db.write, writerPragmas(defaultLockWait)); err != nil {
		t.Errorf("writer: %v", err)
	}
	if n := db.write.Stats().MaxOpenConnections; n != 1 {
		t.Errorf("%d connections may write, want 1", n)
	}
	if _, err := db.read.ExecContext(t.Context(), "DELETE FROM deadlines"); err == nil {
		t.Error("a reader's connection wrote")
	}
}

// The settings that durability and consistency rest on, said a second time so
// that a change of the table above does not go unnoticed.
func TestSettingsThatReceiptsNeed(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "dw.db"), Options{Instance: "a"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for name, want := range map[string]string{
		"synchronous": "2", "journal_mode": "wal", "foreign_keys": "1", "trusted_schema": "0",
		"cell_size_check": "1", "busy_timeout": "5000", "mmap_size": "0",
	} {
		var got string
		if err := db.write.QueryRowContext(t.Context(), "PRAGMA "+name).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, %v, want %s", name, got, err, want)
		}
	}
}

// A writer whose head is no longer the stored one must not fork the chain.
func TestHeadIsSwapped(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "dw.db"), Options{Instance: "a"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var stale, next receipts.Head
	first := db.update(t.Context(), func(w *writer) (err error) {
		stale, err = w.Head(t.Context())
		if err != nil {
			return err
		}
		_, err = w.AppendReceipt(t.Context(), benchDraft(1))
		return err
	})
	_, next, err = receipts.Append("a", stale, benchDraft(2))
	if err = errors.Join(first, err); err != nil {
		t.Fatal(err)
	}
	err = db.update(t.Context(), func(w *writer) error { return w.swapHead(t.Context(), stale, next) })
	if !errors.Is(err, workflows.ErrConflict) {
		t.Errorf("got error %v, want a conflict", err)
	}
}

// Each setting that is not as it must be is named.
func TestWrongPragmaIsRefused(t *testing.T) {
	t.Parallel()
	for _, p := range writerPragmas(defaultLockWait) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			wrong := p
			switch p.name {
			case "journal_mode":
				wrong.set = "DELETE"
			case "synchronous":
				wrong.set = "NORMAL"
			case "temp_store", "trusted_schema":
				wrong.set = "1"
			default:
				wrong.set = "0"
			}
			db := openWith(t, wrong)
			err := checkPragmas(t.Context(), db, []pragma{p})
			if err == nil || !strings.Contains(err.Error(), "pragma "+p.name) {
				t.Errorf("got error %v, want %s to be named", err, p.name)
			}
		})
	}
}

func openWith(t *testing.T, p pragma) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", sqliteURI(filepath.Join(t.TempDir(), "x.db"), nil, []pragma{p}))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestRefuseOlder(t *testing.T) {
	t.Parallel()
	for version, ok := range map[string]bool{
		"3.51.3": true, "3.51.10": true, "3.54.1": true, "4.0.0": true, "3.51.3.1": true,
		"3.51.2": false, "3.9.9": false, "2.99.99": false, "3.51": false, "three": false, "": false, "3.x.1": false,
	} {
		if err := refuseOlder(version, minSQLite); (err == nil) != ok {
			t.Errorf("%q: got error %v", version, err)
		}
	}
}

func TestDueMicros(t *testing.T) {
	t.Parallel()
	at := time.UnixMicro(1_000_000)
	for name, test := range map[string]struct {
		t    time.Time
		want int64
	}{
		"exact":       {at, 1_000_000},
		"finer":       {at.Add(1), 1_000_001},
		"before 1970": {time.UnixMicro(-5).Add(1), -4},
		"zero":        {time.Time{}, time.Time{}.UnixMicro()},
	} {
		if got := dueMicros(test.t); got != test.want {
			t.Errorf("%s: got %d, want %d", name, got, test.want)
		}
	}
	if !fromMicros(toMicros(time.Time{})).IsZero() {
		t.Error("the zero time does not survive")
	}
}

func TestLoadQueriesRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"text before a name": {"SELECT 1;\n-- name: a\nSELECT 2;", "text before the first"},
		"twice":              {"-- name: a\nSELECT 1;\n-- name: a\nSELECT 2;", "defined twice"},
		"no text":            {"-- name: a\n-- name: b\nSELECT 2;", "no text"},
		"no name":            {"-- name: \nSELECT 2;", "no name"},
	} {
		_, err := loadQueries(fstest.MapFS{"q/x.sql": {Data: []byte(test.text)}}, "q")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want %q", name, err, test.want)
		}
	}
}

// Every query that the code names exists, every one that exists is named, and
// the database can compile it.
func TestQueriesMatchTheCode(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		queriesMatch(t, filepath.Join(t.TempDir(), "dw.db"), source(t, false))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		queriesMatch(t, Postgres.Database(t), source(t, true))
	})
}

func queriesMatch(t *testing.T, dsn, code string) {
	t.Helper()
	db, err := Open(t.Context(), dsn, Options{Instance: "a"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for name, text := range db.sql {
		// swap builds its two names from the table's.
		table := strings.TrimSuffix(strings.TrimSuffix(name, "_update"), "_insert")
		if !strings.Contains(code, `"`+name+`"`) && !strings.Contains(code, `t.swap(ctx, "`+table+`"`) {
			t.Errorf("query %s is never used", name)
		}
		stmt, err := db.write.PrepareContext(t.Context(), text)
		if err != nil {
			t.Errorf("query %s: %v", name, err)
			continue
		}
		stmt.Close() //nolint:sqlclosecheck // each in its turn
	}
	queryUse := regexp.MustCompile(`(?:(?:exec|scan|Docs?\[.*\]|deadlines)\(ctx, (?:r, )?|\.sql\[)"(\w+)"`)
	for _, m := range queryUse.FindAllStringSubmatch(code, -1) {
		if _, ok := db.sql[m[1]]; !ok {
			t.Errorf("the code names a query %s, which does not exist", m[1])
		}
	}
}

// source returns the package's production code, with or without what is
// PostgreSQL's alone.
func source(t *testing.T, postgres bool) string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") || (!postgres && strings.HasPrefix(f, "postgres")) {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

// Closing any handle on the database's file drops every POSIX lock that SQLite
// holds on it in this process. The one call that opens it makes it, exclusively.
func TestDatabaseFileIsNeverOpened(t *testing.T) {
	t.Parallel()
	backup, err := os.ReadFile("backup.go")
	if err != nil {
		t.Fatal(err)
	}
	lock, err := os.ReadFile("lock_unix.go") // opens the file beside the database, which is no database
	if err != nil {
		t.Fatal(err)
	}
	code := strings.Replace(source(t, true), string(backup), "", 1)
	code = strings.Replace(code, string(lock), "", 1)
	// A backup opens its copy, which is not yet a database of anybody's, and folders.
	for _, call := range []string{"os.OpenFile(path, os.O_CREATE|os.O_EXCL|", "os.OpenFile(part, ", "os.Open(filepath.Dir("} {
		backup = bytes.Replace(backup, []byte(call), nil, 1)
	}
	code += string(backup)
	for _, call := range []string{"os.Open(", "os.ReadFile(", "os.WriteFile(", "os.Create(", "os.Truncate(", "ioutil.", "syscall.Open"} {
		if strings.Contains(code, call) {
			t.Errorf("the store calls %s", call)
		}
	}
	opens := strings.Count(code, "os.OpenFile(")
	if exclusive := strings.Count(code, "os.OpenFile(path, os.O_CREATE|os.O_EXCL|"); opens != 1 || exclusive != 1 {
		t.Errorf("the store opens files in %d places, %d of them to make a new one; want 1 and 1", opens, exclusive)
	}
}

// A libc that SQLite's own module was not tested with has broken it before.
func TestLibcIsTheOneSQLiteWasBuiltWith(t *testing.T) {
	t.Parallel()
	selected := goList(t, "modernc.org/libc", "{{if .Replace}}{{.Replace.Version}}{{else}}{{.Version}}{{end}}")
	mod, err := os.ReadFile(goList(t, "modernc.org/sqlite", "{{.GoMod}}"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^\s*modernc\.org/libc (v\S+)`).FindSubmatch(mod)
	if m == nil {
		t.Fatal("SQLite's go.mod does not name libc")
	}
	if want := string(m[1]); selected != want {
		t.Errorf("modernc.org/libc is %s; SQLite was built with %s: replace it by that version in go.mod", selected, want)
	}
}

func goList(t *testing.T, module, format string) string {
	t.Helper()
	out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "go", "list", "-m", "-f", format, module).Output()
	if err != nil {
		t.Fatalf("go list -m %s: %v", module, err)
	}
	return strings.TrimSpace(string(out))
}
