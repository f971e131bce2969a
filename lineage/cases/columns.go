package cases

import (
	"context"
	"slices"
	"strings"

	"dw/lineage/columns"
)

// The kinds of case whose answer is columns.
const (
	KindEdges   = "statement_columns" // every column that a script fills, with what it comes from
	KindSources = "column_sources"    // one column of a query
	KindModel   = "model_columns"     // every column of a dbt model
)

// edge is a pair of columns as the files write it.
type edge struct {
	From *string `json:"from"` // nil: a constant
	To   string  `json:"to"`
}

// filledColumns resolves what scripts fill to where it comes from in the end: what
// one statement makes and a later one reads lies in between.
type filledColumns struct {
	from map[string][]string // by "table.column", folded
	read map[string]bool
}

func newFilled(all []columns.Filled) filledColumns {
	f := filledColumns{from: map[string][]string{}, read: map[string]bool{}}
	for _, filled := range all {
		for _, o := range filled.Answer.Outputs {
			to := dotted(filled.Target, o.Name)
			f.from[to] = append(f.from[to], nil...)
			for _, c := range o.From {
				if from := dotted(c.Table, c.Column); from != to || c.Table == "" {
					f.from[to] = append(f.from[to], from)
					f.read[from] = true
				}
			}
		}
	}
	return f
}

func dotted(table, column string) string {
	name := strings.Trim(table+"."+column, ".")
	return strings.ToLower(strings.NewReplacer("`", "", `"`, "", "[", "", "]", "").Replace(name))
}

// roots are the columns that a column comes from in the end.
func (f filledColumns) roots(column string, seen map[string]bool) []string {
	var out []string
	for _, from := range f.from[column] {
		if _, filled := f.from[from]; !filled || seen[from] {
			out = append(out, from)
			continue
		}
		seen[from] = true
		out = append(out, f.roots(from, seen)...)
	}
	return out
}

// edges are the pairs of first and last columns.
func (f filledColumns) edges() []string {
	var out []string
	for to := range f.from {
		if f.read[to] {
			continue
		}
		for _, from := range f.roots(to, map[string]bool{to: true}) {
			out = append(out, from+" -> "+to)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (r *runner) statementColumns(ctx context.Context, c one) (difference, error) {
	filled, _, err := r.reader.Script(ctx, c.query(columns.Schema(c.schema())))
	if err != nil {
		return difference{}, err
	}
	if slices.ContainsFunc(filled, func(f columns.Filled) bool { return f.Target != "" }) {
		filled = slices.DeleteFunc(filled, func(f columns.Filled) bool { return f.Target == "" })
	}
	var want []string
	for _, e := range c.Edges {
		if e.From != nil {
			want = append(want, dotted("", *e.From)+" -> "+dotted("", e.To))
		}
	}
	return compare(newFilled(filled).edges(), want), nil
}

// columnSources answers for one column of the last query; views are queries that
// stand for tables.
func (r *runner) columnSources(ctx context.Context, c one) (difference, error) {
	var script strings.Builder
	for _, name := range viewOrder(c.Views) {
		script.WriteString("create view " + name + " as " + c.Views[name] + ";\n")
	}
	q := c.query(c.schema())
	q.SQL = script.String() + c.SQL
	filled, _, err := r.reader.Script(ctx, q)
	if err != nil || len(filled) == 0 {
		return compare(nil, c.Sources), err
	}
	last := filled[len(filled)-1]
	f := newFilled(filled)
	return compare(f.roots(dotted(last.Target, c.Column), map[string]bool{}), c.Sources), nil
}

// viewOrder lists views behind those that they read.
func viewOrder(views map[string]string) []string {
	var out []string
	for len(out) < len(views) {
		before := len(out)
		for name, sql := range views {
			ready := !slices.Contains(out, name)
			for other := range views {
				if other != name && !slices.Contains(out, other) && strings.Contains(sql+" ", " "+other+" ") {
					ready = false
				}
			}
			if ready {
				out = append(out, name)
			}
		}
		if len(out) == before {
			return out // a circle
		}
	}
	return out
}

// modelColumns compares column by column; one that the collection's own oracle
// could not resolve is left out.
func (r *runner) modelColumns(ctx context.Context, c one) ([]difference, error) {
	answer, err := r.reader.Read(ctx, c.query(c.schema()))
	if err != nil {
		return nil, err
	}
	got := map[string][]string{}
	for _, o := range answer.Outputs {
		for _, from := range o.From {
			name := dotted("", o.Name)
			got[name] = append(got[name], dotted(from.Table, from.Column))
		}
	}
	var out []difference
	for name, want := range c.Expected {
		if slices.ContainsFunc(want, func(s string) bool { return strings.HasSuffix(s, ".*") }) {
			continue
		}
		d := compare(got[dotted("", name)], want)
		for i := range d.wrong {
			d.wrong[i] = name + " <- " + d.wrong[i]
		}
		for i := range d.missing {
			d.missing[i] = name + " <- " + d.missing[i]
		}
		out = append(out, d)
	}
	return out, nil
}
