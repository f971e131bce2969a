package columns

import (
	"slices"
	"strings"
)

// analysis is what dw reads of the engine's document.
type analysis struct {
	Projections []projection `json:"projections"`
	ColumnUses  []struct {
		References []reference `json:"references"`
	} `json:"columnUses"`
	Relations  []relation `json:"relations"`
	BaseTables []relation `json:"baseTables"`
	CTEs       []cte      `json:"cteFacts"`
}

type projection struct {
	Name      string      `json:"name"`
	IsStar    bool        `json:"isStar"`
	StarTable string      `json:"starTable"`
	Transform string      `json:"transformKind"`
	Upstream  []reference `json:"upstream"`
}

func (p projection) star() bool { return p.IsStar || p.Name == "*" }

type reference struct {
	SourceKind string `json:"sourceKind"`
	SourceName string `json:"sourceName"`
	Table      string `json:"table"`
	Column     string `json:"column"`
	Confidence string `json:"confidence"`
}

type relation struct {
	Name  string `json:"name"`
	Alias string `json:"alias"`
}

// cte is one query of a WITH.
type cte struct {
	Name string `json:"name"`
	SQL  string `json:"bodySql"`
}

// facts holds the engine's document to the query: a table that the query does not
// name is no table, a column that the catalog does not have is not believed.
type facts struct {
	analysis
	tables  []string // what the query reads, from its tokens
	schema  Schema
	dialect string
	analyze func(sql string) (analysis, error) // for the queries of a WITH
}

// table is the query's own spelling of a table that the engine names, or "".
func (f facts) table(name string) string {
	at := slices.IndexFunc(f.tables, func(t string) bool { return strings.EqualFold(t, name) })
	if at < 0 {
		return ""
	}
	return f.tables[at]
}

func has(columns []string, name string) bool {
	return slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(c, name) })
}

// base is the column of a table of the query; false where it is none, or where it
// cannot be believed: neither is the engine sure nor does the catalog list it.
func (f facts) base(r reference) (Column, bool) {
	table := f.table(r.Table)
	if table == "" || r.SourceKind != "table" {
		return Column{}, false
	}
	columns, listed := f.schema[table]
	if listed && r.Column != "*" {
		return Column{Table: table, Column: r.Column}, has(columns, r.Column)
	}
	return Column{Table: table, Column: r.Column}, r.Confidence == "resolved"
}

// columns are what references come from in the end. What cannot be told has no
// table.
func (f facts) columns(references []reference) []Column {
	var out []Column
	for _, r := range references {
		found, ok := f.resolve(r, f.CTEs, 0)
		if !ok {
			found = []Column{{Column: r.Column}}
		}
		for _, c := range found {
			out = addColumn(out, c)
		}
	}
	return out
}

func addColumn(list []Column, c Column) []Column {
	same := func(other Column) bool {
		return strings.EqualFold(other.Table, c.Table) && strings.EqualFold(other.Column, c.Column)
	}
	if slices.ContainsFunc(list, same) {
		return list
	}
	return append(list, c)
}

func (f facts) outputs() []Output {
	out := []Output{}
	for _, p := range f.Projections {
		if p.star() {
			out = append(out, Output{Name: "*", From: f.star(p)})
			continue
		}
		if p.Name == "" && p.Transform == "cast" && len(p.Upstream) == 1 && slices.Contains([]string{"postgresql", "redshift", "generic"}, f.dialect) {
			p.Name = p.Upstream[0].Column // as PostgreSQL names it
		}
		out = append(out, Output{Name: p.Name, From: f.columns(p.Upstream)})
	}
	return out
}

// star is what a star that was not resolved may stand for: the table in front of
// it, or all.
func (f facts) star(p projection) []Column {
	for _, t := range f.BaseTables {
		if table := f.table(t.Name); table != "" && p.StarTable != "" && (strings.EqualFold(t.Alias, p.StarTable) || strings.EqualFold(t.Name, p.StarTable)) {
			return []Column{{Table: table, Column: "*"}}
		}
	}
	var out []Column
	for _, t := range f.tables {
		out = addColumn(out, Column{Table: t, Column: "*"})
	}
	return out
}

func (f facts) filters() []Column {
	var out []Column
	for _, use := range f.ColumnUses {
		for _, c := range f.columns(use.References) {
			out = addColumn(out, c)
		}
	}
	return out
}
