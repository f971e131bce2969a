package diagnosis_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/diagnosis"
	"dw/lineage"

	_ "modernc.org/sqlite"
)

const billKey = "hold:" + string(billID)

func planInput(in diagnosis.Input) diagnosis.PlanInput {
	next := at(26, 0)
	return diagnosis.PlanInput{
		Diagnosis: diagnosis.Diagnose(in, at(12, 36)), Graph: in.Graph, Files: in.Files, Now: at(13, 10),
		Readers: []lineage.Consumer{
			{ID: billID, Kind: lineage.KindJob, Name: "bill_meters", Moves: lineage.MovesMoney, NextRead: &next},
			{ID: "looker://usage", Kind: lineage.KindExplore, Moves: lineage.MovesExec, NextRead: &next},
		},
	}
}

func TestPlanOfTheWorkedDay(t *testing.T) {
	t.Parallel()
	plan, err := diagnosis.Plan(planInput(day1()))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range plan {
		for _, s := range p.Steps {
			got = append(got, fmt.Sprintf("%s %v: %s by %s: %s.%s %s %v diff=%v undo=%v", p.Key, p.After, s.Kind, s.By,
				s.Action.System, s.Action.Name, s.Action.Target, s.Action.Args, s.Diff != "", s.UndoAction != nil))
			if !s.Reversible || s.Undo == "" || s.Title == "" {
				t.Errorf("step without its undo or title: %+v", s)
			}
		}
	}
	want := []string{
		"hold:dagster://bill_meters []: hold by owner: dagster.pause_schedule dagster://bill_meters map[schedule:nightly] diff=false undo=true",
		"change []: change by owner: git.apply_diff connect://bridge map[] diff=true undo=true",
		"recover [change]: recover by owner: git.apply_diff dbt://grid/model.grid.fct_readings map[] diff=true undo=true",
		"recover [change]: rerun by dw: dagster.launch_job dagster://build_readings map[location:grid] diff=false undo=true",
		"recover [change]: verify by dw: dw.verify dbt://grid/model.grid.fct_readings map[] diff=false undo=false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("plan:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	change := plan[1].Steps[0]
	after := applied(t, change.File, []byte(bridge), change.Diff)
	writes, err := diagnosis.ParsePipeline(after)
	if err != nil || len(writes) != 1 || writes[0].Coding != diagnosis.CodingGuarded {
		t.Errorf("after the change: %+v, %v", writes, err)
	}
	if change.Root != "/connect" || !strings.Contains(string(after), `subject: "readings-value"`) || !strings.Contains(string(after), "raw_json: true") {
		t.Errorf("root %s, file\n%s", change.Root, after)
	}
	if r := plan[0].Steps[0]; r.UndoAction.Name != diagnosis.ActionResumeSchedule || !strings.Contains(r.Reason, "5 Mar 02:00 UTC") {
		t.Errorf("hold = %+v", r)
	}
}

// TestPlanFromTheDeadLetterTable has an incident whose subject is the dead-letter
// table: the model to recover lies below the topic.
func TestPlanFromTheDeadLetterTable(t *testing.T) {
	t.Parallel()
	in := day1()
	in.Subject, in.Segments = deadID, nil
	in.Signals = []checks.Result{dead(18940, at(11, 2))}
	plan, err := diagnosis.Plan(planInput(in))
	if err != nil || len(plan) != 3 || plan[2].Steps[0].Action.Target != modelID {
		t.Errorf("plan %+v, %v", plan, err)
	}
}

func TestPlanLeavesOut(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*diagnosis.PlanInput)
		keys   []string
		says   string
		none   bool
	}{
		"no reader in time": {func(in *diagnosis.PlanInput) { in.Horizon = time.Hour }, []string{"change", "recover"}, "bill_meters reads at 5 Mar 02:00 UTC, after the fix is expected", true},
		"pipeline fixed already": {func(in *diagnosis.PlanInput) {
			f := deployed()
			f["/connect/bridge.yaml"] = f["/connect/main.yaml"]
			in.Files = f
		}, []string{billKey, "recover"}, "no change needed", true},
		"pipeline in an unknown layout": {func(in *diagnosis.PlanInput) {
			f := deployed()
			f["/connect/bridge.yaml"] = "input: {stdin: {}}\noutput: {kafka: {topic: readings}}\n"
			in.Files = f
		}, []string{billKey}, "no diff could be made of bridge.yaml: output kafka at line 2: no diff could be made because", false},
		"pipeline gone": {func(in *diagnosis.PlanInput) {
			f := deployed()
			delete(f, "/connect/bridge.yaml")
			in.Files = f
		}, []string{billKey}, "bridge.yaml could not be read", false},
		"no registry": {func(in *diagnosis.PlanInput) {
			g := estate()
			delete(g.assets[topicID].Properties, diagnosis.PropRegistryURL)
			in.Graph = g
		}, []string{billKey}, "schema registry's url", false},
		"columns not known": {func(in *diagnosis.PlanInput) {
			g := estate()
			a := g.assets[modelID]
			a.Columns = nil
			g.assets[modelID] = a
			in.Graph = g
		}, []string{billKey, "change"}, "columns are not known", false},
		"a column without a line": {func(in *diagnosis.PlanInput) {
			g := estate()
			a := g.assets[modelID]
			a.Columns = append(slices.Clone(a.Columns), "tariff")
			g.assets[modelID] = a
			in.Graph = g
		}, []string{billKey, "change"}, "no line for column tariff", false},
		"two jobs build it": {func(in *diagnosis.PlanInput) {
			g := estate()
			g.assets["dagster://other"] = lineage.Asset{ID: "dagster://other", Kind: lineage.KindJob}
			g.edges = append(g.edges, [2]lineage.AssetID{"dagster://other", modelID})
			in.Graph = g
		}, []string{billKey, "change"}, "built by 2 known jobs", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := planInput(day1())
			tc.change(&in)
			plan, err := diagnosis.Plan(in)
			var keys []string
			for _, p := range plan {
				keys = append(keys, p.Key)
			}
			if !slices.Equal(keys, tc.keys) {
				t.Errorf("proposals %v, want %v (%v)", keys, tc.keys, err)
			}
			var failed *diagnosis.PlanError
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), tc.says) {
				t.Fatalf("error = %v, want it to say %q", err, tc.says)
			}
			if errors.Is(err, diagnosis.ErrNoChangeNeeded) != tc.none {
				t.Errorf("errors.Is(ErrNoChangeNeeded) = %v: %v", !tc.none, err)
			}
		})
	}
}

