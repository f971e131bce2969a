package lineage

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ResolveColumn finds what is called name: an asset, or an asset and one of its
// columns with a dot between them. The column is "" for an asset. The error is
// that of Resolve, or says which columns the asset has.
func (g *Graph) ResolveColumn(name string) (Asset, string, error) {
	a, err := g.Resolve(name)
	if err == nil {
		return a, "", nil
	}
	// A column's name may have dots, so the longest asset is tried first.
	for at := strings.LastIndexByte(name, '.'); at > 0; at = strings.LastIndexByte(name[:at], '.') {
		owner, ownerErr := g.Resolve(name[:at])
		if ownerErr != nil {
			continue
		}
		if column, ok := g.column(g.index[owner.ID], name[at+1:]); ok {
			return owner, column, nil
		}
		return Asset{}, "", g.noColumn(owner, name[at+1:], err)
	}
	return Asset{}, "", err
}

// noColumn says that an asset has no such column, or, where its columns are not
// known, what Resolve said.
func (g *Graph) noColumn(a Asset, column string, err error) error {
	if len(a.Columns) == 0 {
		return fmt.Errorf("%w; %s is an asset, but no source states its columns", err, a.ID)
	}
	return &UnknownColumnError{Asset: a.ID, Column: column, Has: a.Columns}
}

// UnknownColumnError says that an asset has no such column, and which it has.
type UnknownColumnError struct {
	Asset  AssetID
	Column string
	Has    []string
}

// Error names the columns.
func (e *UnknownColumnError) Error() string {
	return fmt.Sprintf("%s has no column %q; it has %s", e.Asset, e.Column, shownColumns(e.Has))
}

// column is the asset's own spelling of a column, where a source states it or an
// edge reads or fills it.
func (g *Graph) column(n int32, name string) (string, bool) {
	for _, c := range g.assets[n].Columns {
		if fold(c) == fold(name) {
			return c, true
		}
	}
	if g.linked(n, name) {
		return name, true
	}
	for _, edge := range g.up.neighbours(n) {
		if slices.ContainsFunc(g.edges[edge].Columns, func(l ColumnLink) bool { return fold(l.To) == fold(name) }) {
			return name, true
		}
	}
	return "", false
}

// ColumnStep is one column on the way up or down from another.
type ColumnStep struct {
	Asset  AssetID `json:"asset"`
	Column string  `json:"column"` // "" where every row is affected, or where it is not known which
	Depth  int     `json:"depth"`  // edges from the start
	Use    string  `json:"use,omitempty"`
	Source string  `json:"source"` // who states it
	By     string  `json:"by"`     // how it is known: "engine with catalog", "declared"
	// Sure is false where no source says which columns, or where the link is one of
	// several that may be meant: the step is shown so that nothing is missed.
	Sure bool      `json:"sure"`
	From AssetID   `json:"from"` // the asset before it
	Seen time.Time `json:"seen_at,omitzero"`
}

// TraceColumn walks from a column to all that feeds it (up) or that it feeds, up to
// depth edges away; 0 or less is no limit. Over an edge of which no source states
// the columns it goes on as if each were read, and says so. The nearest come
// first, then by id and column.
func (g *Graph) TraceColumn(id AssetID, column string, up bool, depth int) ([]ColumnStep, error) {
	start, err := g.node(id)
	if err != nil {
		return nil, err
	}
	w := columnWalk{g: g, up: up, seen: map[columnAt]bool{{start, fold(column)}: true}}
	level := []reached{{columnAt{start, fold(column)}, true}}
	var out []ColumnStep
	for d := 1; len(level) > 0 && (depth <= 0 || d <= depth); d++ {
		var next []reached
		for _, at := range level {
			steps, found := w.next(at, d)
			out, next = append(out, steps...), append(next, found...)
		}
		level = next
	}
	slices.SortStableFunc(out, func(a, b ColumnStep) int {
		return compareAll(a.Depth-b.Depth, strings.Compare(string(a.Asset), string(b.Asset)), strings.Compare(a.Column, b.Column))
	})
	return out, nil
}

func compareAll(results ...int) int {
	for _, r := range results {
		if r != 0 {
			return r
		}
	}
	return 0
}

// columnAt is a column of a node; "" is every one.
type columnAt struct {
	node   int32
	column string
}

type reached struct {
	at   columnAt
	sure bool
}

type columnWalk struct {
	g    *Graph
	up   bool
	seen map[columnAt]bool
}

// next is what one edge farther feeds the column, or what it feeds.
func (w columnWalk) next(at reached, depth int) ([]ColumnStep, []reached) {
	var steps []ColumnStep
	var found []reached
	for node, edge := range w.g.direction(w.up).neighbours(at.at.node) {
		e := w.g.edges[edge]
		for _, s := range w.over(e, at.at.column) {
			to := columnAt{node, fold(s.Column)}
			if w.seen[to] || w.seen[columnAt{node, ""}] {
				continue
			}
			w.seen[to] = true
			s.Asset, s.Depth, s.From = w.g.assets[node].ID, depth, w.g.assets[at.at.node].ID
			s.Seen, s.Sure = e.Seen.SeenAt, s.Sure && at.sure
			steps, found = append(steps, s), append(found, reached{to, s.Sure})
		}
	}
	return steps, found
}

// over lists what passes an edge.
func (w columnWalk) over(e Edge, column string) []ColumnStep {
	if len(e.Columns) == 0 {
		return []ColumnStep{{Source: e.Seen.Source, By: howText(e.Seen), Sure: column == ""}}
	}
	var out []ColumnStep
	for _, l := range e.Columns {
		to, ok := l.passes(column, w.up)
		if !ok {
			continue
		}
		step := ColumnStep{Column: to, Use: l.Use, Source: SourceModelSQL, By: l.By, Sure: !l.Unsure}
		if l.By == "" {
			step.Source, step.By = e.Seen.Source, howText(e.Seen)
		}
		out = append(out, step)
	}
	return out
}

// passes is carries in both directions, from every column too.
func (l ColumnLink) passes(column string, up bool) (string, bool) {
	if !up {
		if column != "" {
			return l.carries(column)
		}
		return withoutAny(l.To), true
	}
	switch {
	case l.To == AnyColumn && l.From == AnyColumn && column != "":
		return column, true
	case column != "" && l.To != "" && fold(l.To) != fold(column):
		return "", false
	}
	return withoutAny(l.From), true
}

func withoutAny(column string) string {
	if column == AnyColumn {
		return ""
	}
	return column
}

func howText(p Provenance) string {
	if p.How == "" {
		return HowDeclared
	}
	return p.How
}
