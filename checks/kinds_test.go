package checks_test

import (
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/sqlite"
)

// small is a table of five rows: one NULL e-mail, one key twice.
var small = []string{
	"CREATE TABLE orders (id INTEGER, email TEXT, note TEXT, created_at TEXT)",
	`INSERT INTO orders VALUES (1, 'a@x', NULL, '2026-10-01T08:00:00Z'), (2, 'b@x', NULL, '2026-10-01T09:00:00Z'),
		(3, NULL, NULL, '2026-10-01T10:00:00Z'), (3, 'd@x', 'n', '2026-10-01T11:00:00.5Z'), (NULL, 'e@x', 'n', '2026-10-01T11:30:00Z')`,
}

// lastNight has one row of ten to midnight in Berlin.
var lastNight = []string{"CREATE TABLE orders (id INTEGER, created_at TEXT)", "INSERT INTO orders VALUES (1, '2026-09-30T21:50:00Z')"}

// noOrders is an empty table.
var noOrders = []string{"CREATE TABLE orders (id INTEGER, email TEXT)"}

// futureOrders has one row of twenty minutes ago and one of the year 2100.
var futureOrders = []string{"CREATE TABLE orders (id, created_at)", "INSERT INTO orders VALUES (1, 1790856000), (2, 4102444800)"}

// run runs one Spec on a file made by statements.
func run(t *testing.T, spec checks.Spec, mem checks.Memory, statements ...string) checks.Result {
	t.Helper()
	spec.Name, spec.Connection = "check", "warehouse"
	return checks.Run(t.Context(), spec, newWarehouse(t, statements...).open(sqlite.Options{}), mem, now)
}

