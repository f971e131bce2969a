package columns_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"dw/lineage/columns"
	"dw/lineage/columns/enginetest"
)

// engineFunc is an engine that answers what a test wants to hold dw's own
// judgement to.
type engineFunc func(sql string, options json.RawMessage) (json.RawMessage, error)

// Analyze meets columns.Engine.
func (f engineFunc) Analyze(_ context.Context, sql string, options json.RawMessage) (json.RawMessage, error) {
	return f(sql, options)
}

// drawn writes `a<-t.x,t.y b<-? [filters t.z]`.
func drawn(a columns.Answer) string {
	var out []string
	for _, o := range a.Outputs {
		out = append(out, o.Name+"<-"+listed(o.From))
	}
	if len(a.Filters) > 0 {
		out = append(out, "["+listed(a.Filters)+"]")
	}
	return strings.Join(out, " ")
}

func listed(list []columns.Column) string {
	var out []string
	for _, c := range list {
		if c.Table == "" {
			c.Table = "?"
		}
		out = append(out, c.Table+"."+c.Column)
	}
	return strings.Join(out, ",")
}

func shop() columns.Schema {
	return columns.Schema{
		"db.shop.orders": {"id", "price", "tax", "placed_at", "customer_id"},
		"db.shop.people": {"id", "name"},
		"emoji.😀 t":      {"a.b", `q"x`, "<!channel>"},
	}
}

// TestReadQueries asks the engine itself.
func TestReadQueries(t *testing.T) {
	t.Parallel()
	reader := enginetest.Reader(t)
	for name, tc := range map[string]struct{ dialect, sql, rung, want string }{
		"a bare column next to a comment": {
			"postgres", "select /* x */ price, -- y\n tax from db.shop.orders", "engine with catalog",
			"price<-db.shop.orders.price tax<-db.shop.orders.tax",
		},
		"a table named by its end": {"postgres", "select price from shop.orders", "engine with catalog", "price<-shop.orders.price"},
		"quotes, dots, emoji, a mention": {
			"postgres", `select "a.b", "q""x" as z, "<!channel>" from emoji."😀 t"`, "engine with catalog",
			`a.b<-emoji.😀 t.a.b z<-emoji.😀 t.q"x <!channel><-emoji.😀 t.<!channel>`,
		},
		"a star with a catalog": {
			"postgres", "with o as (select * from db.shop.people) select *, 1 as one from o", "engine with catalog",
			"id<-db.shop.people.id name<-db.shop.people.name one<-",
		},
		"a star without": {"postgres", "select * from elsewhere.t", "engine without catalog", "*<-elsewhere.t.*"},
		"a constant through two queries": {
			"postgres", "with a as (select id, cast('x' as text) as src from db.shop.orders), b as (select * from a) select id, src from b",
			"engine with catalog", "id<-db.shop.orders.id src<-",
		},
		"which of two tables is not known": {"postgres", "select what from a.t, a.u", "engine without catalog", "what<-?.what"},
		"the catalog knows which": {
			"postgres", "select name from db.shop.orders o, db.shop.people p where o.customer_id = p.id", "engine with catalog",
			"name<-db.shop.people.name [db.shop.orders.customer_id,db.shop.people.id]",
		},
		"a column that the catalog does not have": {"postgres", "select ghost from db.shop.people", "engine with catalog", "ghost<-?.ghost"},
		"an alias in another case":                {"postgres", "select O.price from db.shop.orders as o", "engine with catalog", "price<-db.shop.orders.price"},
		"an aggregate and a window": {
			"postgres", "select sum(price) over (partition by customer_id) as s, count(*) as n from db.shop.orders", "engine with catalog",
			"s<-db.shop.orders.price,db.shop.orders.customer_id n<- [db.shop.orders.customer_id]",
		},
		"a union":                   {"postgres", "select id from db.shop.orders union all select id from db.shop.people", "engine with catalog", "id<-db.shop.orders.id,db.shop.people.id"},
		"no SQL":                    {"postgres", "select from where", "tables only", ""},
		"a star with other columns": {"bigquery", "select * replace (price + tax as price) from db.shop.orders", "tables only", ""},
		"a star without one column": {"bigquery", "select * except (price) from db.shop.people", "engine with catalog", "id<-db.shop.people.id name<-db.shop.people.name"},
		"a name given anew":         {"bigquery", "select * except (price), f(tax) as price from db.shop.orders", "tables only", ""},
		"rows become columns":       {"snowflake", "select * from t pivot (sum(v) for k in ('a', 'b'))", "tables only", ""},
		"T-SQL's other way round":   {"tsql", "select top 5 total = price + tax from db.shop.orders", "engine with catalog", "total<-db.shop.orders.tax,db.shop.orders.price"},
	} {
		got, err := reader.Read(t.Context(), columns.Query{SQL: tc.sql, Dialect: tc.dialect, Schema: shop()})
		if err != nil || string(got.Rung) != tc.rung || sorted(drawn(got)) != sorted(tc.want) {
			t.Errorf("%s: %s: %s (%s), %v\nwant %s: %s", name, got.Rung, drawn(got), got.Why, err, tc.rung, tc.want)
		}
		if (got.Why == "") != got.Known() {
			t.Errorf("%s: rung %s, why %q", name, got.Rung, got.Why)
		}
	}
}

