package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"dw/checks"
	"dw/connectors/postgres"
	"dw/internal/testpg"
)

var server testpg.Shared //nolint:gochecknoglobals // one server for all tests of the binary, ended by TestMain

func TestMain(m *testing.M) {
	code := server.Main(m)
	if code == 0 {
		if err := goleak.Find(); err != nil {
			_, _ = os.Stderr.WriteString("goroutines were left: " + err.Error() + "\n")
			code = 1
		}
	}
	os.Exit(code)
}

var _ checks.Querier = (*postgres.DB)(nil)

// warehouse is a new database whose owner is the superuser of the tests.
type warehouse struct {
	t   *testing.T
	dsn string
}

func newWarehouse(t *testing.T, statements ...string) warehouse {
	t.Helper()
	w := warehouse{t, server.Database(t)}
	w.exec(statements...)
	return w
}

func (w warehouse) connect() *pgx.Conn {
	w.t.Helper()
	conn, err := pgx.Connect(context.Background(), w.dsn)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// exec runs statements as the owner.
func (w warehouse) exec(statements ...string) {
	w.t.Helper()
	conn := w.connect()
	for _, s := range statements {
		if _, err := conn.Exec(context.Background(), s); err != nil {
			w.t.Fatalf("%s: %v", s, err)
		}
	}
}

// open opens the database for reading as the superuser.
func (w warehouse) open(opts postgres.Options) *postgres.DB {
	w.t.Helper()
	if opts.DSN == "" {
		opts.DSN = w.dsn
	}
	db, err := postgres.Open(opts)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := db.Close(); err != nil {
			w.t.Error(err)
		}
	})
	return db
}

// as returns the DSN for another role, made with the attributes given.
func (w warehouse) as(role, attributes string) string {
	w.t.Helper()
	w.exec(fmt.Sprintf("CREATE ROLE %s LOGIN %s", role, attributes))
	u, err := url.Parse(w.dsn)
	if err != nil {
		w.t.Fatal(err)
	}
	u.User = url.User(role)
	return u.String()
}

// one selects a single value.
func one(t *testing.T, db *postgres.DB, text string, args ...any) any {
	t.Helper()
	rows, err := db.Select(t.Context(), text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if len(rows.Values) != 1 || len(rows.Values[0]) != 1 {
		t.Fatalf("%s: rows %v", text, rows.Values)
	}
	return rows.Values[0][0]
}

func TestSelectReads(t *testing.T) {
	t.Parallel()
	db := newWarehouse(t, "CREATE TABLE t (id int, at timestamptz)", "INSERT INTO t SELECT g, '2026-10-01 11:00Z' FROM generate_series(1, 3) g").
		open(postgres.Options{})
	rows, err := db.Select(t.Context(), "SELECT id, at FROM t WHERE at >= $1 AND id > $2 ORDER BY id DESC; -- newest", time.Date(2026, 10, 1, 13, 0, 0, 0, time.FixedZone("", 7200)), int64(1))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows.Values) != 2 || rows.Values[0][0] != int64(3) || strings.Join(rows.Columns, ",") != "id,at" || rows.Truncated {
		t.Errorf("rows %+v", rows)
	}
	if db.Dialect() != "postgres" || one(t, db, "SELECT current_setting('application_name')") != "dw" {
		t.Error("the session is not named")
	}
}

