package columns

import (
	"maps"
	"slices"
	"strings"
)

// Schema holds the columns of tables, in order, by the dotted name of the table
// without quotes.
type Schema map[string][]string

// Find returns the columns of a table that a query names: the name itself
// whatever its case, or the one table of which it is the end.
func (s Schema) Find(table string) ([]string, bool) {
	if columns, ok := s[table]; ok {
		return columns, true
	}
	folded := strings.ToLower(table)
	ends := "." + folded
	var same, longer []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		switch lower := strings.ToLower(name); {
		case lower == folded:
			same = append(same, name)
		case strings.HasSuffix(lower, ends):
			longer = append(longer, name)
		}
	}
	if len(same) == 0 {
		same = longer
	}
	if len(same) != 1 {
		return nil, false // none, or two that it may be
	}
	return s[same[0]], true
}

// With returns the schema with one more table, which hides one of the same name.
func (s Schema) With(table string, columns []string) Schema {
	out := maps.Clone(s)
	if out == nil {
		out = Schema{}
	}
	for name := range out {
		if strings.EqualFold(name, table) {
			delete(out, name)
		}
	}
	out[table] = columns
	return out
}

// engineDialect is the engine's name of a dialect; what it does not know is read
// as its generic one.
func engineDialect(name string) string {
	name = strings.ToLower(name)
	switch name {
	case "postgres", "greenplum", "alloydb", "netezza", "vertica":
		return "postgresql"
	case "sparksql":
		return "spark"
	case "mariadb":
		return "mysql"
	case "sqlserver", "synapse":
		return "tsql"
	case "impala":
		return "hive"
	case "postgresql", "mysql", "bigquery", "snowflake", "duckdb", "sqlite", "hive", "spark", "trino", "presto", "redshift",
		"tsql", "oracle", "clickhouse", "databricks", "athena", "teradata", "doris", "starrocks", "materialize", "risingwave",
		"singlestore", "fabric", "exasol", "dremio":
		return name
	}
	return "generic"
}