// sorted orders what stands between the commas of each output.
func sorted(drawn string) string {
	fields := strings.Split(drawn, " ")
	for i, f := range fields {
		to, from, _ := strings.Cut(f, "<-")
		parts := strings.Split(from, ",")
		if len(parts) == 2 && parts[1] < parts[0] {
			parts[0], parts[1] = parts[1], parts[0]
		}
		fields[i] = to + "<-" + strings.Join(parts, ",")
	}
	return strings.Join(fields, " ")
}

// TestScript brings statements that fill tables to their columns.
func TestScript(t *testing.T) {
	t.Parallel()
	reader := enginetest.Reader(t)
	for name, tc := range map[string]struct{ dialect, sql, want, unread string }{
		"insert by position": {
			"postgres", "insert into db.shop.people select customer_id, price::text from db.shop.orders",
			"db.shop.people: id<-db.shop.orders.customer_id name<-db.shop.orders.price", "",
		},
		"merge": {
			"snowflake", `merge into db.shop.people p using (select id, price from db.shop.orders) o on p.id = o.id
			when matched and o.price > 1 then update set p.name = case when o.price > 2 then 'x' else o.price end
			when not matched then insert (id, name) values (o.id, o.price)`,
			"db.shop.people: name<-db.shop.orders.price; db.shop.people: id<-db.shop.orders.id name<-db.shop.orders.price", "",
		},
		"update from":             {"postgres", "update db.shop.people set name = o.price from db.shop.orders o where o.id = people.id", "db.shop.people: name<-db.shop.orders.price", ""},
		"a table made in between": {"postgres", "create table x as select id as k from db.shop.people; create view v as select * from x", "x: k<-db.shop.people.id; v: k<-x.k", ""},
		"what is no query":        {"postgres", "update db.shop.people set (id, name) = (select id, price from db.shop.orders)", "", "db.shop.people"},
	} {
		filled, unread, err := reader.Script(t.Context(), columns.Query{SQL: tc.sql, Dialect: tc.dialect, Schema: shop()})
		var got []string
		for _, f := range filled {
			f.Answer.Filters = nil
			got = append(got, f.Target+": "+drawn(f.Answer))
		}
		if joined := strings.Join(got, "; "); err != nil || joined != tc.want || strings.Join(unread, ",") != tc.unread {
			t.Errorf("%s: %s, unread %v, %v\nwant %s", name, joined, unread, err, tc.want)
		}
	}
}

// TestLadder: without an engine, and with one that fails, the tables stay and the
// reason is said.
func TestLadder(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		engine columns.Engine
		why    string
	}{
		"no engine": {nil, columns.NoEngine},
		"too late":  {failing(fmt.Errorf("%w after 10s", columns.ErrTimedOut)), "timed out after 10s"},
		"dead":      {failing(errors.New("ask the SQL engine: EOF")), "ask the SQL engine: EOF"},
		"refused":   {failing(&columns.RefusedError{Words: "Parse error"}), "not understood: Parse error"},
		"garbage":   {engineFunc(func(string, json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`[1]`), nil }), "read the SQL engine's analysis"},
	} {
		got, err := columns.Reader{Engine: tc.engine}.Read(t.Context(), columns.Query{SQL: "select a from s.t join u on true", Dialect: "postgres"})
		if err != nil || got.Rung != columns.Tables || got.Outputs != nil || strings.Join(got.Tables, ",") != "s.t,u" || !strings.Contains(got.Why, tc.why) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	reader := columns.Reader{Engine: failing(context.Canceled)}
	if _, err := reader.Read(ctx, columns.Query{SQL: "select a from t"}); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}

func failing(err error) columns.Engine {
	return engineFunc(func(string, json.RawMessage) (json.RawMessage, error) { return nil, err })
}

// TestNotBelieved: an engine that names a table which the query does not read, or a
// column which the catalog does not have, is not believed.
func TestNotBelieved(t *testing.T) {
	t.Parallel()
	says := func(kind, table, column, confidence string) columns.Engine {
		return engineFunc(func(string, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(fmt.Sprintf(`{"projections":[{"name":"x","upstream":[{"sourceKind":%q,"table":%q,"column":%q,"confidence":%q}]}]}`,
				kind, table, column, confidence)), nil
		})
	}
	for name, tc := range map[string]struct {
		engine columns.Engine
		want   string
	}{
		"as it is":            {says("table", "T", "a", "resolved"), "x<-t.a"},
		"listed and not sure": {says("table", "t", "a", "unknown"), "x<-t.a"},
		"another table":       {says("table", "u", "a", "resolved"), "x<-?.a"},
		"not listed":          {says("table", "t", "ghost", "resolved"), "x<-?.ghost"},
		"no catalog, sure":    {says("table", "v", "a", "resolved"), "x<-v.a"},
		"no catalog, unsure":  {says("table", "v", "a", "ambiguous"), "x<-?.a"},
		"no table":            {says("derived_table", "t", "a", "resolved"), "x<-?.a"},
	} {
		got, err := columns.Reader{Engine: tc.engine}.Read(t.Context(), columns.Query{SQL: "select x from t join v on true", Schema: columns.Schema{"t": {"a"}}})
		if err != nil || drawn(got) != tc.want {
			t.Errorf("%s: %s, %v; want %s", name, drawn(got), err, tc.want)
		}
	}
}
