package lineage

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// mostEdgeErrors bounds the errors of one build: each looks for near names in
// the whole graph.
const mostEdgeErrors = 20

// Builder collects what the sources state about assets and edges. It is not
// safe for use by several goroutines.
type Builder struct {
	statements map[AssetID][]Asset
	edges      []Edge
}

// NewBuilder returns an empty Builder.
func NewBuilder() *Builder {
	return &Builder{statements: map[AssetID][]Asset{}}
}

// AddAsset adds one source's statement about an asset. The same id may be
// added by several sources; Build merges them. What is wrong with a statement
// is reported by Build.
func (b *Builder) AddAsset(a Asset) {
	b.statements[a.ID] = append(b.statements[a.ID], a)
}

// Has reports whether a source has stated an asset under this id.
func (b *Builder) Has(id AssetID) bool { return len(b.statements[id]) > 0 }

// AddEdge adds one source's statement that one asset feeds another.
func (b *Builder) AddEdge(e Edge) {
	b.edges = append(b.edges, e)
}

// Build returns the graph of all that was added. The error joins everything
// that is wrong with it: an asset without id, kind or provenance, an unknown
// money class, an edge from or to an asset that no source stated.
//
// Ids that are one asset are joined: see docs/lineage.md. Each of them finds it.
func (b *Builder) Build() (*Graph, error) {
	b = b.clone()
	canon, unsure := b.unify()
	assets, errs := b.assets()
	g := newGraph(assets)
	g.unsure = unsure
	for id, to := range canon {
		g.index[id] = g.index[to]
	}
	edges, edgeErrs := b.pairs(g)
	if err := errors.Join(append(errs, edgeErrs...)...); err != nil {
		return nil, fmt.Errorf("build the context graph: %w", err)
	}
	g.connect(edges)
	return g, nil
}

// clone copies what unify changes, so that Build can be called again.
func (b *Builder) clone() *Builder {
	out := &Builder{statements: make(map[AssetID][]Asset, len(b.statements)), edges: slices.Clone(b.edges)}
	for id, list := range b.statements {
		out.statements[id] = slices.Clip(list)
	}
	return out
}

// assets returns the merged assets by id, so that a node's number does not
// depend on the order of loading.
func (b *Builder) assets() ([]Asset, []error) {
	ids := make([]AssetID, 0, len(b.statements))
	for id := range b.statements {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	out := make([]Asset, 0, len(ids))
	var errs []error
	for _, id := range ids {
		if err := checkSources(id, b.statements[id]); err != nil {
			errs = append(errs, err)
			continue
		}
		a := merge(slices.Clone(b.statements[id]))
		if err := checkAsset(a); err != nil {
			errs = append(errs, err)
		}
		out = append(out, a)
	}
	return out, errs
}

func checkSources(id AssetID, statements []Asset) error {
	if id.System() == "" || strings.HasSuffix(string(id), "://") {
		return fmt.Errorf("asset %q: the id must have the form system://path", id)
	}
	for _, s := range statements {
		if len(s.From) == 0 || s.From[0].Source == "" {
			return fmt.Errorf("asset %s: no provenance: say which source stated it", id)
		}
	}
	return nil
}

func checkAsset(a Asset) error {
	switch {
	case a.Kind == "":
		return fmt.Errorf("asset %s: no source states its kind", a.ID)
	case a.Readers < 0:
		return fmt.Errorf("asset %s: readers is %d, want 0 or more", a.ID, a.Readers)
	}
	if _, known := movesPoints(a.Moves); a.Moves != "" && !known {
		return fmt.Errorf("asset %s: moves is %q, want %s, %s, %s or %s",
			a.ID, a.Moves, MovesMoney, MovesCustomer, MovesExec, MovesInternal)
	}
	return nil
}

// pairs returns one edge for each pair of assets, ordered by the numbers of
// its ends.
func (b *Builder) pairs(g *Graph) ([]numberedEdge, []error) {
	var errs []error
	all := make([]numberedEdge, 0, len(b.edges))
	for _, e := range b.edges {
		numbered, err := g.number(e)
		if err != nil {
			if errs = append(errs, err); len(errs) == mostEdgeErrors {
				return nil, append(errs, errors.New("and perhaps more edges are wrong"))
			}
			continue
		}
		all = append(all, numbered)
	}
	slices.SortStableFunc(all, func(x, y numberedEdge) int {
		return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.to, y.to))
	})
	return mergePairs(all), errs
}

func mergePairs(sorted []numberedEdge) []numberedEdge {
	out := make([]numberedEdge, 0, len(sorted))
	for start := 0; start < len(sorted); {
		end := start + 1
		for end < len(sorted) && sorted[end].from == sorted[start].from && sorted[end].to == sorted[start].to {
			end++
		}
		merged := sorted[start]
		if end-start > 1 {
			same := make([]Edge, 0, end-start)
			for _, e := range sorted[start:end] {
				same = append(same, e.edge)
			}
			merged.edge = mergeEdges(same)
		}
		out = append(out, merged)
		start = end
	}
	return out
}