func TestPlanOfOtherCausesIsEmpty(t *testing.T) {
	t.Parallel()
	in := day1()
	in.Results, in.Segments = nil, nil
	if plan, err := diagnosis.Plan(planInput(in)); err != nil || len(plan) != 0 {
		t.Errorf("plan %+v, %v", plan, err)
	}
}

// rendered replaces the Jinja of a model as dbt would.
func rendered(model string) string {
	return strings.NewReplacer("{{ config(materialized='table') }}", "", "{{ source('stream', 'readings') }}", "readings",
		"{{ source('stream', 'readings_rejected') }}", "readings_rejected").Replace(model)
}

func TestRecoverModelAddsEachMissingRowOnce(t *testing.T) {
	t.Parallel()
	plan, err := diagnosis.Plan(planInput(day1()))
	if err != nil {
		t.Fatal(err)
	}
	step := plan[2].Steps[0]
	after := string(applied(t, step.File, []byte(model), step.Diff))
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	execute(t, db, `create table readings (reading_id text, region text, kwh real, read_at text)`)
	execute(t, db, `insert into readings values ('a', 'south', 1.5, '11:00'), ('a', 'south', 1.5, '11:00'), ('b', 'west', 2.5, '11:01')`)
	execute(t, db, `create table readings_rejected (value blob)`)
	for _, v := range []string{
		`{"reading_id":"c","region":"north","detail":{"kwh":"3.25"},"read_at":"11:02"}`,
		`{"reading_id":"c","region":"north","detail":{"kwh":"3.25"},"read_at":"11:02"}`, // sent twice
		`{"reading_id":"b","region":"west","detail":{"kwh":2.5},"read_at":"11:01"}`,     // there already
		`{"region":"north","read_at":"11:03"}`,                                          // no key
		"\x00\x00\x00\x00\x01 not json",
	} {
		if _, err := db.ExecContext(context.Background(), `insert into readings_rejected values (?)`, []byte(v)); err != nil {
			t.Fatal(err)
		}
	}
	got := query(t, db, rendered(after)+" order by 1")
	want := []string{"a south 1.5 11:00", "a south 1.5 11:00", "b west 2.5 11:01", "c north 3.25 11:02"}
	if !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q of\n%s", got, want, after)
	}
	if !strings.HasPrefix(after, "{{ config(materialized='table') }}\n\n-- one row a reading\nwith dw_model as (\nselect\n") {
		t.Errorf("head changed:\n%s", after)
	}
}

