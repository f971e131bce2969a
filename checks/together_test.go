package checks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/sqlite"
)

// asks is a connection that remembers what it was asked and may refuse.
type asks struct {
	checks.Querier
	texts  []string
	refuse func(text string) error
	cut    func(text string) bool // lose the last column
}

func (a *asks) Select(ctx context.Context, text string, args ...any) (checks.Rows, error) {
	a.texts = append(a.texts, text)
	if a.refuse != nil {
		if err := a.refuse(text); err != nil {
			return checks.Rows{}, err
		}
	}
	rows, err := a.Querier.Select(ctx, text, args...)
	if a.cut != nil && a.cut(text) {
		for i, row := range rows.Values {
			rows.Values[i] = row[:len(row)-1]
		}
	}
	return rows, err
}

// randomTable is the SQL of a small table in which anything may be wrong.
func randomTable(r *rand.Rand, numeric, amounts string) []string {
	out := []string{
		"DROP TABLE IF EXISTS orders",
		"CREATE TABLE orders (id INTEGER, email TEXT, status TEXT, amount " + numeric + ", at TEXT)",
	}
	odd := func(chance float64, then, otherwise string) string {
		if r.Float64() < chance {
			return then
		}
		return otherwise
	}
	nulls, words := r.Float64()/2, r.Float64()*r.Float64()/3
	if amounts == "" {
		words = 0
	}
	first := now.Add(-time.Duration(r.IntN(60*24)) * time.Hour)
	for i := range r.IntN(40) {
		at := first.Add(time.Duration(r.Int64N(int64(now.Sub(first) + 1))))
		if r.IntN(60) == 0 {
			at = now.Add(3 * time.Hour)
		}
		out = append(out, fmt.Sprintf("INSERT INTO orders VALUES (%s, %s, %s, %s, %s)",
			odd(nulls, "NULL", fmt.Sprint(r.IntN(i+2))), odd(nulls, "NULL", fmt.Sprintf("'p%d@example.com'", i)),
			odd(nulls, "NULL", "'"+[]string{"paid", "open", "void", "Paid "}[r.IntN(4)]+"'"),
			odd(words, amounts, odd(nulls, "NULL", fmt.Sprintf("%d.25", r.IntN(20)-5))),
			odd(nulls/4, "NULL", at.Format("'2006-01-02T15:04:05Z'"))))
	}
	return out
}

// randomSpec is a check of that table, now and then a wrong one.
func randomSpec(r *rand.Rand, name string, dialect string) checks.Spec {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	column := func() []string { return []string{pick("id", "email", "status", "amount", "at", "nosuch")} }
	s := checks.Spec{Name: name, Table: pick("orders", "orders", "orders", "orders", "nosuch"), Connection: "warehouse", Severity: pick("", "warn")}
	s.Kind = pick("row_count", "row_count", "missing", "missing", "accepted_values", "range", "metric", "metric", "metric",
		"freshness", "freshness", "volume", "unique", "dead_letter", "schema", "sql", "reconcile", "relationships")
	s.Where = pick("", "", "", "status = 'paid'", "id > 3 -- some", "nosuch = 1")
	switch s.Kind {
	case "missing", "unique":
		s.Columns = column()
	case "relationships":
		s.Columns, s.To = []string{"id"}, "orders"
	case "accepted_values":
		s.Columns, s.Values = column(), []string{"paid", pick("open", "1")}
	case "range":
		low := float64(r.IntN(9)) - 4
		s.Columns, s.Low = []string{pick("id", "amount")}, &low
	case "metric":
		s.Expression = pick("avg(amount)", "count(*)", "sum(id) + 1", "max(amount) - min(amount)", "coalesce(sum(amount), 0)",
			"count(DISTINCT status)", "amount", "1", "min(id, 3)", "sum(nosuch)", "sum(abs(-9223372036854775807 - 1))", "sum(1 / (id - 3))",
			"count(*), count(id)", "avg(amount) -- mean")
		s.Threshold = checks.Threshold{Op: ">", Low: float64(r.IntN(5))}
		if r.IntN(4) == 0 {
			s.TimeColumn = "at"
		}
	case "freshness", "volume", "dead_letter":
		s.TimeColumn, s.MinRows = "at", 1
		if s.Kind == "freshness" {
			s.MaxAge = time.Duration(r.IntN(300)+1) * time.Minute
		}
		if s.Kind == "dead_letter" {
			s.MainTable, s.Share = "orders", 50
		}
	case "sql":
		s.Where, s.Query = "", "SELECT id FROM orders WHERE amount < 0"
	case "reconcile":
		s.To, s.ToWhere = "orders", "id <> 4"
	}
	switch s.Kind {
	case "row_count", "missing", "accepted_values", "range", "metric":
		if s.TimeColumn == "" && r.IntN(3) == 0 {
			s.GroupBy = []string{"status"}
		}
		if s.TimeColumn == "" && r.IntN(3) == 0 {
			s.PartitionColumn, s.PartitionLast = "at", time.Duration(r.IntN(72)+1)*time.Hour
		}
	}
	return s
}

