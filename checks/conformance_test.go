package checks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/sqlite"
)

// orderRow is one row of the table that both databases hold.
type orderRow struct {
	id              int
	email, status   any // text or NULL
	amount          any // two decimal places or NULL
	channel, device string
	at              time.Time
}

// orderRows are six weeks of thirty hours, of which the newest lacks a channel
// from 11:00 on; one e-mail is missing, one id comes twice.
func orderRows() []orderRow {
	var rows []orderRow
	for week := range 6 {
		for back := range 30 {
			hour := now.Truncate(time.Hour).AddDate(0, 0, -7*week).Add(-time.Duration(back) * time.Hour)
			for _, s := range []share{{"web", "browser", 20}, {"app", "phone", 15}, {"boxoffice", "pos", 50}} {
				n := s.rows + (week*7+back)%3
				if week == 0 && s.channel == "boxoffice" && !hour.Before(now.Truncate(time.Hour).Add(-time.Hour)) {
					n = 0
				}
				for i := range n {
					at := hour.Add(time.Duration(i) * time.Hour / time.Duration(n)).Truncate(time.Second)
					if at.After(now) {
						continue
					}
					rows = append(rows, orderRow{
						id: len(rows), email: fmt.Sprintf("p%d@example.com", len(rows)), status: []string{"paid", "open", "void"}[i%3],
						amount: fmt.Sprintf("%d.25", i), channel: s.channel, device: s.device, at: at,
					})
				}
			}
		}
	}
	rows[5].id = rows[4].id
	rows[6].email, rows[7].status, rows[8].amount = nil, nil, nil
	return rows
}

// literal writes a value as SQL that both databases read.
func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case int:
		return fmt.Sprint(v)
	}
	return "'" + strings.ReplaceAll(fmt.Sprint(v), "'", "''") + "'"
}

// values are the VALUES of the rows, whose time comes in three ways.
func values(rows []orderRow) []string {
	var out []string
	for _, r := range rows {
		out = append(out, fmt.Sprintf("(%s, %s, %s, %s, %s, %s, '%s', '%s', %d)", literal(r.id), literal(r.email), literal(r.status),
			literal(r.amount), literal(r.channel), literal(r.device),
			r.at.Format("2006-01-02T15:04:05Z"), r.at.Format("2006-01-02 15:04:05"), r.at.Unix()))
	}
	return out
}

const orderColumns = "id INTEGER, email TEXT, status TEXT, amount NUMERIC(10,2), channel TEXT, device TEXT, at_rfc TEXT, at_text TEXT, at_unix BIGINT"

// conformanceTables are the statements that make the tables of the suite, the
// same for both databases.
func conformanceTables() []string {
	rows := values(orderRows())
	out := []string{
		"CREATE TABLE orders (" + orderColumns + ")",
		"CREATE TABLE empty (" + orderColumns + ")",
		"CREATE TABLE dlq (value TEXT, at_rfc TEXT, at_text TEXT, at_unix BIGINT)",
		"INSERT INTO dlq VALUES ('a', '2026-10-01T11:02:00Z', '2026-10-01 11:02:00', 1790852520), ('b', '2026-10-01T11:05:00Z', '2026-10-01 11:05:00', 1790852700)",
	}
	for len(rows) > 0 {
		n := min(1000, len(rows))
		out = append(out, "INSERT INTO orders VALUES "+strings.Join(rows[:n], ","))
		rows = rows[n:]
	}
	return out
}

// nativeTables give PostgreSQL the times in its own types too.
func nativeTables() []string {
	var out []string
	for _, table := range []string{"orders", "empty", "dlq"} {
		out = append(out, "ALTER TABLE "+table+" ADD at_tz timestamptz, ADD at_ts timestamp",
			"UPDATE "+table+" SET at_tz = to_timestamp(at_unix), at_ts = to_timestamp(at_unix) AT TIME ZONE 'UTC'")
	}
	return out
}