// TestSelectNeverWrites: text that writes is refused by the guard, and what a
// function does in secret by the transaction.
func TestSelectNeverWrites(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, "CREATE TABLE t (x int)", "INSERT INTO t VALUES (1)", "CREATE SEQUENCE s",
		`CREATE FUNCTION sneak() RETURNS int LANGUAGE plpgsql AS 'BEGIN INSERT INTO t VALUES (2); RETURN 1; END'`,
		`CREATE FUNCTION unlock() RETURNS int LANGUAGE plpgsql AS 'BEGIN SET transaction_read_only = off; INSERT INTO t VALUES (2); RETURN 1; END'`,
		`CREATE FUNCTION configure() RETURNS int LANGUAGE plpgsql AS 'BEGIN PERFORM set_config(''transaction_read_only'', ''off'', false); INSERT INTO t VALUES (2); RETURN 1; END'`,
		`CREATE FUNCTION swallow() RETURNS int LANGUAGE plpgsql AS 'BEGIN BEGIN SET TRANSACTION READ WRITE; EXCEPTION WHEN OTHERS THEN END; INSERT INTO t VALUES (2); RETURN 1; END'`,
		`CREATE FUNCTION advance() RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''s'')'`)
	db := w.open(postgres.Options{})
	for text, want := range map[string]string{
		"DELETE FROM t":                  "single SELECT",
		"SELECT 1; DROP TABLE t":         "single SELECT",
		"SELECT * INTO copied FROM t":    "single SELECT",
		"SELECT 1) SELECT (2":            "single SELECT",
		"COPY t TO PROGRAM 'true'":       "single SELECT",
		"SELECT pg_sleep(0)":             "single SELECT",
		"SELECT sneak()":                 "SQLSTATE 25006",
		"SELECT unlock()":                "SQLSTATE 25001",
		"SELECT configure()":             "SQLSTATE 25001",
		"SELECT swallow()":               "SQLSTATE 25006",
		"SELECT advance()":               "SQLSTATE 25006",
		"SELECT x FROM t FOR SHARE":      "SQLSTATE 25006",
		"SELECT lo_import('/etc/hosts')": "single SELECT",
	} {
		rows, err := db.Select(t.Context(), text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: rows %v, error %v, want one that says %q", text, rows.Values, err, want)
		}
	}
	if got := one(t, db, "SELECT count(*) FROM t"); got != int64(1) {
		t.Errorf("the table has %v rows", got)
	}
}

func TestSelectLimits(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	for name, c := range map[string]struct {
		limit int
		want  bool
	}{"one too many": {3, true}, "exactly": {4, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, err := w.open(postgres.Options{MaxRows: c.limit}).Select(t.Context(), "SELECT generate_series(1, 4)")
			if err != nil || len(rows.Values) != min(c.limit, 4) || rows.Truncated != c.want {
				t.Errorf("%d rows, cut %v, %v", len(rows.Values), rows.Truncated, err)
			}
		})
	}
	for name, c := range map[string]struct{ text, guard string }{
		"time":            {"SELECT count(*) FROM generate_series(1, 100000000000)", "time limit"},
		"one huge row":    {"SELECT repeat('x', 20000000)", "size limit"},
		"many large rows": {"SELECT repeat('x', 4000000) FROM generate_series(1, 10)", "size limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := postgres.Options{}
			if name == "time" {
				opts.Timeout = 2 * time.Second
			}
			db := w.open(opts)
			_, err := db.Select(t.Context(), c.text)
			if refused, ok := errors.AsType[*checks.RefusedError](err); !ok || refused.Guard != c.guard {
				t.Fatalf("error %v is not the %s's", err, c.guard)
			}
			if one(t, db, "SELECT 1") != int64(1) {
				t.Error("the pool is of no use afterwards")
			}
		})
	}
}