func threshold(t *testing.T, text string) checks.Threshold {
	t.Helper()
	th, err := checks.ParseThreshold(text)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec          checks.Spec
		pass, warn    string // thresholds
		tables        []string
		status        checks.Status
		value         float64
		unit          string
		says          []string
		nothingToRead bool
	}{
		"row_count pass":      {spec: checks.Spec{Kind: "row_count", Table: "orders"}, status: checks.Pass, value: 5, unit: "rows", says: []string{"5 rows"}},
		"row_count where":     {spec: checks.Spec{Kind: "row_count", Table: "main.orders", Where: "id = 3"}, status: checks.Pass, value: 2, unit: "rows"},
		"row_count fail":      {spec: checks.Spec{Kind: "row_count", Table: "orders"}, pass: ">= 6", status: checks.Fail, value: 5, unit: "rows", says: []string{"must be >= 6"}},
		"row_count of none":   {spec: checks.Spec{Kind: "row_count", Table: "orders", Where: "id = 9"}, status: checks.Fail, unit: "rows"},
		"row_count warn":      {spec: checks.Spec{Kind: "row_count", Table: "orders"}, warn: "between 6 and 9", status: checks.Warn, value: 5, unit: "rows", says: []string{"should be between 6 and 9"}},
		"row_count no table":  {spec: checks.Spec{Kind: "row_count", Table: "ordrs"}, status: checks.Error, says: []string{"ordrs", "near names: orders", "correct the table"}, nothingToRead: true},
		"missing pass":        {spec: checks.Spec{Kind: "not_null", Table: "orders", Columns: []string{"created_at"}}, status: checks.Pass, unit: "rows"},
		"missing fail":        {spec: checks.Spec{Kind: "missing", Table: "orders", Columns: []string{"email", "note"}}, status: checks.Fail, value: 3, unit: "rows", says: []string{"email 1, note 3"}},
		"missing percent":     {spec: checks.Spec{Kind: "missing", Table: "orders", Columns: []string{"email"}}, pass: "<= 20%", status: checks.Pass, value: 20, unit: "percent"},
		"missing warn":        {spec: checks.Spec{Kind: "missing", Table: "orders", Columns: []string{"email"}}, warn: "< 5%", status: checks.Warn, value: 20, unit: "percent"},
		"missing of no rows":  {spec: checks.Spec{Kind: "missing", Table: "orders", Columns: []string{"email"}, Where: "id = 9"}, status: checks.Pass, unit: "rows", says: []string{"no row of orders where id = 9 was there to judge"}},
		"missing no column":   {spec: checks.Spec{Kind: "missing", Table: "orders", Columns: []string{"e-mail"}}, status: checks.Error, says: []string{"no column e-mail", "near names: email", "correct the column"}, nothingToRead: true},
		"missing case":        {spec: checks.Spec{Kind: "missing", Table: "Orders", Columns: []string{"EMAIL"}}, status: checks.Fail, value: 1, unit: "rows"},
		"unique pass":         {spec: checks.Spec{Kind: "unique", Table: "orders", Columns: []string{"email"}}, status: checks.Pass, unit: "rows", says: []string{"unique in 4 rows"}},
		"unique fail":         {spec: checks.Spec{Kind: "duplicate", Table: "orders", Columns: []string{"id"}}, status: checks.Fail, value: 1, unit: "rows", says: []string{"1 values of id occur more than once", "for example 3 ×2"}},
		"unique together":     {spec: checks.Spec{Kind: "unique", Table: "orders", Columns: []string{"id", "created_at"}}, status: checks.Pass, unit: "rows"},
		"unique where":        {spec: checks.Spec{Kind: "unique", Table: "orders", Columns: []string{"id"}, Where: "email IS NOT NULL"}, status: checks.Pass, unit: "rows"},
		"unique warn":         {spec: checks.Spec{Kind: "unique", Table: "orders", Columns: []string{"id"}, Severity: "warn"}, status: checks.Warn, value: 1, unit: "rows"},
		"unique percent":      {spec: checks.Spec{Kind: "unique", Table: "orders", Columns: []string{"id"}}, pass: "< 26%", status: checks.Pass, value: 25, unit: "percent"},
		"missing of none":     {spec: checks.Spec{Kind: "missing", Table: "orders", Columns: []string{"email"}}, tables: noOrders, status: checks.Error, says: []string{"orders is empty"}, nothingToRead: true},
		"missing where none":  {spec: checks.Spec{Kind: "missing", Table: "orders", Columns: []string{"email"}, Where: "id = 1"}, tables: noOrders, status: checks.Error, says: []string{"orders is empty"}, nothingToRead: true},
		"unique of none":      {spec: checks.Spec{Kind: "unique", Table: "orders", Columns: []string{"id"}}, tables: noOrders, status: checks.Error, says: []string{"orders is empty"}, nothingToRead: true},
		"unique of NULLs":     {spec: checks.Spec{Kind: "unique", Table: "orders", Columns: []string{"id"}}, tables: append(noOrders, "INSERT INTO orders VALUES (NULL, 'a')"), status: checks.Pass, unit: "rows", says: []string{"no row of orders where \"id\" IS NOT NULL"}},
		"unique is private":   {spec: checks.Spec{Kind: "unique", Table: "orders", Columns: []string{"email"}}, tables: append(noOrders, "INSERT INTO orders VALUES (1, 'a@x'), (2, 'a@x')"), status: checks.Fail, value: 1, unit: "rows", says: []string{"values of email are private"}},
		"partition":           {spec: checks.Spec{Kind: "missing", Table: "orders", Columns: []string{"note"}, PartitionColumn: "created_at", PartitionLast: 2 * time.Hour}, status: checks.Pass, unit: "rows"},
		"partition is wider":  {spec: checks.Spec{Kind: "missing", Table: "orders", Columns: []string{"note"}, Where: "id > 0", PartitionColumn: "created_at", PartitionLast: 4 * time.Hour}, status: checks.Fail, value: 2, unit: "rows"},
		"partition is text":   {spec: checks.Spec{Kind: "row_count", Table: "orders", PartitionColumn: "note", PartitionLast: time.Hour}, status: checks.Error, says: []string{"find the partition", "is neither"}, nothingToRead: true},
		"unique no rows":      {spec: checks.Spec{Kind: "unique", Table: "orders", Columns: []string{"id"}, Where: "id = 9"}, status: checks.Pass, unit: "rows"},
		"freshness pass":      {spec: checks.Spec{Kind: "source freshness", Table: "orders", TimeColumn: "created_at", MaxAge: time.Hour}, status: checks.Pass, value: 3000, unit: "seconds", says: []string{"50m old"}},
		"freshness fail":      {spec: checks.Spec{Kind: "freshness", Table: "orders", TimeColumn: "created_at", MaxAge: 30 * time.Minute}, status: checks.Fail, value: 3000, unit: "seconds", says: []string{"allowed is 30m"}},
		"freshness warn":      {spec: checks.Spec{Kind: "freshness", Table: "orders", TimeColumn: "created_at", MaxAge: time.Hour}, warn: "< 600", status: checks.Warn, value: 3000, unit: "seconds"},
		"freshness where":     {spec: checks.Spec{Kind: "freshness", Table: "orders", TimeColumn: "created_at", MaxAge: time.Hour, Where: "id = 1"}, status: checks.Fail, value: 15600, unit: "seconds", says: []string{"4h20m old"}},
		"freshness never":     {spec: checks.Spec{Kind: "freshness", Table: "orders", TimeColumn: "created_at", MaxAge: time.Hour}, tables: []string{"CREATE TABLE orders (created_at TEXT)"}, status: checks.Fail, says: []string{"never been loaded"}, nothingToRead: true},
		"freshness no match":  {spec: checks.Spec{Kind: "freshness", Table: "orders", TimeColumn: "created_at", MaxAge: time.Hour, Where: "id = 9"}, status: checks.Fail, says: []string{"no row of orders has ever met"}, nothingToRead: true},
		"freshness future":    {spec: checks.Spec{Kind: "freshness", Table: "orders", TimeColumn: "created_at", MaxAge: time.Hour}, tables: futureOrders, status: checks.Error, says: []string{"from 2100-01-01 00:00:00 UTC, which is in the future", "with where"}, nothingToRead: true},
		"freshness then left": {spec: checks.Spec{Kind: "freshness", Table: "orders", TimeColumn: "created_at", MaxAge: time.Hour, Where: "id < 2"}, tables: futureOrders, status: checks.Pass, value: 1200, unit: "seconds"},
		"freshness then met":  {spec: checks.Spec{Kind: "freshness", Table: "orders", TimeColumn: "created_at", MaxAge: time.Hour, Where: "id = 2"}, tables: futureOrders, status: checks.Error, says: []string{"in the future"}, nothingToRead: true},
		"freshness skewed":    {spec: checks.Spec{Kind: "freshness", Table: "orders", TimeColumn: "created_at", MaxAge: time.Hour}, tables: []string{"CREATE TABLE orders (created_at)", "INSERT INTO orders VALUES (1790857800), (1790856000)"}, status: checks.Pass, value: 1200, unit: "seconds"},
		"freshness by":        {spec: checks.Spec{Kind: "freshness", Table: "orders", TimeColumn: "created_at", By: "07:00", Zone: "Europe/Berlin"}, status: checks.Pass, value: 3000, unit: "seconds"},
		"freshness not by":    {spec: checks.Spec{Kind: "freshness", Table: "orders", TimeColumn: "created_at", By: "14:00", Zone: "Europe/Berlin"}, tables: lastNight, status: checks.Fail, value: 52200, unit: "seconds", says: []string{"no row of 2026-10-01, which was due by 14:00 CEST; its newest is from 2026-09-30 23:50:00 CEST"}},
		"freshness not yet":   {spec: checks.Spec{Kind: "freshness", Table: "orders", TimeColumn: "created_at", By: "14:30", Zone: "Europe/Berlin"}, tables: lastNight, status: checks.Pass, value: 52200, unit: "seconds"},
		"freshness no time":   {spec: checks.Spec{Kind: "freshness", Table: "orders", TimeColumn: "note", MaxAge: time.Hour}, status: checks.Error, says: []string{`"n" is neither`}, nothingToRead: true},
		"sql no rows":         {spec: checks.Spec{Kind: "sql", Query: "SELECT * FROM orders WHERE id > 9; -- none"}, status: checks.Pass, unit: "rows"},
		"sql rows":            {spec: checks.Spec{Kind: "failed_rows", Query: "WITH a AS (SELECT * FROM orders) SELECT * FROM a WHERE id = 3"}, status: checks.Fail, value: 2, unit: "rows", says: []string{"returned 2 rows"}},
		"sql value":           {spec: checks.Spec{Kind: "sql", Query: "SELECT max(id) FROM orders"}, pass: "= 3", status: checks.Pass, value: 3, unit: "value"},
		"sql value fails":     {spec: checks.Spec{Kind: "sql", Query: "SELECT avg(id) FROM orders"}, pass: "> 2.5", status: checks.Fail, value: 2.25, unit: "value"},
		"sql warn":            {spec: checks.Spec{Kind: "sql", Query: "SELECT 1"}, warn: "> 1", status: checks.Warn, value: 1, unit: "value"},
		"sql NULL":            {spec: checks.Spec{Kind: "sql", Query: "SELECT max(id) FROM orders WHERE id > 9"}, pass: "= 3", status: checks.Error, says: []string{"NULL"}, nothingToRead: true},
		"sql text":            {spec: checks.Spec{Kind: "sql", Query: "SELECT 'many'"}, pass: "= 3", status: checks.Error, says: []string{"not a number"}, nothingToRead: true},
		"sql two columns":     {spec: checks.Spec{Kind: "sql", Query: "SELECT 1, 2"}, pass: "= 3", status: checks.Error, says: []string{"one row of one column"}, nothingToRead: true},
		"sql that writes":     {spec: checks.Spec{Kind: "sql", Query: "DELETE FROM orders"}, status: checks.Error, says: []string{"single SELECT"}, nothingToRead: true},
		"sql that is wrong":   {spec: checks.Spec{Kind: "sql", Query: "SELECT nope FROM orders"}, status: checks.Error, says: []string{"no such column"}, nothingToRead: true},
		"no kind":             {spec: checks.Spec{Kind: "guess", Table: "orders"}, status: checks.Error, says: []string{"no such kind", "row_count"}, nothingToRead: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.spec.Threshold, c.spec.Warn = threshold(t, c.pass), threshold(t, c.warn)
			tables := small
			if c.tables != nil {
				tables = c.tables
			}
			r := run(t, c.spec, nil, tables...)
			if r.Status != c.status {
				t.Fatalf("status %s, want %s: %s %s", r.Status, c.status, r.Message, r.Problem)
			}
			for _, text := range c.says {
				if !strings.Contains(r.Message+"\n"+r.Problem, text) {
					t.Errorf("%q does not say %q", r.Message+r.Problem, text)
				}
			}
			if c.nothingToRead {
				if r.Observed != nil {
					t.Errorf("observed %+v", *r.Observed)
				}
			} else if r.Observed == nil || r.Observed.Value != c.value || r.Observed.Unit != c.unit || r.SQL == "" {
				t.Errorf("observed %+v, SQL %q", r.Observed, r.SQL)
			}
			if (r.Status == checks.Error) != (r.Problem != "") {
				t.Errorf("status %s with the problem %q", r.Status, r.Problem)
			}
		})
	}
}

