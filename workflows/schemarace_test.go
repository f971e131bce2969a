package workflows

import (
	"testing"
	"time"

	"dw/checks"
)

// TestSchemaComparedWithOldColumns: a run of a schema check that began before new
// columns were accepted, and ends after, opens nothing and does not bring the old
// columns back.
func TestSchemaComparedWithOldColumns(t *testing.T) {
	t.Parallel()
	before, after := []checks.Column{{Name: "a"}}, []checks.Column{{Name: "b"}}
	for name, c := range map[string]struct {
		compared  []checks.Column
		incidents int
		kept      string // of the last answer's columns
	}{
		"with the old ones":      {before, 0, "b"},
		"with the accepted ones": {after, 1, "b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate()
			result := func(status checks.Status, columns []checks.Column) checks.Result {
				e.now = e.now.Add(time.Second)
				r := e.result("orders", status)
				r.Kind, r.Schema, r.Since = checks.KindSchema, columns, e.now.Add(-time.Hour)
				return r
			}
			for _, r := range []checks.Result{result(checks.Pass, after), result(checks.Fail, c.compared)} {
				if err := e.svc.OnResult(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
			var last checks.Result
			err := e.store.View(t.Context(), func(tx ReadTx) (err error) {
				last, _, err = tx.LastAnswer(t.Context(), "orders")
				return err
			})
			if got := len(e.store.data.incidents); err != nil || got != c.incidents || last.Schema[0].Name != c.kept {
				t.Errorf("%d incidents, want %d; the next run compares with %v (%v)", got, c.incidents, last.Schema, err)
			}
		})
	}
}
