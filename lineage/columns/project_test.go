package columns_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/lineage"
	"dw/lineage/columns"
	"dw/lineage/columns/enginetest"
)

func model(name, sql string, dependsOn ...string) lineage.Model {
	m := lineage.Model{
		ID: lineage.AssetID("dbt://p/" + name), Relation: `"db"."shop"."` + name + `"`, SQL: sql, Dialect: "postgres",
		SeenAt: time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC),
	}
	for _, d := range dependsOn {
		m.DependsOn = append(m.DependsOn, lineage.AssetID("dbt://p/"+d))
	}
	return m
}

// stated writes every link and every property.
func stated(s lineage.Statements) string {
	short := func(id lineage.AssetID) string { return strings.TrimPrefix(string(id), "dbt://p/") }
	var out []string
	for _, e := range s.Edges {
		for _, l := range e.Columns {
			unsure := ""
			if l.Unsure {
				unsure = "?"
			}
			out = append(out, fmt.Sprintf("%s.%s > %s.%s%s (%s)", short(e.From), l.From, short(e.To), l.To, unsure, l.By))
		}
	}
	for _, a := range s.Assets {
		out = append(out, fmt.Sprintf("%s [%s]: %s", short(a.ID), strings.Join(a.Columns, " "), a.Properties[columns.Property]))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// TestProject: computed columns feed the models behind, in the order of the
// project, whatever the order of the manifest.
func TestProject(t *testing.T) {
	t.Parallel()
	models := []lineage.Model{
		model("a_mart", `select * from "db"."shop"."stg" where id > 0`, "stg"),
		model("counted", `select count(*) as n from db.shop.raw`, "raw"),
		model("from_file", `select id from read_csv('x.csv')`, "raw"),
		model("no_sql", "", "raw"),
		model("raw", ""),
		model("stg", `with s as (select * from "db"."shop"."raw") select id, price * 2 as twice, 'x' as src from s`, "raw"),
	}
	got, sum, err := enginetest.Reader(t).Project(t.Context(), models, map[lineage.AssetID][]string{"dbt://p/raw": {"id", "price"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `a_mart [id twice src]: engine with catalog
counted [n]: engine with catalog
from_file [id]: engine without catalog; of 1 of 1 columns it is not known what feeds them
no_sql []: unknown, tables from dbt: the manifest has no compiled SQL (dbt compile)
raw. > counted. (engine with catalog)
raw.id > stg.id (engine with catalog)
raw.price > stg.twice (engine with catalog)
stg [id twice src]: engine with catalog
stg.id > a_mart. (engine with catalog)
stg.id > a_mart.id (engine with catalog)
stg.src > a_mart.src (engine with catalog)
stg.twice > a_mart.twice (engine with catalog)`
	if text := stated(got); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if sum.Models != 4 || sum.Rungs[columns.Catalog] != 3 || sum.Columns != 8 || sum.Unsure != 1 {
		t.Errorf("%+v", sum)
	}
}

// TestUnknownIsOverReported: a model whose columns are not known has no link, so
// that each column above it reaches all that is below, and it says why; a column of
// which the table is not known may come from each of them.
func TestUnknownIsOverReported(t *testing.T) {
	t.Parallel()
	late := engineFunc(func(sql string, _ json.RawMessage) (json.RawMessage, error) {
		if strings.Contains(sql, "hard") {
			return nil, fmt.Errorf("%w after 10s", columns.ErrTimedOut)
		}
		return json.RawMessage(`{"projections":[{"name":"x","upstream":[{"sourceKind":"unknown","column":"q","confidence":"unknown"}]}]}`), nil
	})
	models := []lineage.Model{
		model("raw", ""), model("other", ""),
		model("hard", `select hard from db.shop.raw`, "raw"),
		model("easy", `select q as x from db.shop.raw cross join db.shop.other`, "raw", "other"),
	}
	got, _, err := columns.Reader{Engine: late}.Project(t.Context(), models, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `easy [x]: engine without catalog; of 1 of 1 columns it is not known what feeds them
hard []: unknown, tables from dbt: timed out after 10s
other.* > easy.x? (engine without catalog)
raw.* > easy.x? (engine without catalog)`
	if text := stated(got); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := (columns.Reader{Engine: failing(context.Canceled)}).Project(ctx, models, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}

// TestCircle: models that depend on each other end.
func TestCircle(t *testing.T) {
	t.Parallel()
	models := []lineage.Model{model("a", "select x from db.shop.b", "b"), model("b", "select x from db.shop.a", "a")}
	got, sum, err := columns.Reader{}.Project(t.Context(), models, nil)
	if err != nil || sum.Rungs[columns.Tables] != 2 || len(got.Edges) != 0 || !strings.Contains(stated(got), columns.NoEngine) {
		t.Errorf("%+v, %s, %v", sum, stated(got), err)
	}
}