func TestUniqueSamplesOnlyWhatIsJudged(t *testing.T) {
	t.Parallel()
	r := run(t, checks.Spec{Kind: "unique", Table: "orders", Columns: []string{"id"}, Where: "id < 10"}, nil,
		"CREATE TABLE orders (id)", "INSERT INTO orders VALUES (1), (1), (2), (2), (2), (70), (70), (3)")
	if strings.Join(r.Sample, "; ") != "2 ×3; 1 ×2" || r.Observed.Value != 3 {
		t.Errorf("sample %v, observed %v", r.Sample, r.Observed)
	}
}

func TestAwkwardTableNames(t *testing.T) {
	t.Parallel()
	for _, table := range []string{`a"; drop table orders--`, "a.b", `say "hi"`, "it's", "select", "ünï cøde", "a b", "[x]", "`y`", "100%"} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			quoted, err := checks.Quote("sqlite", table)
			if err != nil {
				t.Fatal(err)
			}
			w := newWarehouse(t, small...)
			w.exec("CREATE TABLE " + quoted + " (" + quoted + ")")
			w.exec("INSERT INTO " + quoted + " VALUES (1), (1), (NULL)")
			db := w.open(sqlite.Options{})
			for kind, want := range map[string]float64{"row_count": 3, "missing": 1, "unique": 1} {
				spec := checks.Spec{Name: "c", Kind: kind, Table: table, Columns: []string{table}}
				if r := checks.Run(t.Context(), spec, db, nil, now); r.Observed == nil || r.Observed.Value != want {
					t.Errorf("%s: %s %s", kind, r.Message, r.Problem)
				}
			}
			if r := checks.Run(t.Context(), checks.Spec{Name: "c", Kind: "row_count", Table: "orders"}, db, nil, now); r.Status != checks.Pass {
				t.Errorf("orders is gone: %s", r.Problem)
			}
		})
	}
}

