package sqltables_test

import (
	"strings"
	"testing"

	"dw/lineage/sqltables"
)

// drawn writes "a, b > c".
func drawn(t sqltables.Tables) string {
	return strings.Join(t.Sources, ", ") + " > " + strings.Join(t.Targets, ", ")
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ dialect, sql, want string }{
		"nothing":                       {"", "", " > "},
		"a query":                       {"", "select a from s.t where x in (select y from u)", "s.t, u > "},
		"case alone makes no other":     {"", "select * from t join T on 1=1", "t > "},
		"a comma list with aliases":     {"", "select * from a x, b as y, (select * from c) z", "a, b, c > "},
		"joins in parentheses":          {"", "select * from ((a left join b on a.i = b.i) join c using (i))", "a, b, c > "},
		"a union in parentheses":        {"", "(select * from a) union all (select * from b)", "a, b > "},
		"a query in the select list":    {"", "select (select max(x) from a), b from c", "a, c > "},
		"WITH hides a table":            {"", "with a as (select * from b) select * from a join s.a on true", "b, s.a > "},
		"WITH reads the table it hides": {"", "with a as (select * from a) select * from a", "a > "},
		"WITH RECURSIVE does not":       {"", "with recursive a as (select * from b union all select * from a) select * from a", "b > "},
		"WITH ends with its query":      {"", "select * from (with a as (select 1) select * from a) x join a on true", "a > "},
		"WITH with columns":             {"", "with a (x, y) as (select * from b) select * from a", "b > "},
		"WITH before INSERT":            {"", "with a as (select * from b) insert into c select * from a", "b > c"},
		"FROM of a function":            {"", "select extract(year from d), trim(both 'x' from e), substring(f from 2) from a", "a > "},
		"IS DISTINCT FROM":              {"", "select * from a where b is not distinct from c", "a > "},
		"a query in extract":            {"", "select extract(year from (select max(d) from b)) from a", "b, a > "},
		"a function that makes rows":    {"postgres", "select * from generate_series(1, 3) g, unnest(array[1,2]) u, a", "a > "},
		"its arguments":                 {"", "select * from table(f(cursor(select * from a)))", "a > "},
		"an array of a table":           {"bigquery", "select * from `p.d.t` as t, t.items, unnest(t.tags) as tag", "p.d.t > "},
		"a project with dashes":         {"bigquery", "select * from my-project.d.t where a-b > 1", "my-project.d.t > "},
		"a difference is no name":       {"bigquery", "select a-b from t", "t > "},
		"quotes": {"postgres", `select "from" from "S"."T ""x""" where a = 'from z' -- from y
			/* from w */`, `S.T "x" > `},
		"a string in double quotes":     {"hive", `select "from z" from a`, "a > "},
		"brackets":                      {"tsql", "select * from [s].[t x] with (nolock), u(nolock)", "s.t x, u > "},
		"dollar quotes":                 {"postgres", "select $x$ from z $x$, $1 from a", "a > "},
		"a backslash":                   {"bigquery", `select 'it\'s from z' from a`, "a > "},
		"a backslash that is none":      {"postgres", `select '\' from a`, "a > "},
		"lateral view":                  {"hive", "select * from a lateral view explode(x) t as c, d join b on true", "a, b > "},
		"a file":                        {"duckdb", "select * from 's3://b/x.parquet' x join parquet.`y/z` y", "path:s3://b/x.parquet, path:y/z > "},
		"create as":                     {"", "create or replace temporary table if not exists s.t as select * from a", "a > s.t"},
		"create view with columns":      {"", "create view v (a, b) as select * from t", "t > v"},
		"create like":                   {"", "create table a (like b)", "b > a"},
		"copy grants is no copy":        {"snowflake", "create table a copy grants as select * from b", "b > a"},
		"a bucketed table":              {"hive", "create table a (i int) clustered by (i) into 4 buckets", " > a"},
		"a function makes no table":     {"", "create function f() returns int as 'select * from a'", " > "},
		"insert columns":                {"", "insert into a (x, y) values (1, (select max(i) from b))", "b > a"},
		"insert overwrite":              {"hive", "from a insert overwrite table b partition (d=1) select * insert into table c select *", "a > b, c"},
		"insert into a folder":          {"hive", "insert overwrite local directory '/x' select * from a", "a > path:/x"},
		"upsert":                        {"postgres", "insert into a select * from b on conflict (i) do update set x = excluded.x", "b > a"},
		"select into":                   {"postgres", "select * into a from b", "b > a"},
		"a variable":                    {"tsql", "select x into @y from b", "b > "},
		"update from":                   {"postgres", "update a set x = b.x from b where a.i = b.i", "b > a"},
		"update of an alias":            {"tsql", "update x set x.c = 1 from s.a as x join b on x.i = b.i", "b > s.a"},
		"update of a join":              {"mysql", "update a join b on a.i = b.i set a.x = b.x", "b > a"},
		"for update is a lock":          {"postgres", "select * from a for update", "a > "},
		"delete using":                  {"postgres", "delete from a.b as t using (select c from d) x where t.c = x.c", "d > a.b"},
		"merge":                         {"", "merge into a t using (select * from b) s on t.i = s.i when matched then update set x = s.x when not matched then insert (i) values (s.i)", "b > a"},
		"merge without INTO":            {"bigquery", "merge a using b on a.i = b.i when matched then delete", "b > a"},
		"truncate":                      {"", "truncate table a", " > a"},
		"rename":                        {"", "alter table a rename to b", " > "},
		"swap":                          {"snowflake", "alter table a swap with b", "b > a"},
		"copy":                          {"redshift", "copy a from 's3://x' iam_role 'y'", "path:s3://x > a"},
		"copy to":                       {"postgres", "copy (select * from a) to '/x'", "a > path:/x"},
		"unload":                        {"redshift", "unload ('select * from a') to 's3://x'", "a > path:s3://x"},
		"load":                          {"hive", "load data inpath '/x' overwrite into table a", "path:/x > a"},
		"no data moves":                 {"", "show tables from a; set x = 'y'; drop table b; analyze c", " > "},
		"a table in between":            {"", "create table t as select * from a; insert into b select * from t", "a > b"},
		"a table that is dropped":       {"", "create table t as select * from a; insert into b select * from t; drop table t", "a > b"},
		"a table that reads itself":     {"", "insert into a select * from a", "a > a"},
		"a semicolon in a string":       {"", "select ';' from a; select 1 from b", "a, b > "},
		"not closed":                    {"", "select * from (select * from a where x = 'y", "a > "},
		"closed too often":              {"", "select * from a)) join b", "a, b > "},
		"statements without semicolons": {"tsql", "insert into a select * from b insert into c select * from d", "b, d > a, c"},
		"the body of a procedure":       {"tsql", "create procedure p as begin insert into a select * from b end", "b > a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := drawn(sqltables.Read(tc.sql, tc.dialect)); got != tc.want {
				t.Errorf("got  %s\nwant %s\nof %s", got, tc.want, tc.sql)
			}
		})
	}
}

// TestDeep: nesting without end is read to an end.
func TestDeep(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"(", "select * from (", "[", "with a as (", "from a join (", "lateral view x("} {
		sqltables.Read("select * from t where x in ("+strings.Repeat(part, 20_000), "bigquery")
	}
}

func FuzzRead(f *testing.F) {
	f.Add("with a as (select * from b) merge into c using a on 1=1", "snowflake")
	f.Add("insert overwrite table a select extract(year from b) from `c`", "bigquery")
	f.Fuzz(func(t *testing.T, sql, dialect string) {
		for _, name := range append(sqltables.Read(sql, dialect).Sources, sqltables.Read(sql, dialect).Targets...) {
			if name == "" {
				t.Errorf("an empty name of %q", sql)
			}
		}
	})
}
