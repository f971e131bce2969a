package checks

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestValidateSaysEverythingAtOnce(t *testing.T) {
	t.Parallel()
	wrong := Spec{
		Kind: "volumes", Table: "", TimeColumn: "a\x00", TimeFormat: "iso", Bucket: "week", Zone: "Mars/Base",
		Columns: []string{"ok", ""}, Dimensions: []string{strings.Repeat("x", 200)}, Where: "1) OR (1", Query: "DROP TABLE t",
		MinChange: -1, MinRows: -1, Weeks: 2, Delay: -time.Second, MaxAge: -1, Share: 200, Max: -1, Timeout: -1,
		MainTable: "\x00", Severity: "fatal",
	}
	var paths []string
	for _, e := range wrong.Validate() {
		paths = append(paths, e.Path)
		if e.Problem == "" {
			t.Errorf("%s has no problem", e.Path)
		}
	}
	slices.Sort(paths)
	want := []string{
		"bucket", "columns[1]", "delay", "dimensions[0]", "kind", "main_table", "max", "max_age", "min_change",
		"min_rows", "name", "query", "severity", "share", "time_column", "time_format", "timeout", "weeks", "where", "zone",
	}
	if !slices.Equal(paths, want) {
		t.Errorf("paths %v,\nwant  %v", paths, want)
	}
}

func TestValidateByKind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec Spec
		want []string
	}{
		"row_count":                             {Spec{Kind: "row_count"}, []string{"table"}},
		"volume":                                {Spec{Kind: "volume"}, []string{"table", "time_column"}},
		"freshness":                             {Spec{Kind: "freshness"}, []string{"table", "time_column", "max_age"}},
		"missing":                               {Spec{Kind: "missing"}, []string{"table", "columns"}},
		"unique":                                {Spec{Kind: "unique"}, []string{"table", "columns"}},
		"dead_letter":                           {Spec{Kind: "dead_letter", Share: 1}, []string{"table", "main_table", "time_column"}},
		"sql":                                   {Spec{Kind: "sql"}, []string{"query"}},
		"percent where none is":                 {Spec{Kind: "row_count", Table: "t", Warn: Threshold{Op: "<", Low: 5, Percent: true}}, []string{"warn"}},
		"accepted_values":                       {Spec{Kind: "accepted_values", Columns: []string{"a", "b"}}, []string{"table", "columns", "values"}},
		"a long list":                           {Spec{Kind: "accepted_values", Table: "t", Columns: []string{"a"}, Values: make([]string, 1001)}, []string{"values"}},
		"a length in percent":                   {Spec{Kind: "accepted_values", Table: "t", Columns: []string{"a"}, Length: Threshold{Op: "<", Low: 5, Percent: true}}, []string{"length"}},
		"range":                                 {Spec{Kind: "range", Columns: []string{"a"}}, []string{"table", "min"}},
		"range the wrong way":                   {Spec{Kind: "range", Table: "t", Columns: []string{"a"}, Low: new(2.0), High: new(1.0)}, []string{"max"}},
		"relationships":                         {Spec{Kind: "relationships", ToColumns: []string{"id"}}, []string{"table", "to", "columns", "to_columns"}},
		"metric":                                {Spec{Kind: "metric"}, []string{"table", "expression", "threshold"}},
		"metric of two":                         {Spec{Kind: "metric", Table: "t", TimeColumn: "at", Expression: "1; SELECT 2"}, []string{"expression"}},
		"dimension":                             {Spec{Kind: "dimension"}, []string{"table", "time_column", "dimensions"}},
		"schema":                                {Spec{Kind: "schema"}, []string{"table"}},
		"reconcile":                             {Spec{Kind: "reconcile", ToWhere: "a)"}, []string{"table", "to", "to_where"}},
		"reconcile both ways":                   {Spec{Kind: "reconcile", Table: "t", To: "u", TimeColumn: "at", Expression: "sum(x)"}, []string{"expression"}},
		"partition of a kind with its own time": {Spec{Kind: "volume", Table: "t", TimeColumn: "at", PartitionColumn: "at", PartitionLast: time.Hour}, []string{"partition"}},
		"half a partition":                      {Spec{Kind: "row_count", Table: "t", PartitionLast: time.Hour}, []string{"partition.column"}},
		"a partition of no time":                {Spec{Kind: "row_count", Table: "t", PartitionColumn: "at"}, []string{"partition.last"}},
		"groups":                                {Spec{Kind: "sql", Query: "SELECT 1", GroupBy: []string{"a", "b", ""}}, []string{"group_by", "group_by", "group_by[2]"}},
		"groups of buckets":                     {Spec{Kind: "metric", Table: "t", Expression: "sum(a)", TimeColumn: "at", GroupBy: []string{"a"}}, []string{"group_by"}},
		"a bad time of day":                     {Spec{Kind: "freshness", Table: "t", TimeColumn: "at", By: "7 am"}, []string{"by"}},
		"a bad schedule":                        {Spec{Kind: "sql", Query: "SELECT 1", Schedule: "often"}, []string{"schedule"}},
		"complete":                              {Spec{Kind: "sql", Query: "SELECT 1", Schedule: "@hourly", Zone: "Europe/Berlin"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.spec.Name = "c"
			var paths []string
			for _, e := range c.spec.Validate() {
				paths = append(paths, e.Path)
			}
			if !slices.Equal(paths, c.want) {
				t.Errorf("paths %v, want %v", paths, c.want)
			}
		})
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"not_null": "missing", "nulls": "missing", "Not-Null": "missing", "duplicate": "unique", "volume_anomalies": "volume",
		"source freshness": "freshness", "dlq": "dead_letter", "custom": "sql", "failed_rows": "sql", "row_count": "row_count", " Volume ": "volume",
	} {
		if got, ok := KindOf(name); !ok || got != want {
			t.Errorf("%q is %q, %v; want %s", name, got, ok, want)
		}
	}
	problems := Spec{Name: "c", Kind: "anomaly"}.Validate()
	if len(problems) != 1 {
		t.Fatalf("problems %v", problems)
	}
	for _, word := range append(Kinds(), "not_null", "dlq", "volume_anomalies") {
		if !strings.Contains(problems[0].Problem, word) {
			t.Errorf("%q does not name %s", problems[0].Problem, word)
		}
	}
}
