package checks

import (
	"errors"
	"strings"
	"testing"
)

func TestGuardLetsReadsThrough(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"SELECT 1", "select 1;", "SELECT 1 ; ; ", "  \n WITH a AS (SELECT 1) SELECT * FROM a -- why\n;",
		"/* first; second */ SELECT 'a;b', \"x;y\" FROM t",
		"SELECT 'it''s' || '--' || '/*' FROM t",
		`SELECT "drop", t.update FROM t WHERE s = 'delete from t'`,
		"SELECT replace(a, 'x', 'y') FROM t", "SELECT `plain name`, [other name] FROM t",
		"SELECT 1.5e3, 0xFF, 1e+5, x'00ff', $1, a::text FROM t", "SELECT a -- no\r\nFROM t",
		`SELECT * FROM "a""; drop table x--"`, "SELECT count(*) FILTER (WHERE a > 1) FROM t",
		"SELECT created, deleted_at, inserted FROM updates", "SELECT ünï FROM t",
	} {
		if err := Guard(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestGuardRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":                        "",
		"a comment alone":                "-- SELECT 1",
		"semicolons alone":               ";;",
		"two statements":                 "SELECT 1; SELECT 2",
		"a quote broken out of":          `SELECT * FROM a"; drop table x--`,
		"a string broken out of":         "SELECT 'a'; DROP TABLE x--'",
		"a statement after a comment":    "SELECT 1 /* ; */ ; DELETE FROM t",
		"a comment hiding the end":       "SELECT 1 --\n; DROP TABLE t",
		"delete":                         "DELETE FROM t",
		"delete behind a comment":        "/**/DELETE FROM t",
		"with delete":                    "WITH x AS (SELECT 1) DELETE FROM t",
		"with insert":                    "WITH x AS (SELECT 1) INSERT INTO t SELECT 1",
		"with replace":                   "WITH x AS (SELECT 1) REPLACE INTO t SELECT 1",
		"writing inside with":            "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
		"split by a comment":             "WITH x AS (DEL/**/ETE FROM t) SELECT 1; DELETE FROM t",
		"select into":                    "SELECT * INTO copy FROM t",
		"into after a number with a dot": "SELECT 1.INTO copy",
		"into glued to a number":         "SELECT 1INTO copy",
		"for update":                     "SELECT * FROM t FOR UPDATE",
		"attach":                         "ATTACH 'x' AS y",
		"pragma":                         "PRAGMA query_only = 0",
		"pragma function":                "SELECT * FROM pragma_journal_mode('delete')",
		"pragma function, quoted":        `SELECT * FROM "pragma_user_version"`,
		"pragma function, brackets":      "SELECT * FROM [pragma_user_version]",
		"load_extension":                 "SELECT load_extension ('x')",
		"load_extension, quoted":         `SELECT "load_extension"('x')`,
		"load_extension, comment":        "SELECT load_extension/* */('x')",
		"load_extension, case":           "SELECT Load_Extension('x')",
		"files of PostgreSQL":            "SELECT pg_read_file('/etc/passwd')",
		"setting of PostgreSQL":          "SELECT pg_catalog.set_config('transaction_read_only', 'off', false)",
		"sequence":                       "SELECT nextval('s')",
		"unclosed string":                "SELECT 'a",
		"unclosed quote":                 `SELECT "a`,
		"unclosed comment":               "SELECT 1 /* a",
		"nested comment":                 "SELECT 1 /* /* */ ; DROP TABLE t --*/",
		"carriage return in a comment":   "SELECT 1 --\r'\n; DROP TABLE t --'",
		"escape string":                  `SELECT E'\'; DROP TABLE t --'`,
		"unicode string":                 `SELECT U&'\0027'`,
		"unicode name":                   `SELECT U&"\0064rop"`,
		"dollar quote":                   "SELECT $$a'$$; DROP TABLE t --'$$",
		"dollar tag":                     "SELECT $x$a$x$",
		"bracket with a quote":           "SELECT [a'] ; DROP TABLE t --']",
		"backtick with a semicolon":      "SELECT `a;DROP TABLE t`",
		"NUL":                            "SELECT 1\x00; DROP TABLE t",
		"not UTF-8":                      "SELECT '\xff'",
		"vertical tab":                   "SELECT\v1",
		"parenthesis closed too often":   "SELECT 1) OR (1",
		"parenthesis left open":          "SELECT (1",
		"explain":                        "EXPLAIN SELECT 1",
		"values":                         "VALUES (1)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := Guard(text)
			var refused *RefusedError
			if !errors.As(err, &refused) || refused.Guard != "single SELECT" || refused.Why == "" {
				t.Errorf("%q gave %v", text, err)
			}
		})
	}
}

