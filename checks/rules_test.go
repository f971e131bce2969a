package checks_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/sqlite"
)

// ruleTables are small tables that both databases make from the same text.
var ruleTables = []string{
	"CREATE TABLE customers (id INTEGER, region TEXT)",
	"INSERT INTO customers VALUES (1, 'eu'), (2, 'us'), (NULL, 'eu')",
	"CREATE TABLE sales (id INTEGER NOT NULL, customer INTEGER, email TEXT, status TEXT, amount NUMERIC(10,2), region TEXT, at TEXT)",
	`INSERT INTO sales VALUES
		(1, 1, 'a@x.example', 'paid', 10.50, 'eu', '2026-10-01T09:00:00Z'), (2, 2, 'b@x.example', 'open', 0, 'us', '2026-10-01T10:00:00Z'),
		(3, 7, 'c@x.example', 'lost', -3.25, 'eu', '2026-10-01T11:00:00Z'), (4, 7, 'd@x.example', 'lost', 99, NULL, '2026-10-01T11:10:00Z'),
		(5, 9, 'none', 'paid', 12, 'eu', '2026-09-01T11:00:00Z'), (6, NULL, NULL, NULL, NULL, 'eu', '2026-10-01T11:20:00Z')`,
	"CREATE TABLE many (id INTEGER)",
	"INSERT INTO many WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 201) SELECT i FROM n",
	"CREATE TABLE nobody (id INTEGER, customer INTEGER, amount NUMERIC(10,2), status TEXT)",
}