// timedSpecs are the kinds that read a column of times, in their ways to pass and
// to fail.
func timedSpecs(column string) map[string]checks.Spec {
	return map[string]checks.Spec{
		"freshness":           {Kind: "freshness", Table: "orders", TimeColumn: column, MaxAge: time.Hour},
		"freshness old":       {Kind: "freshness", Table: "orders", TimeColumn: column, MaxAge: time.Minute, Where: "channel = 'boxoffice'"},
		"freshness empty":     {Kind: "freshness", Table: "empty", TimeColumn: column, MaxAge: time.Hour},
		"volume":              {Kind: "volume", Judge: checks.JudgeWeeks, Table: "orders", TimeColumn: column, MinRows: 5},
		"volume of a channel": {Kind: "volume", Judge: checks.JudgeWeeks, Table: "orders", TimeColumn: column, MinRows: 5, Where: "channel = 'web'"},
		"volume at half past": {Kind: "volume", Judge: checks.JudgeWeeks, Table: "orders", TimeColumn: column, MinRows: 5, Zone: "Asia/Kolkata"},
		"volume of a day":     {Kind: "volume", Judge: checks.JudgeWeeks, Table: "orders", TimeColumn: column, Bucket: "day", Zone: "Europe/Berlin"},
		"volume by detector":  {Kind: "volume", Table: "orders", TimeColumn: column},
		"volume by its days":  {Kind: "volume", Table: "orders", TimeColumn: column, Bucket: "day", Zone: "Europe/Berlin"},
		"anomaly of NULLs":    {Kind: "missing", Table: "orders", TimeColumn: column, Columns: []string{"device", "amount"}, Anomaly: true, Zone: "Asia/Kolkata"},
		"anomaly of a value":  {Kind: "metric", Table: "orders", TimeColumn: column, Expression: "avg(amount)", Anomaly: true},
		"volume empty":        {Kind: "volume", Table: "empty", TimeColumn: column},
		"metric baseline":     {Kind: "metric", Table: "orders", TimeColumn: column, Expression: "count(*)"},
		"metric as usual":     {Kind: "metric", Table: "orders", TimeColumn: column, Expression: "count(DISTINCT device)", Where: "channel = 'web'"},
		"metric of a bucket":  {Kind: "metric", Table: "orders", TimeColumn: column, Expression: "avg(amount)", Threshold: checks.Threshold{Op: ">", Low: 1}},
		"metric partition":    {Kind: "metric", Table: "orders", Expression: "count(*)", PartitionColumn: column, PartitionLast: time.Hour, Threshold: checks.Threshold{Op: "<", Low: 40}},
		"dimension":           {Kind: "dimension", Table: "orders", TimeColumn: column, Dimensions: []string{"channel", "status"}},
		"dimension as usual":  {Kind: "dimension", Table: "orders", TimeColumn: column, Dimensions: []string{"device"}, Where: "channel <> 'boxoffice'"},
		"reconcile":           {Kind: "reconcile", Table: "orders", TimeColumn: column, To: "orders", ToWhere: "channel <> 'app' OR id % 10 <> 3"},
		"reconcile as usual":  {Kind: "reconcile", Table: "orders", TimeColumn: column, To: "orders", Zone: "Asia/Kolkata"},
		"dead_letter":         {Kind: "dead_letter", Table: "dlq", TimeColumn: column},
		"dead_letter share":   {Kind: "dead_letter", Table: "dlq", TimeColumn: column, MainTable: "orders", Share: 50},
		"dead_letter where":   {Kind: "dead_letter", Table: "dlq", TimeColumn: column, Where: "value = 'b'", Max: 1},
		"dead_letter none":    {Kind: "dead_letter", Table: "dlq2", TimeColumn: column},
	}
}

// plainSpecs are the other kinds.
func plainSpecs() map[string]checks.Spec {
	return map[string]checks.Spec{
		"row_count":         {Kind: "row_count", Table: "orders"},
		"row_count none":    {Kind: "row_count", Table: "orders", Where: "channel = 'x'"},
		"row_count empty":   {Kind: "row_count", Table: "empty"},
		"missing":           {Kind: "missing", Table: "orders", Columns: []string{"email", "status", "id"}},
		"missing percent":   {Kind: "missing", Table: "orders", Columns: []string{"email"}, Threshold: checks.Threshold{Op: "<", Low: 1, Percent: true}},
		"missing empty":     {Kind: "missing", Table: "empty", Columns: []string{"email"}},
		"unique":            {Kind: "unique", Table: "orders", Columns: []string{"id"}},
		"unique of two":     {Kind: "unique", Table: "orders", Columns: []string{"id", "email"}},
		"unique empty":      {Kind: "unique", Table: "empty", Columns: []string{"id"}},
		"dead_letter plain": {Kind: "dead_letter", Table: "dlq"},
		"sql":               {Kind: "sql", Query: "SELECT id FROM orders WHERE amount IS NULL -- none"},
		"sql value":         {Kind: "sql", Query: "SELECT sum(amount) FROM orders", Threshold: checks.Threshold{Op: ">", Low: 1}},
	}
}