// TestTogetherIsAlone asks random checks of random tables together, and wants of
// each the very Result that it has alone: status, numbers, words and SQL.
func TestTogetherIsAlone(t *testing.T) {
	t.Parallel()
	const rounds = 48
	w := newWarehouse(t, "CREATE TABLE orders (id INTEGER)")
	file := w.open(sqlite.Options{})
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 6))
		for _, text := range randomTable(r, "NUMERIC", "'many'") {
			w.exec(text)
		}
		compareTogether(t, r, seed, file)
	}
	pg := postgres(t)
	for seed := range rounds / 4 {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		for _, text := range randomTable(r, "NUMERIC(10,2)", "") {
			if _, err := pg.conn.Exec(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		}
		compareTogether(t, r, seed, pg)
	}
}

func compareTogether(t *testing.T, r *rand.Rand, seed int, q checks.Querier) {
	t.Helper()
	var all []checks.Asked
	mem := memory{}
	for i := range 1 + r.IntN(14) {
		spec := randomSpec(r, fmt.Sprint("c", i), q.Dialect())
		all = append(all, checks.Asked{Spec: spec})
		if r.IntN(2) == 0 {
			mem[spec.Name] = checks.Run(t.Context(), spec, q, nil, now.Add(-time.Hour))
		}
	}
	together := checks.RunTogether(t.Context(), all, q, mem, now, nil)
	for i, asked := range all {
		alone := written(t, checks.Run(t.Context(), asked.Spec, q, mem, now))
		if got := written(t, together[i]); got != alone {
			t.Errorf("%s, seed %d: together\n%s\nalone\n%s\nof %+v", q.Dialect(), seed, got, alone, asked.Spec)
		}
	}
}

// written is all of a Result.
func written(t *testing.T, result checks.Result) string {
	t.Helper()
	text, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tableChecks are checks of one table of which all can be asked in one SELECT.
func tableChecks() []checks.Asked {
	var all []checks.Asked
	for _, spec := range []checks.Spec{
		{Kind: "row_count"},
		{Kind: "missing", Columns: []string{"email"}},
		{Kind: "missing", Columns: []string{"status", "email"}},
		{Kind: "accepted_values", Columns: []string{"status"}, Values: []string{"paid", "open", "void"}},
		{Kind: "metric", Expression: "avg(amount)", Threshold: checks.Threshold{Op: ">", Low: 1}},
		{Kind: "metric", Expression: "sum(amount) / count(*)", Threshold: checks.Threshold{Op: ">", Low: 1}},
		{Kind: "freshness", TimeColumn: "at_rfc", MaxAge: time.Hour},
	} {
		spec.Name, spec.Table, spec.Connection = fmt.Sprint("c", len(all)), "orders", "warehouse"
		all = append(all, checks.Asked{Spec: spec})
	}
	return all
}

// TestOneScan counts the statements that several checks of one table cost.
func TestOneScan(t *testing.T) {
	t.Parallel()
	file := newWarehouse(t, conformanceTables()...).open(sqlite.Options{})
	aggregates := func(text string) int { return strings.Count(text, "count(") + strings.Count(text, "avg(") }
	cost := func(most int) func(string) error {
		return func(text string) error {
			if n := aggregates(text); n > most {
				return &checks.RefusedError{Guard: "cost limit", Why: fmt.Sprintf("too costly: %d", n)}
			}
			return nil
		}
	}
	wide := make([]checks.Asked, 130)
	for i := range wide {
		wide[i] = checks.Asked{Spec: checks.Spec{
			Name: fmt.Sprint("w", i), Kind: "metric", Table: "orders", Expression: fmt.Sprintf("sum(id) + %d + count(*)", i),
			Threshold: checks.Threshold{Op: ">", Low: 0},
		}}
	}
	for name, c := range map[string]struct {
		all    []checks.Asked
		q      *asks
		texts  int            // statements
		status map[int]string // of those that are not as alone on an open connection
	}{
		"one statement":        {all: tableChecks(), q: &asks{}, texts: 1},
		"two by their number":  {all: append(wide, wide...), q: &asks{}, texts: 2},
		"asked in halves":      {all: tableChecks(), q: &asks{refuse: cost(5)}, texts: 3},
		"one is too costly":    {all: tableChecks(), q: &asks{refuse: cost(2)}, texts: 11, status: map[int]string{2: "skipped", 3: "skipped"}},
		"a column of it lacks": {all: tableChecks(), q: &asks{cut: func(text string) bool { return aggregates(text) > 3 }}, texts: 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.q.Querier = file
			results := checks.RunTogether(t.Context(), c.all, c.q, nil, now, nil)
			if len(c.q.texts) != c.texts {
				t.Errorf("%d statements, want %d:\n%s", len(c.q.texts), c.texts, strings.Join(c.q.texts, "\n\n"))
			}
			for i, result := range results {
				want := checks.Run(t.Context(), c.all[i].Spec, file, nil, now)
				if status := c.status[i]; status != "" {
					if string(result.Status) != status || !strings.Contains(result.Message, "too costly") {
						t.Errorf("%s: %s %s", c.all[i].Spec.Kind, result.Status, result.Message)
					}
				} else if got := written(t, result); got != written(t, want) {
					t.Errorf("%s: %s\nwant %s", c.all[i].Spec.Kind, got, written(t, want))
				}
			}
		})
	}
}