// ruleCases are what the kinds say of the tables, on either database.
func ruleCases() map[string]ruleCase {
	return map[string]ruleCase{
		"accepted all":             {spec: checks.Spec{Kind: "accepted_values", Columns: []string{"status"}, Values: []string{"paid", "open", "lost"}}, status: checks.Pass, unit: "rows", says: "0 of 5 values of status in sales are not accepted (accepted: paid, open, lost)"},
		"accepted some":            {spec: checks.Spec{Kind: "invalid", Columns: []string{"STATUS"}, Values: []string{"paid", "open"}}, status: checks.Fail, value: 2, unit: "rows", says: "2 of 5 values of STATUS in sales are not accepted (accepted: paid, open), for example lost ×2, which must be = 0", sample: []string{"lost ×2"}},
		"accepted percent":         {spec: checks.Spec{Kind: "accepted_values", Columns: []string{"status"}, Values: []string{"paid", "open"}}, pass: "< 50%", status: checks.Pass, value: 40, unit: "percent", says: "(40%)", sample: []string{"lost ×2"}},
		"accepted warn":            {spec: checks.Spec{Kind: "accepted_values", Columns: []string{"status"}, Values: []string{"paid", "open"}}, warn: "= 0", fail: "< 5", status: checks.Warn, value: 2, unit: "rows", says: "which should be = 0", sample: []string{"lost ×2"}},
		"accepted where":           {spec: checks.Spec{Kind: "accepted_values", Columns: []string{"status"}, Values: []string{"paid", "open"}, Where: "id < 3"}, status: checks.Pass, unit: "rows"},
		"accepted partition":       {spec: checks.Spec{Kind: "accepted_values", Columns: []string{"status"}, Values: []string{"lost"}, PartitionColumn: "at", PartitionLast: 2 * time.Hour}, status: checks.Pass, unit: "rows", says: "0 of 2 values"},
		"accepted numbers as text": {spec: checks.Spec{Kind: "accepted_values", Columns: []string{"id"}, Values: []string{"1", "2", "3", "4", "5", "6"}}, status: checks.Pass, unit: "rows"},
		"accepted length":          {spec: checks.Spec{Kind: "accepted_values", Columns: []string{"status"}}, length: "between 4 and 10", status: checks.Pass, unit: "rows", says: "accepted: a length between 4 and 10"},
		"accepted too short":       {spec: checks.Spec{Kind: "accepted_values", Columns: []string{"region"}}, length: ">= 3", status: checks.Fail, value: 5, unit: "rows", says: "for example eu ×4", sample: []string{"eu ×4", "us ×1"}},
		"accepted of a person":     {spec: checks.Spec{Kind: "accepted_values", Columns: []string{"email"}}, length: ">= 5", status: checks.Fail, value: 1, unit: "rows", says: "(values of email are private and not shown)"},
		"accepted named private":   {spec: checks.Spec{Kind: "accepted_values", Columns: []string{"status"}, Values: []string{"paid"}, Private: []string{"Status"}}, status: checks.Fail, value: 3, unit: "rows", says: "(values of status are private and not shown)"},
		"accepted of none":         {spec: checks.Spec{Kind: "accepted_values", Table: "nobody", Columns: []string{"status"}, Values: []string{"x"}}, status: checks.Error, says: "table nobody is empty"},
		"accepted vanished":        {spec: checks.Spec{Kind: "accepted_values", Table: "gone", Columns: []string{"status"}, Values: []string{"x"}}, status: checks.Error, says: "gone does not exist"},
		"accepted column gone":     {spec: checks.Spec{Kind: "accepted_values", Columns: []string{"state"}, Values: []string{"x"}}, status: checks.Error, says: "no column state; near names: status"},
		"range both":               {spec: checks.Spec{Kind: "range", Columns: []string{"amount"}, Low: new(0.0), High: new(50.0)}, status: checks.Fail, value: 2, unit: "rows", says: "2 of 5 values of amount in sales are outside 0 to 50, for example "},
		"range min":                {spec: checks.Spec{Kind: "accepted_range", Columns: []string{"amount"}, Low: new(-3.25)}, status: checks.Pass, unit: "rows", says: "outside -3.25 and up"},
		"range max":                {spec: checks.Spec{Kind: "range", Columns: []string{"amount"}, High: new(98.99)}, status: checks.Fail, value: 1, unit: "rows", says: "outside up to 98.99"},
		"range percent":            {spec: checks.Spec{Kind: "range", Columns: []string{"amount"}, Low: new(0.0)}, pass: "<= 20%", status: checks.Pass, value: 20, unit: "percent"},
		"range of text":            {spec: checks.Spec{Kind: "range", Columns: []string{"status"}, Low: new(0.0)}, status: checks.Error, says: "column status of sales "},
		"range of none":            {spec: checks.Spec{Kind: "range", Table: "nobody", Columns: []string{"amount"}, Low: new(0.0)}, status: checks.Error, says: "table nobody is empty"},
		"relationships":            {spec: checks.Spec{Kind: "relationships", Columns: []string{"customer"}, To: "customers", ToColumns: []string{"id"}}, status: checks.Fail, value: 3, unit: "rows", says: "3 of 5 values of customer in sales are not in customers (1 more rows have none), for example 7 ×2, which must be = 0", sample: []string{"7 ×2", "9 ×1"}},
		"relationships where":      {spec: checks.Spec{Kind: "reference", Columns: []string{"customer"}, To: "customers", ToColumns: []string{"id"}, Where: "id < 3"}, status: checks.Pass, unit: "rows", says: "0 of 2 values of customer"},
		"relationships of two":     {spec: checks.Spec{Kind: "foreign_key", Columns: []string{"customer", "region"}, To: "customers", ToColumns: []string{"id", "region"}}, pass: "< 60%", status: checks.Pass, value: 50, unit: "percent", says: "2 of 4 values of customer, region in sales are not in customers (50%)"},
		"relationships to itself":  {spec: checks.Spec{Kind: "relationships", Columns: []string{"customer"}, To: "sales", ToColumns: []string{"id"}}, status: checks.Fail, value: 3, unit: "rows", says: "are not in sales"},
		"relationships private":    {spec: checks.Spec{Kind: "relationships", Columns: []string{"email"}, To: "customers", ToColumns: []string{"region"}}, status: checks.Fail, value: 5, unit: "rows", says: "(values of email are private and not shown)"},
		"relationships to none":    {spec: checks.Spec{Kind: "relationships", Columns: []string{"customer"}, To: "nobody", ToColumns: []string{"id"}}, status: checks.Fail, value: 5, unit: "rows"},
		"relationships of none":    {spec: checks.Spec{Kind: "relationships", Table: "nobody", Columns: []string{"customer"}, To: "customers", ToColumns: []string{"id"}}, status: checks.Error, says: "table nobody is empty"},
		"relationships to nowhere": {spec: checks.Spec{Kind: "relationships", Columns: []string{"customer"}, To: "clients", ToColumns: []string{"id"}}, status: checks.Error, says: "clients does not exist"},
		"metric":                   {spec: checks.Spec{Kind: "metric", Expression: "avg(amount)"}, pass: "between 20 and 30", status: checks.Pass, value: 23.65, unit: "value", says: "avg(amount) of sales is 23.65"},
		"metric fail":              {spec: checks.Spec{Kind: "aggregate", Expression: "count(DISTINCT region) -- of all"}, pass: "> 2", status: checks.Fail, value: 2, unit: "value", says: "is 2, which must be > 2"},
		"metric where":             {spec: checks.Spec{Kind: "metric", Expression: "sum(amount)", Where: "status = 'paid'"}, pass: "> 20", status: checks.Pass, value: 22.5, unit: "value"},
		"metric of none":           {spec: checks.Spec{Kind: "metric", Table: "nobody", Expression: "max(amount)"}, pass: "> 0", status: checks.Error, says: "max(amount) over table nobody is NULL"},
		"metric that escapes":      {spec: checks.Spec{Kind: "metric", Expression: "1) FROM customers; SELECT (2"}, pass: "> 0", status: checks.Error, says: "single SELECT"},
		"metric of text":           {spec: checks.Spec{Kind: "metric", Expression: "max(status)"}, pass: "> 0", status: checks.Error, says: `"paid" is not a number`},
		"grouped":                  {spec: checks.Spec{Kind: "row_count", GroupBy: []string{"region"}}, pass: ">= 2", status: checks.Fail, value: 1, unit: "rows", says: "2 of 3 groups of sales by region: region=us: table sales has 1 rows, which must be >= 2; region=NULL: table"},
		"grouped and right":        {spec: checks.Spec{Kind: "metric", Expression: "max(id)", GroupBy: []string{"region", "status"}}, pass: "> 0", status: checks.Pass, value: 3, unit: "value", says: "all 5 groups of sales by region, status are right"},
		"grouped rule":             {spec: checks.Spec{Kind: "range", Columns: []string{"amount"}, Low: new(0.0), GroupBy: []string{"status"}}, warn: "= 0", status: checks.Warn, value: 1, unit: "rows", says: "1 of 4 groups of sales by status: status=lost: 1 of 2 values of amount"},
		"grouped missing":          {spec: checks.Spec{Kind: "missing", Columns: []string{"status"}, GroupBy: []string{"email"}}, status: checks.Fail, value: 1, unit: "rows", says: "email=(private): values are missing in 1 rows"},
		"grouped by none":          {spec: checks.Spec{Kind: "row_count", Table: "nobody", GroupBy: []string{"status"}}, status: checks.Error, says: "there is no row of nobody to group"},
		"grouped by too many":      {spec: checks.Spec{Kind: "row_count", Table: "many", GroupBy: []string{"id"}}, status: checks.Error, says: "more than 200 groups by id"},
		"reconcile":                {spec: checks.Spec{Kind: "reconcile", To: "customers"}, status: checks.Fail, value: 3, unit: "rows", says: "sales on warehouse has 6 rows, customers on warehouse has 3; the difference is 3 rows, which must be = 0"},
		"reconcile percent":        {spec: checks.Spec{Kind: "reconcile", To: "customers"}, pass: "<= 50%", status: checks.Pass, value: 50, unit: "percent"},
		"reconcile parts":          {spec: checks.Spec{Kind: "compare", To: "customers", Where: "region = 'eu'", ToWhere: "region = 'us' OR region = 'eu'", Expression: "count(*) - 1"}, status: checks.Fail, value: 1, unit: "rows", says: "count(*) - 1 is 3 for sales on warehouse and 2 for customers on warehouse; the difference is 1 rows"},
	}
}