func execute(t *testing.T, db *sql.DB, text string) {
	t.Helper()
	if _, err := db.ExecContext(context.Background(), text); err != nil {
		t.Fatal(err)
	}
}

func query(t *testing.T, db *sql.DB, text string) []string {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var id, region, at string
		var kwh float64
		if err := rows.Scan(&id, &region, &kwh, &at); err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s %s %v %s", id, region, kwh, at))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func recovery() diagnosis.Recovery {
	return diagnosis.Recovery{
		From: "rejected", Value: "value", Key: []string{"a"}, Dialect: "sqlite",
		Columns: []diagnosis.RecoveredColumn{{Name: "a", SQL: "json_extract(cast(value as text), '$.a')"}},
	}
}

func TestRecoverModelRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ model, want string }{
		"grouped":          {"select a, count(*) as n from t group by a\n", "aggregates or combines"},
		"counted":          {"select count(*) as n from t\n", "aggregates or combines"},
		"distinct":         {"select distinct a from t\n", "aggregates or combines"},
		"a union already":  {"select a from t union all select a from u\n", "aggregates or combines"},
		"semicolon":        {"select a from t;\n", "semicolon"},
		"loop in the body": {"select a from t\n{% if x %} where a = 1 {% endif %}\n", "Jinja statements"},
		"one line":         {"{{ config(x=1) }} select a from t\n", "a line with something else"},
		"open comment":     {"/* select a from t\n", "does not end"},
		"empty":            {"-- nothing\n", "has no query"},
		"not a query":      {"insert into t values (1)\n", "does not begin with select"},
		"done already":     {"with dw_recovered as (select 1) select a from dw_recovered\n", "no change needed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := diagnosis.RecoverModel([]byte(tc.model), recovery()); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error = %v, want it to say %q", err, tc.want)
			}
		})
	}
}

func TestRecoverModelLayouts(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{
		"plain":                  "select a from t\n",
		"no newline at the end":  "select a from t",
		"comment at the end":     "select a from t -- the end",
		"windows line ends":      "select a\r\nfrom t\r\n",
		"parts of its own":       "with x as (select a, max(b) from t group by a)\nselect a from x\n",
		"head of several lines":  "{{ config(\n    materialized='table'\n) }}\n{% set x = 1 %}\n/* why\n*/\n\nselect a from t\n",
		"words in quoted text":   "select a from t where b = 'x; group by {% y' -- union\n",
		"a window function":      "select a, max(b) over (partition by a) as m from t\n",
		"jinja in an expression": "select {{ cast_of('a; union') }} as a from t\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after, err := diagnosis.RecoverModel([]byte(before), recovery())
			if err != nil {
				t.Fatal(err)
			}
			diff, err := diagnosis.UnifiedDiff("models/m.sql", []byte(before), after)
			if err != nil {
				t.Fatal(err)
			}
			if got := applied(t, "models/m.sql", []byte(before), diff); string(got) != string(after) {
				t.Errorf("git made another file:\n%q", got)
			}
			if !strings.Contains(string(after), strings.TrimRight(before[strings.LastIndex(before, "\n\n")+1:], "\r\n")) {
				t.Errorf("the model's own lines changed:\n%s", after)
			}
			if strings.Contains(before, "\r\n") && strings.Count(string(after), "\n") != strings.Count(string(after), "\r\n") {
				t.Errorf("line ends are mixed: %q", after)
			}
			if _, err := diagnosis.RecoverModel(after, recovery()); !errors.Is(err, diagnosis.ErrNoChangeNeeded) {
				t.Errorf("a second time: %v", err)
			}
		})
	}
}