// TestTogetherTrouble checks what happens to the others where one goes wrong.
func TestTogetherTrouble(t *testing.T) {
	t.Parallel()
	db := newWarehouse(t, conformanceTables()...).open(sqlite.Options{})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, result := range checks.RunTogether(ctx, tableChecks(), db, nil, now, nil) {
			if result.Status != checks.Error || !strings.Contains(result.Problem, "cancel") {
				t.Errorf("%s: %s %s", result.Check, result.Status, result.Problem)
			}
		}
	})
	t.Run("no connection", func(t *testing.T) {
		t.Parallel()
		for _, result := range checks.RunTogether(t.Context(), tableChecks(), nil, nil, now, nil) {
			if result.Status != checks.Error || !strings.Contains(result.Problem, "no such connection") {
				t.Errorf("%s: %s %s", result.Check, result.Status, result.Problem)
			}
		}
	})
	t.Run("out of time together, not alone", func(t *testing.T) {
		t.Parallel()
		q := &asks{Querier: db, refuse: func(text string) error {
			if strings.Contains(text, "avg(") && strings.Contains(text, "FILTER") {
				return &checks.RefusedError{Guard: "time limit", Why: "longer than 1s"}
			}
			return nil
		}}
		for _, result := range checks.RunTogether(t.Context(), tableChecks(), q, nil, now, nil) {
			if result.Status == checks.Skipped || result.Status == checks.Error {
				t.Errorf("%s: %s", result.Check, result.Problem)
			}
		}
		if n := len(tableChecks()); len(q.texts) != n+1 {
			t.Errorf("%d statements, want %d", len(q.texts), n+1)
		}
	})
	t.Run("a connection that panics", func(t *testing.T) {
		t.Parallel()
		q := &asks{Querier: db, refuse: func(text string) error {
			if strings.Contains(text, "avg(") {
				panic("out of range")
			}
			return nil
		}}
		for i, result := range checks.RunTogether(t.Context(), tableChecks(), q, nil, now, nil) {
			if wrong := i == 4; (result.Status == checks.Error) != wrong {
				t.Errorf("%s: %s %s", result.Check, result.Status, result.Problem)
			}
		}
	})
	t.Run("a slow question of another", func(t *testing.T) {
		t.Parallel()
		slow := checks.Asked{Spec: checks.Spec{Name: "slow", Kind: "sql", Query: "SELECT id FROM orders WHERE amount IS NULL"}}
		q := &asks{Querier: db}
		asked := map[int]int{}
		all := append([]checks.Asked{slow}, tableChecks()...)
		checks.RunTogether(t.Context(), all, q, nil, now, func(i int, result checks.Result) {
			if asked[i] = len(q.texts); result.Check != all[i].Spec.Name || result.Status == "" {
				t.Errorf("result %+v of check %s", result, all[i].Spec.Name)
			}
		})
		for i := range all {
			if want := map[bool]int{true: 2, false: 1}[i == 0]; asked[i] != want {
				t.Errorf("check %d has its result after %d questions, want %d", i, asked[i], want)
			}
		}
	})
	t.Run("a time limit of its own", func(t *testing.T) {
		t.Parallel()
		all := tableChecks()
		all[3].Spec.Timeout = time.Minute
		q := &asks{Querier: db}
		checks.RunTogether(t.Context(), all, q, nil, now, nil)
		if len(q.texts) != 2 {
			t.Errorf("%d statements, want 2", len(q.texts))
		}
	})
}
