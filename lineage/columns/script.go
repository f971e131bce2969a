package columns

import (
	"context"
	"slices"

	"dw/lineage/sqltables"
)

// Filled is what one statement writes into a table.
type Filled struct {
	Target string // "" for a query that only answers
	Answer Answer // its outputs have the target's names
	// OwnNames says that the target takes columns by position and that no catalog
	// lists them: the outputs then have the names of the query.
	OwnNames bool
}

// Script reads a script statement by statement; what one makes, the next ones
// find. The second result names the tables of which nothing is known, because the
// statement that fills them is no query.
func (r Reader) Script(ctx context.Context, q Query) ([]Filled, []string, error) {
	queries := sqltables.ReadQueries(q.SQL, q.Dialect)
	var out []Filled
	schema := q.Schema
	for _, one := range queries.List {
		answer, err := r.Read(ctx, Query{SQL: one.SQL, Dialect: q.Dialect, Schema: schema})
		if err != nil {
			return nil, nil, err
		}
		f := Filled{Target: one.Target, Answer: answer}
		f.name(one, schema)
		if made := f.madeColumns(one); len(made) > 0 {
			schema = schema.With(one.Target, made)
		}
		out = append(out, f)
	}
	return out, queries.Unread, nil
}

// name gives the outputs the names that they have in the target.
func (f *Filled) name(q sqltables.Query, schema Schema) {
	names := q.Columns
	if q.ByPosition {
		listed, ok := schema.Find(q.Target)
		if names = listed; len(listed)-q.Set == len(f.Answer.Outputs) {
			names = listed[:len(f.Answer.Outputs)]
		}
		f.OwnNames = !ok
	}
	f.Answer.Outputs = rename(f.Answer.Outputs, names)
}

// rename names outputs by position. Where a star hides how many there are, each
// name may come from any of the columns.
func rename(outputs []Output, names []string) []Output {
	if len(names) == 0 || len(outputs) == 0 {
		return outputs
	}
	star := slices.ContainsFunc(outputs, func(o Output) bool { return o.Name == "*" })
	if !star && len(names) != len(outputs) {
		return outputs // the statement is wrong, or the catalog is old
	}
	out := make([]Output, len(names))
	for i, name := range names {
		out[i].Name = name
		if !star {
			out[i].From = outputs[i].From
			continue
		}
		for _, o := range outputs {
			for _, c := range o.From {
				out[i].From = addColumn(out[i].From, Column{Table: c.Table, Column: "*"})
			}
		}
	}
	return out
}

// madeColumns are the columns of a table that the statement makes, where all are
// known.
func (f Filled) madeColumns(q sqltables.Query) []string {
	if q.Target == "" || q.ByPosition || !q.Made || !f.Answer.Known() {
		return nil
	}
	var out []string
	for _, o := range f.Answer.Outputs {
		if o.Name == "*" || o.Name == "" {
			return nil
		}
		out = append(out, o.Name)
	}
	return out
}