func TestGuardCondition(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a = 1", "(a = 1) OR b IN (1, 2)", "a = 1 -- why", "s <> ')'"} {
		if err := GuardCondition(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"", "1 = 1) UNION SELECT (1", "1 = 1; DROP TABLE t", "1 = 1 /*", "a = 'x", "a IN (SELECT load_extension('x'))", ")("} {
		if err := GuardCondition(text); err == nil {
			t.Errorf("%s was let through", text)
		}
	}
}

func TestSingle(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"SELECT 1":                   "SELECT 1",
		"SELECT 1 ; -- done; really": "SELECT 1 ",
		"SELECT ';' /* ; */ FROM t;": "SELECT ';' /* ; */ FROM t",
		"SELECT 1 -- ;":              "SELECT 1 -- ;",
	} {
		if got, err := Single(text); err != nil || got != want {
			t.Errorf("%q gave %q, %v; want %q", text, got, err, want)
		}
	}
	if _, err := Single("DROP TABLE t"); err == nil {
		t.Error("a statement that writes was let through")
	}
}

// FuzzGuard checks that what passes holds one statement however it is read: no
// semicolon outside quotes and comments by an independent scan.
func FuzzGuard(f *testing.F) {
	for _, text := range []string{"SELECT 1;", "SELECT 'a;b' -- ;\n", `SELECT "a"";"`, "SELECT $1 /* ; */", "SELECT [a] FROM `b`", "WITH x AS (SELECT 1) DELETE FROM t"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if Guard(text) != nil {
			return
		}
		single, err := Single(text)
		if err != nil || strings.Contains(bare(single), ";") {
			t.Fatalf("%q passed as %q (%v)", text, single, err)
		}
		if err := Guard("SELECT count(*) FROM (\n" + single + "\n) AS t"); err != nil {
			t.Fatalf("%q cannot stand inside another: %v", single, err)
		}
		words := strings.Fields(strings.ToLower(bare(text)))
		if len(words) == 0 || (!strings.HasPrefix(words[0], "select") && !strings.HasPrefix(words[0], "with")) {
			t.Fatalf("%q passed", text)
		}
	})
}

// bare replaces strings, quoted names and comments by spaces, as SQLite reads
// them.
func bare(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		end := ""
		switch {
		case strings.HasPrefix(text[i:], "--"):
			end = "\n"
		case strings.HasPrefix(text[i:], "/*"):
			end = "*/"
		case strings.IndexByte("'\"`", text[i]) >= 0:
			end = text[i : i+1]
		case text[i] == '[':
			end = "]"
		}
		if end == "" {
			out.WriteByte(text[i])
			i++
			continue
		}
		out.WriteByte(' ')
		skip := i + len(end)
		length := strings.Index(text[min(skip, len(text)):], end)
		if length < 0 {
			break
		}
		i = skip + length + len(end)
	}
	return out.String()
}

func BenchmarkGuard(b *testing.B) {
	text := "WITH a AS (SELECT x, count(*) AS n FROM t WHERE s = 'it''s' GROUP BY x) SELECT * FROM a WHERE n > 1 -- end"
	for b.Loop() {
		if err := Guard(text); err != nil {
			b.Fatal(err)
		}
	}
}