type ruleCase struct {
	spec                     checks.Spec
	pass, warn, fail, length string
	status                   checks.Status
	value                    float64
	unit                     string
	says                     string
	sample                   []string
}

// TestRulesOnBothDatabases asks every case of SQLite and of PostgreSQL.
func TestRulesOnBothDatabases(t *testing.T) {
	t.Parallel()
	for database, q := range map[string]checks.Querier{
		"sqlite":   newWarehouse(t, ruleTables...).open(sqlite.Options{}),
		"postgres": postgres(t, ruleTables...),
	} {
		for name, c := range ruleCases() {
			t.Run(database+" "+name, func(t *testing.T) { c.check(t, q) })
		}
	}
}

func (c ruleCase) check(t *testing.T, q checks.Querier) {
	t.Helper()
	r := c.run(t, q)
	if r.Status != c.status || !strings.Contains(r.Message+r.Problem, c.says) {
		t.Fatalf("status %s, want %s: %s %s", r.Status, c.status, r.Message, r.Problem)
	}
	if !slices.Equal(r.Sample, c.sample) && !strings.HasSuffix(c.says, "for example ") && c.sample != nil {
		t.Errorf("sample %q, want %q", r.Sample, c.sample)
	}
	if strings.Contains(c.says, "private") && (len(r.Sample) > 0 || strings.Contains(r.Message, "x.example")) {
		t.Errorf("private values are shown: %q %s", r.Sample, r.Message)
	}
	if c.status == checks.Error {
		if r.Observed != nil {
			t.Errorf("observed %+v", r.Observed)
		}
		return
	}
	if r.Observed == nil || r.Observed.Value != c.value || r.Observed.Unit != c.unit || r.SQL == "" {
		t.Errorf("observed %+v, SQL %q", r.Observed, r.SQL)
	}
}

