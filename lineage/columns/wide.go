package columns

import (
	"fmt"
	"strings"

	"dw/lineage/sqltables"
)

// wideFrom is how many columns of a table a query must leave unnamed for one to
// stand for all of them. The engine takes some 5 ms for each column of a star.
const wideFrom = 50

// narrowed is a schema in which, of the columns that a query does not name, one
// stands for all of a table: only a star can carry them, and it carries them
// alike. Not for queries that match columns by position.
type narrowed struct {
	schema Schema
	stands map[string]standIn // by its name
}

type standIn struct {
	table   string
	columns []string
}

func narrow(sql, dialect string, schema Schema) narrowed {
	words := sqltables.Words(sql, dialect)
	out := narrowed{schema: schema, stands: map[string]standIn{}}
	for _, position := range []string{"union", "except", "intersect", "minus", "natural"} {
		if words[position] {
			return out
		}
	}
	out.schema = Schema{}
	for table, all := range schema {
		var named, unnamed []string
		for _, c := range all {
			if words[strings.ToLower(c)] {
				named = append(named, c)
			} else {
				unnamed = append(unnamed, c)
			}
		}
		if len(unnamed) < wideFrom {
			out.schema[table] = all
			continue
		}
		name := fmt.Sprintf("dw_rest_%d", len(out.stands))
		out.stands[name] = standIn{table: table, columns: unnamed}
		out.schema[table] = append(named, name)
	}
	return out
}

// widen puts back what stand-ins stand for.
func (n narrowed) widen(outputs []Output) []Output {
	if len(n.stands) == 0 {
		return outputs
	}
	var out []Output
	for _, o := range outputs {
		stand, ok := n.stands[strings.ToLower(o.Name)]
		if !ok {
			out = append(out, Output{Name: o.Name, From: n.widenColumns(o.From)})
			continue
		}
		for _, c := range stand.columns {
			out = append(out, Output{Name: c, From: []Column{{Table: stand.table, Column: c}}})
		}
	}
	return out
}

// widenColumns is widen for what an expression over a whole row reads.
func (n narrowed) widenColumns(list []Column) []Column {
	var out []Column
	for _, c := range list {
		stand, ok := n.stands[strings.ToLower(c.Column)]
		if !ok {
			out = append(out, c)
		}
		for _, name := range stand.columns {
			out = append(out, Column{Table: stand.table, Column: name})
		}
	}
	return out
}