// compared is what of a Result must be the same on every database.
func compared(r checks.Result) string {
	r.SQL, r.Took = "", 0
	if r.Status == checks.Error {
		return "error" // each database words it its own way
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestConformance asks every kind of both databases, over the same rows with
// times kept in every way that each has, and wants the same verdicts, numbers
// and words of all.
func TestConformance(t *testing.T) {
	t.Parallel()
	file := newWarehouse(t, conformanceTables()...).open(sqlite.Options{})
	pg := postgres(t, append(conformanceTables(), nativeTables()...)...)
	want := map[string]string{}
	learn := func(specs map[string]checks.Spec) {
		for name, spec := range specs {
			text, status := conform(t, file, name, spec)
			if want[name] = text; status != statusOf(name) {
				t.Errorf("%s: status %s, want %s:\n%s", name, status, statusOf(name), text)
			}
		}
	}
	learn(timedSpecs("at_rfc"))
	learn(plainSpecs())
	same := func(database string, q checks.Querier, specs map[string]checks.Spec) {
		for name, spec := range specs {
			if got, _ := conform(t, q, name, spec); got != want[name] {
				t.Errorf("%s on %s, %s:\n%s\nSQLite says:\n%s", name, database, spec.TimeColumn, got, want[name])
			}
		}
	}
	same("SQLite", file, timedSpecs("at_text"))
	same("SQLite", file, timedSpecs("at_unix"))
	same("PostgreSQL", pg, plainSpecs())
	for _, column := range []string{"at_rfc", "at_text", "at_unix", "at_tz", "at_ts"} {
		same("PostgreSQL", pg, timedSpecs(column))
	}
	conformSegments(t, file, pg)
}

// statusOf is the verdict that a Spec of the suite must have.
func statusOf(name string) checks.Status {
	switch name {
	case "freshness", "volume of a channel", "volume at half past", "volume of a day", "dead_letter share", "dead_letter where", "dead_letter none",
		"row_count", "missing percent", "unique of two", "sql value",
		"volume by detector", "volume by its days", "anomaly of NULLs", "metric as usual", "metric of a bucket", "metric partition", "dimension as usual", "reconcile as usual":
		return checks.Pass
	case "missing empty", "unique empty":
		return checks.Error
	case "volume empty":
		return checks.Learning
	}
	return checks.Fail
}

// conform runs one Spec twice, the second time with what the first left.
func conform(t *testing.T, q checks.Querier, name string, spec checks.Spec) (string, checks.Status) {
	t.Helper()
	spec.Name, spec.Connection = name, "warehouse"
	first := checks.Run(context.Background(), spec, q, nil, now)
	if first.Status == checks.Error && statusOf(name) != checks.Error {
		t.Errorf("%s: %s", name, first.Problem)
	}
	second := checks.Run(context.Background(), spec, q, memory{name: first}, now.Add(time.Minute))
	return compared(first) + compared(second), first.Status
}

// conformSegments splits the bad hour on both databases.
func conformSegments(t *testing.T, file, pg checks.Querier) {
	t.Helper()
	end := now.Truncate(time.Hour)
	split := func(q checks.Querier, column string) string {
		spec := checks.Spec{Table: "orders", TimeColumn: column, Where: "id >= 0"}
		a, err := checks.Segments(t.Context(), spec, q, checks.Bucket{Start: end.Add(-time.Hour), End: end}, []string{"channel", "device", "status"})
		if err != nil {
			t.Fatal(err)
		}
		if a.Best == nil || a.Best.Value != "boxoffice" || len(a.SameRows) != 1 {
			t.Errorf("%s: best %+v, same rows %v", column, a.Best, a.SameRows)
		}
		a.SQL = ""
		text, err := json.MarshalIndent(a, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	want := split(file, "at_rfc")
	for _, column := range []string{"at_tz", "at_ts", "at_unix", "at_text"} {
		if got := split(pg, column); got != want {
			t.Errorf("PostgreSQL, %s:\n%s\nSQLite says:\n%s", column, got, want)
		}
	}
}