// TestCostLimit: a statement that the planner finds too costly is never run.
func TestCostLimit(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, "CREATE TABLE big (id int PRIMARY KEY, x text)", "INSERT INTO big SELECT g, 'x' FROM generate_series(1, 20000) g", "ANALYZE big",
		"CREATE TABLE raw (id int, x text)", "INSERT INTO raw SELECT g, 'x' FROM generate_series(1, 20000) g",
		`CREATE TABLE "odd ""t""" (id int)`, `INSERT INTO "odd ""t""" SELECT generate_series(1, 5000)`)
	for name, c := range map[string]struct {
		opts postgres.Options
		text string
		want string // what the refusal says, "" for an answer
	}{
		"cost over":              {postgres.Options{MaxCost: 100}, "SELECT count(*) FROM big", "is over max_cost 100 "},
		"cost under":             {postgres.Options{MaxCost: 10_000}, "SELECT count(*) FROM big", ""},
		"an index is cheap":      {postgres.Options{MaxCost: 100, MaxRowsScanned: 100}, "SELECT x FROM big WHERE id = $1", ""},
		"rows over":              {postgres.Options{MaxRowsScanned: 5000}, "SELECT count(*) FROM big", "20,000 rows to read are over max_rows_scanned 5,000"},
		"a filter reads all":     {postgres.Options{MaxRowsScanned: 5000}, "SELECT count(*) FROM big WHERE x = 'nowhere'", "20,000 rows"},
		"never analysed":         {postgres.Options{MaxRowsScanned: 5000}, "SELECT count(*) FROM raw WHERE x = 'nowhere'", "over max_rows_scanned"},
		"an odd name":            {postgres.Options{MaxRowsScanned: 1000}, `SELECT count(*) FROM "odd ""t"""`, "over max_rows_scanned"},
		"a function's rows":      {postgres.Options{MaxRowsScanned: 1000}, "SELECT count(*) FROM generate_series(1, 1000000)", "1,000,000 rows"},
		"a join in a loop":       {postgres.Options{MaxRowsScanned: 15000}, "SELECT count(*) FROM (SELECT * FROM big LIMIT 10) a, LATERAL (SELECT count(*) FROM big b WHERE b.x > a.x) c", "over max_rows_scanned"},
		"without limits it runs": {postgres.Options{}, "SELECT count(*) FROM big", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var args []any
			if strings.Contains(c.text, "$1") {
				args = []any{int64(7)}
			}
			rows, err := w.open(c.opts).Select(t.Context(), c.text, args...)
			if c.want == "" {
				if err != nil || len(rows.Values) != 1 {
					t.Errorf("rows %v, error %v", rows.Values, err)
				}
				return
			}
			refused, ok := errors.AsType[*checks.RefusedError](err)
			if !ok || refused.Guard != "cost limit" || !strings.Contains(refused.Why, c.want) {
				t.Errorf("error %v does not say %q", err, c.want)
			}
		})
	}
	e, err := w.open(postgres.Options{}).Estimate(t.Context(), "SELECT count(*) FROM big")
	if err != nil || e.Rows != 20_000 || e.Cost < 100 {
		t.Errorf("estimate %+v, %v", e, err)
	}
}

// TestCostLimitRunsNothing: the refusal comes before the statement, not after.
func TestCostLimitRunsNothing(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, "CREATE TABLE t (x int)", "INSERT INTO t SELECT generate_series(1, 1000)",
		`CREATE FUNCTION note(int) RETURNS int LANGUAGE plpgsql COST 1000 AS 'BEGIN RAISE EXCEPTION ''it ran''; END'`)
	_, err := w.open(postgres.Options{MaxCost: 10}).Select(t.Context(), "SELECT note(x) FROM t")
	if _, ok := errors.AsType[*checks.RefusedError](err); !ok {
		t.Errorf("error %v", err)
	}
}

// TestCancelStopsTheServer: when the caller goes away, nothing of the statement
// is left on the server, and the connection is still of use.
func TestCancelStopsTheServer(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	db := w.open(postgres.Options{Connections: 1})
	pid := one(t, db, "SELECT pid FROM pg_stat_activity WHERE application_name = 'dw' AND query LIKE '%this one%'")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := db.Select(ctx, "SELECT count(*) AS endless FROM generate_series(1, 100000000000)")
		ended <- err
	}()
	watcher := w.connect()
	running := func() bool {
		var n int
		if err := watcher.QueryRow(context.Background(),
			"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%endless%' AND pid <> pg_backend_pid()").Scan(&n); err != nil {
			t.Error(err)
		}
		return n > 0
	}
	until(t, "the statement runs", running)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v is not the caller's", err)
	}
	until(t, "the statement has ended on the server", func() bool { return !running() })
	if again := one(t, db, "SELECT pid FROM pg_stat_activity WHERE application_name = 'dw' AND query LIKE '%this one%'"); again != pid {
		t.Errorf("connection %v was lost, now %v", pid, again)
	}
}

// until polls a condition to a deadline.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for limit := time.Now().Add(30 * time.Second); !done(); {
		if time.Now().After(limit) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}
