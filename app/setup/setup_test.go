package setup_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the warehouse's driver

	"dw/app/setup"
	"dw/checks"
	"dw/config"
	"dw/connectors/sqlite"
)

var now = time.Date(2026, 10, 1, 12, 20, 0, 0, time.UTC)

// open makes a warehouse of the statements and opens it as dw does.
func open(t *testing.T, statements ...string) *sqlite.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "warehouse.db")
	w, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := w.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestProposeWhatHolds: the proposed checks pass now, name the likeliest columns,
// and what could not be proposed is said.
func TestProposeWhatHolds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		statements []string
		want       []string // kind column max_age
		notes      int
	}{
		"a table with key and load time": {[]string{
			"CREATE TABLE orders (customer_id INT, order_id INT, created_at TEXT, loaded_at TEXT)",
			"INSERT INTO orders VALUES (7, 1, '2026-09-01T00:00:00Z', '2026-10-01T12:00:00Z'), (7, 2, '2026-09-02T00:00:00Z', '2026-10-01T11:00:00Z')",
		}, []string{"row_count", "freshness loaded_at 2h0m0s", "unique order_id"}, 0},
		"loaded daily": {[]string{
			"CREATE TABLE orders (id INT, day TEXT, updated_at TEXT)", "INSERT INTO orders VALUES (1, 'x', '2026-10-01T02:00:00Z')",
		}, []string{"row_count", "freshness updated_at 26h0m0s", "unique id"}, 0},
		"loaded five days ago": {[]string{
			"CREATE TABLE orders (id INT, updated_at TEXT)", "INSERT INTO orders VALUES (1, '2026-09-26T02:00:00Z')",
		}, []string{"row_count", "freshness updated_at 288h0m0s", "unique id"}, 0},
		"a key with duplicates": {[]string{
			"CREATE TABLE orders (order_id INT, line_id INT)", "INSERT INTO orders VALUES (1, 1), (1, 2)",
		}, []string{"row_count", "unique line_id"}, 1},
		"nothing to go by": {[]string{"CREATE TABLE orders (a INT)", "INSERT INTO orders VALUES (1)"}, []string{"row_count"}, 2},
		"empty":            {[]string{"CREATE TABLE orders (id INT, updated_at TEXT)"}, []string{"row_count"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := setup.Propose(t.Context(), open(t, tc.statements...), "warehouse", "orders", now)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range p.Checks {
				text := c.Spec.Kind
				switch c.Spec.Kind {
				case checks.KindFreshness:
					text += fmt.Sprintf(" %s %s", c.Spec.TimeColumn, c.Spec.MaxAge)
				case checks.KindUnique:
					text += " " + strings.Join(c.Spec.Columns, ",")
				}
				got = append(got, text)
			}
			if name == "empty" { // whether an empty key is unique is the check's business
				got = got[:1]
			} else if len(p.Notes) != tc.notes {
				t.Errorf("notes %q, want %d", p.Notes, tc.notes)
			}
			if strings.Join(got, "; ") != strings.Join(tc.want, "; ") {
				t.Errorf("proposed %q, want %q", got, tc.want)
			}
		})
	}
	if _, err := setup.Propose(t.Context(), open(t, "CREATE TABLE orders (a INT)"), "warehouse", "ordrs", now); err == nil || !strings.Contains(err.Error(), "orders") {
		t.Errorf("a missing table: %v, want the near name", err)
	}
}

func answers() setup.Answers {
	return setup.Answers{
		Instance: "acme", Timezone: "Europe/Berlin", BotName: "dw", Command: "/dw", Kind: config.KindSQLite, Database: "w.db",
		Domain: "shop", Owner: "ann@acme.example", Channel: "C0DATA",
	}
}

// TestFilesAreRefused: an answer that makes a wrong configuration is refused by
// name, before anything is written.
func TestFilesAreRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		worse func(*setup.Answers)
		says  string
	}{
		"domain":   {func(a *setup.Answers) { a.Domain = "a: b" }, `"a: b" is no name for a domain`},
		"channel":  {func(a *setup.Answers) { a.Channel = "#data" }, "domains.shop.channel"},
		"owner":    {func(a *setup.Answers) { a.Owner = "ann" }, "people.owner.slack"},
		"timezone": {func(a *setup.Answers) { a.Timezone = "Mars" }, "timezone"},
		"instance": {func(a *setup.Answers) { a.Instance = "A B" }, "instance"},
		"kind":     {func(a *setup.Answers) { a.Kind = "oracle" }, `"oracle" is no kind of warehouse`},
		"secret":   {func(a *setup.Answers) { a.BotToken = "xoxb-a'b" }, "SLACK_BOT_TOKEN holds a quote"},
		"command":  {func(a *setup.Answers) { a.Command = "dw" }, "must be a slash"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := answers()
			a.Database = filepath.Join(t.TempDir(), "w.db")
			if err := os.WriteFile(a.Database, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := setup.Files(t.TempDir(), a, setup.Proposal{}); err != nil {
				t.Fatalf("the answers were wrong before: %v", err)
			}
			tc.worse(&a)
			if _, err := setup.Files(t.TempDir(), a, setup.Proposal{}); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want %q", err, tc.says)
			}
		})
	}
}

// TestTheDSNIsNoPartOfTheConfiguration: a password lands in .env alone.
func TestTheDSNIsNoPartOfTheConfiguration(t *testing.T) {
	t.Parallel()
	a := answers()
	a.Kind, a.Database = config.KindPostgres, "postgres://dw:s3cret@db.example.com/shop"
	files, err := setup.Files(t.TempDir(), a, setup.Proposal{Table: "public.orders"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		holds := strings.Contains(string(f.Content), "s3cret")
		if holds != (f.Name == config.EnvFileName) {
			t.Errorf("%s holds the password: %v", f.Name, holds)
		}
		if holds && f.Mode != 0o600 {
			t.Errorf("%s has mode %v", f.Name, f.Mode)
		}
	}
}

// TestInstance makes a good name of a folder's.
func TestInstance(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"My Data!": "my-data", "..": "dw", "acme.prod-1": "acme.prod-1", "": "dw", strings.Repeat("x", 80): strings.Repeat("x", 63)} {
		if got := setup.Instance(text); got != want {
			t.Errorf("Instance(%q) = %q, want %q", text, got, want)
		}
	}
}
