package checks_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/sqlite"
)

// TestSchemaOverTime runs one check again and again on each database while the
// table changes.
func TestSchemaOverTime(t *testing.T) {
	t.Parallel()
	create := "CREATE TABLE sales (id INTEGER NOT NULL, amount NUMERIC(10,2), status TEXT)"
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		w := newWarehouse(t, create)
		schemaOverTime(t, w.open(sqlite.Options{}), func(text string) { w.exec(text) })
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		pg := postgres(t, create)
		schemaOverTime(t, pg, func(text string) {
			if _, err := pg.conn.Exec(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		})
	})
}

func schemaOverTime(t *testing.T, q checks.Querier, exec func(string)) {
	t.Helper()
	spec := checks.Spec{Name: "c", Kind: "schema_changes", Table: "sales"}
	mem := memory{}
	at := now
	step := func(name string, status checks.Status, says ...string) {
		t.Helper()
		at = at.Add(time.Hour)
		r := checks.Run(t.Context(), spec, q, mem, at)
		if r.Status != status {
			t.Fatalf("%s: %s, want %s: %s %s", name, r.Status, status, r.Message, r.Problem)
		}
		for _, text := range says {
			if !strings.Contains(r.Message+r.Problem, text) {
				t.Errorf("%s: %q does not say %q", name, r.Message+r.Problem, text)
			}
		}
		if status != checks.Error {
			mem["c"] = r
		}
	}
	step("first", checks.Learning, "learned the 3 columns of sales; the next run compares with them")
	step("same", checks.Pass, "the 3 columns of sales are as they were")
	exec("ALTER TABLE sales ADD COLUMN note TEXT")
	step("added", checks.Warn, "changed after 2026-10-01 14:20:00 UTC", "1 added: note", "set accepted_at to 2026-10-01T15:20:01Z or later")
	spec.AllowNew = true
	step("added is allowed", checks.Pass, "1 new, which is allowed: note")
	step("and learned", checks.Pass, "the 4 columns of sales are as they were")
	exec("ALTER TABLE sales RENAME COLUMN amount TO gross_amount")
	step("renamed", checks.Fail, "changed after 2026-10-01 17:20:00 UTC: 1 perhaps renamed: amount → gross_amount")
	if got := mem["c"].Renamed; len(got) != 1 || got[0] != (checks.Rename{From: "amount", To: "gross_amount"}) {
		t.Errorf("the result names the renames %+v", got)
	}
	step("still renamed", checks.Fail, "changed after 2026-10-01 17:20:00 UTC")
	spec.Renamed = []checks.Rename{{From: "amount", To: "net_amount"}}
	step("another name was approved", checks.Fail, "1 perhaps renamed: amount → gross_amount")
	spec.Renamed = []checks.Rename{{From: "amount", To: "gross_amount"}}
	before := mem["c"]
	step("this name was approved", checks.Pass, "but for what was approved: amount → gross_amount")
	spec.Renamed = nil
	step("and learned", checks.Pass, "the 4 columns of sales are as they were")
	mem["c"] = before
	exec("ALTER TABLE sales DROP COLUMN note")
	spec.Renamed = []checks.Rename{{From: "amount", To: "gross_amount"}}
	step("and more happened than was approved", checks.Fail, "1 removed: note", "1 perhaps renamed: amount → gross_amount")
	spec.Renamed = nil
	exec("ALTER TABLE sales ADD COLUMN note TEXT")
	exec("ALTER TABLE sales RENAME COLUMN gross_amount TO amount")
	step("taken back", checks.Pass, "the 4 columns")
	exec("ALTER TABLE sales DROP COLUMN status")
	step("removed", checks.Fail, "1 removed: status")
	spec.AcceptedAt = at
	step("accepted", checks.Learning, "learned the 3 columns")
	step("after it", checks.Pass)
	spec.Columns, spec.Forbidden = []string{"id", "region"}, []string{"NOTE"}
	spec.Types = map[string]string{"ID": "integer", "amount": "text"}
	step("contract", checks.Fail, "required column region is not there; forbidden column NOTE is there; column amount is ", ", not text")
	exec("DROP TABLE sales")
	step("vanished", checks.Error, "sales does not exist")
}

// TestSchemaRetyped checks what only PostgreSQL can do to a table.
func TestSchemaRetyped(t *testing.T) {
	t.Parallel()
	pg := postgres(t, "CREATE TABLE sales (id integer NOT NULL, amount numeric(10,2), status text)")
	spec := checks.Spec{Name: "c", Kind: "schema", Table: "sales"}
	mem := memory{"c": checks.Run(t.Context(), spec, pg, nil, now)}
	for _, text := range []string{
		"ALTER TABLE sales ALTER id DROP NOT NULL", "ALTER TABLE sales ALTER amount TYPE text", "ALTER TABLE sales ALTER status SET NOT NULL",
	} {
		if _, err := pg.conn.Exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	r := checks.Run(t.Context(), spec, pg, mem, now.Add(time.Hour))
	want := "1 of another type: amount numeric(10,2) → text; 1 may be NULL now: id; 1 may not be NULL any more: status; if"
	if r.Status != checks.Fail || !strings.Contains(r.Message, want) || r.Observed.Value != 3 {
		t.Errorf("%s: %s %s", r.Status, r.Message, r.Problem)
	}
}

// TestSchemaReordered checks that columns in another order are a warning.
func TestSchemaReordered(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, "CREATE TABLE sales (a, b, c)")
	spec := checks.Spec{Name: "c", Kind: "schema", Table: "sales"}
	mem := memory{"c": checks.Run(t.Context(), spec, w.open(sqlite.Options{}), nil, now)}
	w.exec("DROP TABLE sales")
	w.exec("CREATE TABLE sales (a, c, b)")
	r := checks.Run(t.Context(), spec, w.open(sqlite.Options{}), mem, now.Add(time.Hour))
	if r.Status != checks.Warn || !strings.Contains(r.Message, "the order changed") || r.Observed.Value != 1 {
		t.Errorf("%s: %s %s", r.Status, r.Message, r.Problem)
	}
}

// TestSchemaOfEightyColumns checks that a change of everything is one sentence
// that a person can read.
func TestSchemaOfEightyColumns(t *testing.T) {
	t.Parallel()
	list := func(name, typ string) string {
		var columns []string
		for i := range 80 {
			columns = append(columns, fmt.Sprintf(`"%s %d" %s`, strings.Repeat(name, 30), i, typ))
		}
		return "CREATE TABLE sales (" + strings.Join(columns, ", ") + ")"
	}
	w := newWarehouse(t, list("old", "TEXT"))
	spec := checks.Spec{Name: "c", Kind: "schema", Table: "sales"}
	mem := memory{"c": checks.Run(t.Context(), spec, w.open(sqlite.Options{}), nil, now)}
	w.exec("DROP TABLE sales")
	w.exec(list("new", "INTEGER"))
	r := checks.Run(t.Context(), spec, w.open(sqlite.Options{}), mem, now.Add(time.Hour))
	if r.Status != checks.Fail || r.Observed.Value != 160 || len(r.Message) > 1000 {
		t.Errorf("%s, %d characters: %s", r.Status, len(r.Message), r.Message)
	}
	for _, text := range []string{"80 removed: ", "80 added: ", "and 75 more"} {
		if !strings.Contains(r.Message, text) {
			t.Errorf("%q does not say %q", r.Message, text)
		}
	}
}
