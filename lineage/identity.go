package lineage

import (
	"slices"
	"strings"
)

// anySystem stands for a system that a source does not name.
const anySystem = "table"

// identity is one name of an asset, taken apart: which system, which server of
// it, and the dotted name there.
type identity struct {
	of     AssetID
	system string
	host   string   // empty where it is not said
	parts  []string // as compared, the table last
}

// relational reports whether a system holds tables with dotted names, and
// whether case tells two of them apart.
func relational(system string) (tables, cased bool) {
	switch system {
	case "bigquery":
		return true, true
	case "postgres", "mysql", "mssql", "oracle", "redshift", "snowflake", "trino", "hive", "awsathena", "databricks", "unitycatalog",
		"iceberg", "duckdb", "sqlite", "clickhouse", "spark", "starrocks", "teradata", anySystem:
		return true, false
	}
	return false, false
}

// SystemOf is the system that a dbt adapter or another tool's kind of connection
// speaks of, by OpenLineage's naming; what has no other name keeps its own.
func SystemOf(kind string) string {
	switch kind = strings.ToLower(kind); kind {
	case "sqlserver", "synapse", "fabric":
		return "mssql"
	case "postgresql":
		return "postgres"
	case "google-bigquery":
		return "bigquery"
	case "athena":
		return "awsathena"
	}
	return kind
}

// readIdentity takes an id or an alias apart; false for what names no table and
// no topic.
func readIdentity(of AssetID, name string) (identity, bool) {
	system, rest, found := strings.Cut(name, "://")
	if !found || rest == "" {
		return identity{}, false
	}
	i := identity{of: of, system: strings.ToLower(system)}
	if host, path, slash := strings.Cut(rest, "/"); slash {
		i.host, rest = strings.ToLower(host), path
	}
	tables, cased := relational(i.system)
	switch {
	case tables:
		i.parts = splitRelation(rest)
	case i.system == "kafka" && !strings.Contains(rest, "/"):
		i.parts, cased = []string{rest}, true
	default:
		return identity{}, false
	}
	if !cased {
		for n, part := range i.parts {
			i.parts[n] = strings.ToLower(part)
		}
	}
	return i, len(i.parts) > 0 && !slices.Contains(i.parts, "")
}

// TableID writes the id of a table from the parts of its name, the table last, where
// the server is not known; empty parts are left out. A part that holds a dot or a
// quote is quoted, so that it is read back as one.
func TableID(system string, parts ...string) AssetID {
	var out []string
	for _, part := range parts {
		switch {
		case part == "":
			continue
		case !strings.ContainsAny(part, ".\"`[]"):
		case strings.Contains(part, "`"):
			part = `"` + strings.ReplaceAll(part, `"`, "'") + `"`
		default:
			part = "`" + part + "`"
		}
		out = append(out, part)
	}
	return AssetID(system + ":///" + strings.Join(out, "."))
}

// splitRelation splits a dotted name at the dots outside of quotes, and takes the
// quotes off.
func splitRelation(name string) []string {
	var out []string
	var part strings.Builder
	var closing rune
	for _, r := range name {
		switch {
		case closing != 0 && r == closing:
			closing = 0
		case closing != 0:
			part.WriteRune(r)
		case r == '"' || r == '`':
			closing = r
		case r == '[':
			closing = ']'
		case r == '.':
			out = append(out, part.String())
			part.Reset()
		default:
			part.WriteRune(r)
		}
	}
	return append(out, part.String())
}

// identities are the names of one statement that can be compared.
func (a Asset) identities() []identity {
	var out []identity
	for _, name := range append([]string{string(a.ID), a.Relation}, a.Aliases...) {
		if i, ok := readIdentity(a.ID, name); ok {
			out = append(out, i)
		}
	}
	return out
}

// key is the same for names that are the same letter by letter.
func (i identity) key() string {
	return i.system + "\x00" + i.host + "\x00" + strings.Join(i.parts, "\x00")
}

func (i identity) last() string { return strings.ToLower(i.parts[len(i.parts)-1]) }

// specific counts how much a name says.
func (i identity) specific() int {
	n := 4 * len(i.parts)
	if i.host != "" {
		n += 2
	}
	if i.system != anySystem {
		n++
	}
	return n
}

// covers reports whether a name that says more may be of the same thing. A bare
// name of one part says too little, but for a topic.
func (i identity) covers(fuller identity) bool {
	switch {
	case i.system != fuller.system && (i.system != anySystem || fuller.system == "kafka"):
		return false
	case i.host != "" && i.host != fuller.host:
		return false
	case len(i.parts) > len(fuller.parts) || fuller.specific() <= i.specific():
		return false
	case len(i.parts) == 1 && i.system != "kafka":
		return false
	}
	return i.sameEnd(fuller)
}

func (i identity) sameEnd(fuller identity) bool {
	_, cased := relational(i.system)
	if _, other := relational(fuller.system); i.system == "kafka" || cased && other {
		return slices.Equal(i.parts, fuller.parts[len(fuller.parts)-len(i.parts):])
	}
	end := fuller.parts[len(fuller.parts)-len(i.parts):]
	return slices.EqualFunc(i.parts, end, strings.EqualFold)
}
