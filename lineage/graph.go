package lineage

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Graph is the context graph. It does not change after Build, so any number of
// goroutines may read it; callers must not write into the slices and maps of
// the assets that it returns.
type Graph struct {
	assets []Asset // ordered by id; the index is the node's number
	edges  []Edge  // ordered by From, then To; the index is the edge's number
	seen   []int64 // when each edge was last seen, in seconds, in step with edges
	index  map[AssetID]int32
	down   adjacency
	up     adjacency
	names  names
	unsure []IdentityConflict
}

// adjacency is one direction of the graph as compressed sparse rows: the
// neighbours of node n are node[start[n]:start[n+1]].
type adjacency struct {
	start []int32
	node  []int32
	edge  []int32 // the edge's number, in step with node
}

type numberedEdge struct {
	from, to int32
	edge     Edge
}

func newGraph(assets []Asset) *Graph {
	g := &Graph{assets: assets, index: make(map[AssetID]int32, len(assets))}
	for i, a := range assets {
		g.index[a.ID] = int32(i)
	}
	g.names = newNames(assets)
	return g
}

// number finds the nodes of an edge; an end that is no asset is an error.
func (g *Graph) number(e Edge) (numberedEdge, error) {
	if e.Seen.Source == "" {
		return numberedEdge{}, fmt.Errorf("edge %s -> %s: no provenance: say which source stated it", e.From, e.To)
	}
	from, ok := g.index[e.From]
	if !ok {
		return numberedEdge{}, fmt.Errorf("edge %s -> %s: from: %w", e.From, e.To, g.unknown(string(e.From)))
	}
	to, ok := g.index[e.To]
	if !ok {
		return numberedEdge{}, fmt.Errorf("edge %s -> %s: to: %w", e.From, e.To, g.unknown(string(e.To)))
	}
	return numberedEdge{from: from, to: to, edge: e}, nil
}

// connect fills both directions from edges ordered by from, then to.
func (g *Graph) connect(edges []numberedEdge) {
	g.edges, g.seen = make([]Edge, len(edges)), make([]int64, len(edges))
	for i, e := range edges {
		g.edges[i], g.seen[i] = e.edge, e.edge.Seen.SeenAt.Unix()
	}
	g.down = newAdjacency(len(g.assets), edges, func(e numberedEdge) (int32, int32) { return e.from, e.to })
	g.up = newAdjacency(len(g.assets), edges, func(e numberedEdge) (int32, int32) { return e.to, e.from })
}

func newAdjacency(nodes int, edges []numberedEdge, ends func(numberedEdge) (row, col int32)) adjacency {
	a := adjacency{
		start: make([]int32, nodes+1),
		node:  make([]int32, len(edges)),
		edge:  make([]int32, len(edges)),
	}
	for _, e := range edges {
		row, _ := ends(e)
		a.start[row+1]++
	}
	for n := range nodes {
		a.start[n+1] += a.start[n]
	}
	next := slices.Clone(a.start)
	for i, e := range edges {
		row, col := ends(e)
		a.node[next[row]], a.edge[next[row]] = col, int32(i)
		next[row]++
	}
	return a
}

// neighbours yields each neighbour of a node with the number of the edge.
func (a adjacency) neighbours(n int32) iter.Seq2[int32, int32] {
	return func(yield func(node, edge int32) bool) {
		for i := a.start[n]; i < a.start[n+1]; i++ {
			if !yield(a.node[i], a.edge[i]) {
				return
			}
		}
	}
}

// IdentityConflicts returns the names that may be of several assets, ordered.
func (g *Graph) IdentityConflicts() []IdentityConflict { return slices.Clone(g.unsure) }

// Len returns the number of assets.
func (g *Graph) Len() int { return len(g.assets) }

// Assets returns all assets, ordered by id.
func (g *Graph) Assets() []Asset { return slices.Clone(g.assets) }

// Edges returns all edges, ordered by From, then To.
func (g *Graph) Edges() []Edge { return slices.Clone(g.edges) }

// Asset returns the asset of exactly this id, and false if there is none.
// Resolve also takes the other names of an asset.
func (g *Graph) Asset(id AssetID) (Asset, bool) {
	n, ok := g.index[id]
	if !ok {
		return Asset{}, false
	}
	return g.assets[n], true
}

// Same returns whether an id names the same asset as id does. For an id that the
// graph does not hold it is that id alone.
func (g *Graph) Same(id AssetID) func(AssetID) bool {
	n, known := g.index[id]
	return func(other AssetID) bool {
		m, ok := g.index[other]
		return other == id || (known && ok && m == n)
	}
}

// node returns the number of an id, or an *UnknownAssetError.
func (g *Graph) node(id AssetID) (int32, error) {
	n, ok := g.index[id]
	if !ok {
		return 0, g.unknown(string(id))
	}
	return n, nil
}

// direction returns the neighbours to follow: what feeds a node, or what it
// feeds.
func (g *Graph) direction(up bool) adjacency {
	if up {
		return g.up
	}
	return g.down
}

// shortName is the last part of an id, for an asset that no source named.
func shortName(id AssetID) string {
	_, path, _ := strings.Cut(string(id), "://")
	return path[strings.LastIndexAny(path, "/.")+1:]
}