// TestRegexOfPostgres checks the one thing that SQLite cannot do.
func TestRegexOfPostgres(t *testing.T) {
	t.Parallel()
	c := ruleCase{
		spec:   checks.Spec{Kind: "accepted_values", Columns: []string{"status"}, Regex: "^[op]"},
		status: checks.Fail, value: 2, unit: "rows", says: "accepted: what matches ^[op]",
	}
	c.check(t, postgres(t, ruleTables...))
}

// TestSaysWhenItWasRight checks that a bad verdict tells the last good one.
func TestSaysWhenItWasRight(t *testing.T) {
	t.Parallel()
	spec := checks.Spec{Name: "c", Kind: "range", Table: "sales", Columns: []string{"amount"}, Low: new(0.0), Zone: "Europe/Berlin"}
	db := newWarehouse(t, ruleTables...).open(sqlite.Options{})
	mem := memory{"c": {Status: checks.Pass, At: now.Add(-time.Hour)}}
	if r := checks.Run(t.Context(), spec, db, mem, now); !strings.HasSuffix(r.Message, "; it was right at 2026-10-01 13:20:00 CEST") {
		t.Error(r.Message)
	}
	mem["c"] = checks.Result{Status: checks.Fail, At: now.Add(-time.Hour)}
	if r := checks.Run(t.Context(), spec, db, mem, now); strings.Contains(r.Message, "it was right") {
		t.Error(r.Message)
	}
}
