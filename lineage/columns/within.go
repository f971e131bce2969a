package columns

import (
	"slices"
	"strings"
)

// deepest bounds how many queries of a WITH are followed one into another.
const deepest = 40

// resolve finds what a reference comes from. Where the engine stops at a query of
// a WITH (it does at a constant, and at what it has lost), that query is asked
// about by itself. An empty list is a constant; false says that it is not known.
func (f facts) resolve(r reference, scope []cte, depth int) ([]Column, bool) {
	if at := cteAt(scope, r.Table); at >= 0 && depth < deepest {
		return f.within(scope[at], r.Column, scope[:at], depth+1)
	}
	c, ok := f.base(r)
	return []Column{c}, ok
}

// cteAt is the place of the last query of a WITH of this name, or -1.
func cteAt(scope []cte, name string) int {
	for i, query := range slices.Backward(scope) {
		if strings.EqualFold(query.Name, name) {
			return i
		}
	}
	return -1
}

// within finds where a column of a query comes from; scope are the queries that
// it may name.
func (f facts) within(query cte, column string, scope []cte, depth int) ([]Column, bool) {
	a, err := f.analyze(query.SQL)
	if err != nil {
		return nil, false
	}
	scope = append(slices.Clip(scope), a.CTEs...)
	named := func(p projection) bool { return !p.star() && strings.EqualFold(p.Name, column) }
	if at := slices.IndexFunc(a.Projections, named); at >= 0 {
		return f.all(a.Projections[at].Upstream, scope, depth)
	}
	// It comes through a star: from the one relation that has it.
	var out []Column
	found := false
	for _, p := range a.Projections {
		if !p.star() {
			continue
		}
		for _, rel := range a.Relations {
			if p.StarTable != "" && !strings.EqualFold(p.StarTable, rel.Name) && !strings.EqualFold(p.StarTable, rel.Alias) {
				continue
			}
			from, ok := f.resolve(reference{SourceKind: "table", Table: rel.Name, Column: column, Confidence: "assumed"}, scope, depth)
			if ok && found {
				return nil, false // of two
			}
			if ok {
				out, found = from, true
			}
		}
	}
	return out, found
}

func (f facts) all(references []reference, scope []cte, depth int) ([]Column, bool) {
	var out []Column
	for _, r := range references {
		from, ok := f.resolve(r, scope, depth)
		if !ok {
			return nil, false
		}
		for _, c := range from {
			out = addColumn(out, c)
		}
	}
	return out, true
}
