package diagnosis_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/lineage"
)

const (
	ledgerID  = lineage.AssetID("appdb://ledger")
	loadID    = lineage.AssetID("loads://ledger_load")
	rawID     = lineage.AssetID("warehouse://raw_ledger")
	bookedID  = lineage.AssetID("dbt://grid/model.grid.booked")
	nightlyID = lineage.AssetID("dagster://nightly")
)

// renamedColumn is an incident of a table whose column has another name, with the
// load and the model that read it.
func renamedColumn() diagnosis.Input {
	g := graph{assets: map[lineage.AssetID]lineage.Asset{}, edges: [][2]lineage.AssetID{
		{ledgerID, loadID}, {loadID, rawID}, {rawID, bookedID}, {nightlyID, loadID}, {nightlyID, bookedID}, {ledgerID, nightlyID},
	}}
	for _, a := range []lineage.Asset{
		{ID: ledgerID, Kind: lineage.KindTable, Name: "ledger"},
		{ID: loadID, Kind: lineage.KindPipeline, Name: "ledger_load", Root: "/repo", File: "loads/ledger.yaml"},
		{ID: rawID, Kind: lineage.KindTable, Name: "raw_ledger"},
		{ID: bookedID, Kind: lineage.KindModel, Name: "booked", Root: "/repo", File: "models/booked.sql"},
		{ID: nightlyID, Kind: lineage.KindJob, Name: "nightly", Properties: map[string]string{"dagster.location": "grid"}},
	} {
		g.assets[a.ID] = a
	}
	r := found("ledger columns", checks.KindSchema, ledgerID, checks.Fail)
	r.Renamed = []checks.Rename{{From: "amount", To: "gross"}}
	return diagnosis.Input{
		Subject: ledgerID, Graph: g, Signals: []checks.Result{r},
		Files: files{
			"/repo/loads/ledger.yaml": "source: ledger\ncolumns:\n  - id\n  - amount\n",
			"/repo/models/booked.sql": "select\n    id,\n    amount\nfrom raw_ledger\nwhere amount > 0\n",
		},
		Changes: []diagnosis.ChangeEvent{{ID: "m1", System: "migrations", Kind: "schema", Asset: string(ledgerID), At: at(11, 40), Text: "rename"}},
	}
}

// onlyNoHold reports whether all that a plan lacks is a hold: no job moves money here.
func onlyNoHold(err error) bool {
	var left *diagnosis.PlanError
	return errors.As(err, &left) && len(left.Problems) == 1 && left.Problems[0].Key == "hold"
}

func TestPlanOfARenamedColumn(t *testing.T) {
	t.Parallel()
	in := renamedColumn()
	d := diagnosis.Diagnose(in, at(12, 30))
	top, _ := d.Top()
	if top.ID != diagnosis.CauseSchemaDrift || !d.Onset.Equal(at(11, 40)) {
		t.Fatalf("cause %s since %s, want schema_drift since the migration: %s", top.ID, d.Onset, d.Verdict)
	}
	if !slices.ContainsFunc(top.Evidence, func(e diagnosis.Evidence) bool { return e.Change == "m1" }) {
		t.Errorf("the migration is no evidence: %+v", top.Evidence)
	}
	plan, err := diagnosis.Plan(diagnosis.PlanInput{Diagnosis: d, Graph: in.Graph, Files: in.Files, Now: at(12, 30)})
	if !onlyNoHold(err) {
		t.Fatal(err)
	}
	var got []string
	for _, p := range plan {
		for _, s := range p.Steps {
			got = append(got, fmt.Sprintf("%s %v: %s by %s: %s %s", p.Key, p.After, s.Kind, s.By, s.Action.Name, s.Action.Target))
			if s.Undo == "" || !s.Reversible {
				t.Errorf("step %q has no undo", s.Title)
			}
		}
	}
	want := []string{
		"loads []: change by owner: apply_diff loads://ledger_load",
		"models []: change by owner: apply_diff dbt://grid/model.grid.booked",
		"backfill [loads models]: rerun by dw: launch_job dagster://nightly",
		"backfill [loads models]: verify by dw: verify appdb://ledger",
	}
	if !slices.Equal(got, want) {
		t.Fatalf("plan:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	load := applied(t, "loads/ledger.yaml", []byte("source: ledger\ncolumns:\n  - id\n  - amount\n"), plan[0].Steps[0].Diff)
	if string(load) != "source: ledger\ncolumns:\n  - id\n  - gross\n" {
		t.Errorf("the load becomes\n%s", load)
	}
	model := applied(t, "models/booked.sql", []byte("select\n    id,\n    amount\nfrom raw_ledger\nwhere amount > 0\n"), plan[1].Steps[0].Diff)
	if string(model) != "select\n    id,\n    gross as amount\nfrom raw_ledger\nwhere gross > 0\n" {
		t.Errorf("the model becomes\n%s", model)
	}
	accepted, err := diagnosis.Accepted(plan[2].Steps[1])
	if err != nil || len(accepted) != 1 || !slices.Equal(accepted["ledger columns"], []checks.Rename{{From: "amount", To: "gross"}}) {
		t.Errorf("the approval accepts %v, %v", accepted, err)
	}
	if accepted, err := diagnosis.Accepted(plan[2].Steps[0]); err != nil || accepted != nil {
		t.Errorf("a step that is no verification accepts %v, %v", accepted, err)
	}
}

// TestPlanOfADropHasNoDiff: without a new name there is nothing to write.
func TestPlanOfADropHasNoDiff(t *testing.T) {
	t.Parallel()
	in := renamedColumn()
	in.Signals[0].Renamed = nil
	plan, err := diagnosis.Plan(diagnosis.PlanInput{Diagnosis: diagnosis.Diagnose(in, at(12, 30)), Graph: in.Graph, Files: in.Files, Now: at(12, 30)})
	if !onlyNoHold(err) || len(plan) != 0 {
		t.Errorf("plan %+v, %v", plan, err)
	}
}

// TestPlanOfARenamedColumnElsewhere: a file that a person must adapt holds the
// reload up; one that does not name the column does not.
func TestPlanOfARenamedColumnElsewhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, text string
		keys       []string
		says       string
	}{
		"the model has two selects":  {"/repo/models/booked.sql", "with r as (select id, amount from raw_ledger) select * from r", []string{"loads"}, "more than one select"},
		"the load does not name it":  {"/repo/loads/ledger.yaml", "source: ledger\n", []string{"models", "backfill"}, "no change needed"},
		"the model does not name it": {"/repo/models/booked.sql", "select id from raw_ledger", []string{"loads", "backfill"}, "no change needed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := renamedColumn()
			in.Files.(files)[c.file] = c.text
			plan, err := diagnosis.Plan(diagnosis.PlanInput{Diagnosis: diagnosis.Diagnose(in, at(12, 30)), Graph: in.Graph, Files: in.Files, Now: at(12, 30)})
			var keys []string
			for _, p := range plan {
				keys = append(keys, p.Key)
			}
			if !slices.Equal(keys, c.keys) || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("plan %v, %v", keys, err)
			}
		})
	}
}

func TestOnsetOfASchemaChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind  string
		asset lineage.AssetID
		at    time.Time
		onset time.Time
	}{
		"between the runs of the check": {"schema", ledgerID, at(11, 40), at(11, 40)},
		"before the last good run":      {"schema", ledgerID, at(10, 0), at(11, 0)},
		"after it was found":            {"schema", ledgerID, at(12, 25), at(11, 0)},
		"of another asset":              {"schema", bookedID, at(11, 40), at(11, 0)},
		"of another kind":               {"deploy", ledgerID, at(11, 40), at(11, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := renamedColumn()
			in.Changes = []diagnosis.ChangeEvent{{ID: "m", System: "s", Kind: c.kind, Asset: string(c.asset), At: c.at}}
			if d := diagnosis.Diagnose(in, at(12, 30)); !d.Onset.Equal(c.onset) {
				t.Errorf("onset %s, want %s", d.Onset, c.onset)
			}
		})
	}
}

func TestRenameInModel(t *testing.T) {
	t.Parallel()
	r := checks.Rename{From: "amount", To: "gross"}
	for name, c := range map[string]struct{ text, want, refuses string }{
		"an item":           {"select amount, id from t", "select gross as amount, id from t", ""},
		"the last item":     {"select id,\n  t.amount\nfrom t", "select id,\n  t.gross as amount\nfrom t", ""},
		"with an alias":     {"select amount as total from t", "select gross as total from t", ""},
		"in an expression":  {"select sum(amount) as s from t where amount > 0", "select sum(gross) as s from t where gross > 0", ""},
		"in brackets alone": {"select coalesce(id, amount, 0) as c from t", "select coalesce(id, gross, 0) as c from t", ""},
		"a longer name":     {"select amount_net, amount from t", "select amount_net, gross as amount from t", ""},
		"in a comment":      {"-- amount\nselect amount from t", "-- amount\nselect gross as amount from t", ""},
		"quoted only":       {"select 'amount' from t", "", "quoted text or a template"},
		"two selects":       {"select amount from t union all select amount from u", "", "more than one select"},
		"the new one too":   {"select amount, gross from t", "", "names gross already"},
		"not at all":        {"select id from t", "", "no change needed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := diagnosis.RenameInModel([]byte(c.text), r)
			if c.refuses != "" {
				if err == nil || !strings.Contains(err.Error(), c.refuses) {
					t.Errorf("error %v, want %q; text %s", err, c.refuses, got)
				}
				return
			}
			if err != nil || string(got) != c.want {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestRenameInMapping(t *testing.T) {
	t.Parallel()
	r := checks.Rename{From: "amount", To: "gross"}
	for name, c := range map[string]struct{ text, want, refuses string }{
		"in a list":         {"# amount\ncolumns:\n  - amount # cents\n", "# amount\ncolumns:\n  - gross # cents\n", ""},
		"in brackets":       {"columns: [id, amount]\n", "columns: [id, gross]\n", ""},
		"quoted":            {"columns: [\"amount\"]\n", "columns: [\"gross\"]\n", ""},
		"as a source":       {"columns: {total: amount}\n", "columns: {total: gross}\n", ""},
		"in two places":     {"columns: {amount: amount}\n", "", "2 places"},
		"inside other text": {"query: select amount from t\n", "", "inside other text"},
		"not at all":        {"columns: [id]\n", "", "no change needed"},
		"no YAML":           {"a: [", "", "parse pipeline file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := diagnosis.RenameInMapping([]byte(c.text), r)
			if c.refuses != "" {
				if err == nil || !strings.Contains(err.Error(), c.refuses) {
					t.Errorf("error %v, want %q; text %s", err, c.refuses, got)
				}
				return
			}
			if err != nil || string(got) != c.want {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	if _, err := diagnosis.RenameInMapping([]byte("columns: [id]\n"), r); !errors.Is(err, diagnosis.ErrNoChangeNeeded) {
		t.Errorf("error %v", err)
	}
}
