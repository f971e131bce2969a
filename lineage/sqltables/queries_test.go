package sqltables_test

import (
	"fmt"
	"strings"
	"testing"

	"dw/lineage/sqltables"
)

func queriesOf(q sqltables.Queries) string {
	var out []string
	for _, one := range q.List {
		how := ""
		if one.ByPosition {
			how = " by position"
		}
		out = append(out, fmt.Sprintf("%s(%s)%s: %s", one.Target, strings.Join(one.Columns, " "), how, strings.Join(strings.Fields(one.SQL), " ")))
	}
	if len(q.Unread) > 0 {
		out = append(out, "unread "+strings.Join(q.Unread, " "))
	}
	return strings.Join(out, "; ")
}

func TestReadQueries(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ dialect, sql, want string }{
		"a query":             {"", "select a -- b\nfrom /* c */ t", "(): select a from t"},
		"select into":         {"tsql", "select a into s.t from u", "s.t(): select a from u"},
		"into a variable":     {"tsql", "select a into @v from u", ""},
		"insert":              {"", "insert into s.t select a from u", "s.t() by position: select a from u"},
		"insert with columns": {"", `insert into s.t (x, "Y") (select a, b from u) on conflict (x) do nothing returning x`, `s.t(x Y): select a, b from u`},
		"insert a partition":  {"hive", "insert overwrite table t partition (d='1', e) select a from u", "t() by position: select a from u"},
		"insert by name":      {"duckdb", "insert into t by name select a from u", "t(): select a from u"},
		"insert behind WITH":  {"", "with w as (select 1) insert into t select * from w", "t() by position: with w as (select 1) select * from w"},
		"insert values":       {"", "insert into t (a) values (1)", ""},
		"values of queries":   {"", "insert into t (a) values ((select max(b) from u))", "unread t"},
		"create as":           {"", "create or replace table if not exists s.t as ((select a from u)) with no data", "s.t(): select a from u"},
		"create with types":   {"spark", "create table t (a string, b decimal(3, 2)) using delta as select x, y from u", "t(a b): select x, y from u"},
		"create view":         {"", "create materialized view v (a, b) as with w as (select 1) select * from w", "v(a b): with w as (select 1) select * from w"},
		"create without":      {"", "create table t (a int)", ""},
		"clone":               {"snowflake", "create table t clone u", "unread t"},
		"update":              {"", "update t set a = b + 1, t.c = (select max(d) from u) where e", "t(a c): SELECT b + 1, (select max(d) from u) FROM t"},
		"update from":         {"postgres", "update s.t as x set a = u.b from u where x.i = u.i", "s.t(a): SELECT u.b FROM s.t as x, u"},
		"update an alias":     {"tsql", "update x set x.a = u.b from s.t x join u on x.i = u.i where 1 = 1", "s.t(a): SELECT u.b FROM s.t x join u on x.i = u.i"},
		"update a join":       {"mysql", "update t join u on t.i = u.i set t.a = u.b", "t(a): SELECT u.b FROM t join u on t.i = u.i"},
		"update a tuple":      {"", "update t set (a, b) = (select x, y from u)", "unread t"},
		"delete":              {"", "delete from t using u where t.i = u.i", "unread t"},
		"merge": {
			"", `merge into s.t x using (select i, v from u) as y on x.i = y.i
			when matched and y.v > 1 then update set x.v = case when y.v > 2 then y.v else x.v end, w = default
			when not matched by source then delete
			when not matched then insert (i, v) values (y.i, 7)`,
			"s.t(v w): SELECT case when y.v > 2 then y.v else x.v end, NULL FROM s.t x, (select i, v from u) as y; " +
				"s.t(i v): SELECT y.i, 7 FROM (select i, v from u) as y",
		},
		"merge all":               {"databricks", "merge into t using u on t.i = u.i when matched then update set * when not matched then insert *", "t(): SELECT * FROM u; t(): SELECT * FROM u"},
		"merge by position":       {"", "merge into t using u on t.i = u.i when not matched then insert values (u.i)", "t() by position: SELECT u.i FROM u"},
		"merge that does not fit": {"", "merge into t using u on t.i = u.i when not matched then insert (a, b) values (u.i)", "unread t"},
		"a procedure":             {"tsql", "create procedure p as begin if x > 1 then insert into t (a) select b from u; end", "t(a): select b from u"},
		"two statements":          {"", "select ';' from a; ; create view v as select 1", "(): select ';' from a; v(): select 1"},
	} {
		if got := queriesOf(sqltables.ReadQueries(tc.sql, tc.dialect)); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tc.want)
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ dialect, sql, want string }{
		"comments":           {"", "select a/*x*/,b--y\n,'--z' from t", "select a ,b ,'--z' from t"},
		"spelling":           {"", `select TA.a, "ta" from t as ta`, `select TA.a, "ta" from t as TA`},
		"where case counts":  {"clickhouse", "select A, a from t", "select A, a from t"},
		"commas in FROM":     {"", "select a, b from t x, u, lateral f(x.a, 1) y where a in (1, 2)", "select a, b from t x CROSS JOIN u CROSS JOIN lateral f(x.a, 1) y where a in (1, 2)"},
		"commas elsewhere":   {"", "select trim(both 'x' from a), b is distinct from c, d from t order by 1, 2", "select trim(both 'x' from a), b is distinct from c, d from t order by 1, 2"},
		"nested parentheses": {"", "select a from ( (select a from t) ) x", "select a from ( select a from t ) x"},
		"branches of unions": {"", "(select a from t) union all (select a from u order by 1 limit 1)", "(select a from t) union all (select a from u order by 1 limit 1)"},
		"a branch":           {"", "select a from ((select a from t) union (select a from u)) x", "select a from ( select a from t union select a from u ) x"},
		"names of T-SQL":     {"tsql", "select top (3) n = a + 1, [m x] = b, @v = c from t where d = 1", "select top (3) a + 1 AS [n], b AS [m x], @v = c from t where d = 1"},
	} {
		if got := strings.Join(strings.Fields(sqltables.Plain(tc.sql, tc.dialect)), " "); got != strings.Join(strings.Fields(tc.want), " ") {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tc.want)
		}
	}
}

// FuzzQueries: whatever the text, reading ends, with queries that hold something.
func FuzzQueries(f *testing.F) {
	for _, sql := range []string{
		"merge into t using u on a when matched then update set x = case when 1 then 2 end", "create procedure p as begin insert into t (a) select 'x",
		"select [a = b] from ((select 1) union (select 2)), x, $t$ y $t$", "update a set (b, c) = (1, 2) from", "with a as (select", "select top 5 x = y from `z`",
	} {
		f.Add(sql, "tsql")
		f.Add(sql, "bigquery")
	}
	f.Fuzz(func(t *testing.T, sql, dialect string) {
		for _, q := range sqltables.ReadQueries(sql, dialect).List {
			if strings.TrimSpace(q.SQL) == "" {
				t.Errorf("%q: an empty query for %q", sql, q.Target)
			}
		}
		_ = sqltables.Doubt(sql, dialect)
		if plain := sqltables.Plain(sql, dialect); len(plain) > 20*len(sql)+20 {
			t.Errorf("%q grew to %q", sql, plain)
		}
	})
}