func TestSkippedWhenTooCostly(t *testing.T) {
	t.Parallel()
	endless := "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
	t.Run("time limit of the connection", func(t *testing.T) {
		t.Parallel()
		db := newWarehouse(t, small...).open(sqlite.Options{Timeout: 30 * time.Millisecond})
		r := checks.Run(t.Context(), checks.Spec{Name: "c", Kind: "sql", Query: endless}, db, nil, now)
		if r.Status != checks.Skipped || !strings.Contains(r.Problem, "time limit") {
			t.Errorf("%s: %s", r.Status, r.Problem)
		}
	})
	t.Run("timeout of the check", func(t *testing.T) {
		t.Parallel()
		db := newWarehouse(t, small...).open(sqlite.Options{})
		r := checks.Run(t.Context(), checks.Spec{Name: "c", Kind: "sql", Query: endless, Timeout: 30 * time.Millisecond}, db, nil, now)
		if r.Status != checks.Skipped || !strings.Contains(r.Problem, "longer than 30ms") {
			t.Errorf("%s: %s", r.Status, r.Problem)
		}
	})
	t.Run("row limit", func(t *testing.T) {
		t.Parallel()
		w := newWarehouse(t)
		w.fill(rfc3339, 8, same)
		r := checks.Run(t.Context(), volumeSpec(), w.open(sqlite.Options{MaxRows: 10}), nil, now)
		if r.Status != checks.Skipped || !strings.Contains(r.Problem, "row limit") {
			t.Errorf("%s: %s", r.Status, r.Problem)
		}
	})
}

func TestNoConnection(t *testing.T) {
	t.Parallel()
	r := checks.Run(t.Context(), checks.Spec{Name: "c", Kind: "row_count", Table: "t"}, nil, nil, now)
	if r.Status != checks.Error || !strings.Contains(r.Problem, "no such connection") {
		t.Errorf("%s: %s", r.Status, r.Problem)
	}
}
