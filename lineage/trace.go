package lineage

// Step is one asset on the way up or down from another.
type Step struct {
	Asset AssetID `json:"asset"`
	Depth int     `json:"depth"` // the fewest edges from the start, 1 for a neighbour
	Via   Edge    `json:"via"`   // the edge by which it was first reached
}

// Trace walks from an asset to all that feeds it (up) or all that it feeds, up
// to depth edges away; a depth of 0 or less means without limit. The nearest
// come first, then by id. The start is not among the steps, also where a cycle
// leads back to it. An id that the graph does not hold is an
// *UnknownAssetError.
func (g *Graph) Trace(id AssetID, up bool, depth int) ([]Step, error) {
	start, err := g.node(id)
	if err != nil {
		return nil, err
	}
	w := g.walk(start, g.direction(up), depth)
	steps := make([]Step, 0, len(w.order))
	for _, n := range w.order {
		steps = append(steps, Step{Asset: g.assets[n].ID, Depth: int(w.depth[n]), Via: g.edges[w.via[n]]})
	}
	return steps, nil
}

// Reach returns the ids of all assets up or down from an asset, the nearest
// first, without the asset itself.
func (g *Graph) Reach(id AssetID, up bool) ([]AssetID, error) {
	start, err := g.node(id)
	if err != nil {
		return nil, err
	}
	nodes := g.closure(start, g.direction(up))
	ids := make([]AssetID, len(nodes))
	for i, n := range nodes {
		ids[i] = g.assets[n].ID
	}
	return ids, nil
}

// Below counts the assets below one, without it; 0 for an id that the graph does
// not hold.
func (g *Graph) Below(id AssetID) int {
	n, ok := g.index[id]
	if !ok {
		return 0
	}
	return len(g.closure(n, g.down))
}

// closure returns all nodes that can be reached from start, breadth first.
func (g *Graph) closure(start int32, adj adjacency) []int32 {
	seen := make([]uint64, (len(g.assets)+63)/64)
	seen[start/64] |= 1 << (start % 64)
	queue := []int32{start}
	for head := 0; head < len(queue); head++ {
		n := queue[head]
		for _, next := range adj.node[adj.start[n]:adj.start[n+1]] {
			word, bit := next/64, uint64(1)<<(next%64)
			if seen[word]&bit == 0 {
				seen[word] |= bit
				queue = append(queue, next)
			}
		}
	}
	return queue[1:]
}

// walked is a breadth-first tree.
type walked struct {
	order []int32         // without the start
	depth map[int32]int32 // also of the start, 0
	via   map[int32]int32 // the edge by which a node was first reached
	prev  map[int32]int32 // the node before it on the way from the start
}

func (g *Graph) walk(start int32, adj adjacency, limit int) walked {
	w := walked{depth: map[int32]int32{start: 0}, via: map[int32]int32{}, prev: map[int32]int32{}}
	queue := []int32{start}
	for head := 0; head < len(queue); head++ {
		n := queue[head]
		if limit > 0 && int(w.depth[n]) >= limit {
			break
		}
		for next, edge := range adj.neighbours(n) {
			if _, seen := w.depth[next]; seen {
				continue
			}
			w.depth[next], w.via[next], w.prev[next] = w.depth[n]+1, edge, n
			queue = append(queue, next)
		}
	}
	w.order = queue[1:]
	return w
}

// path returns the nodes from the start of a walk to n, both included.
func (w walked) path(n int32) []int32 {
	path := make([]int32, w.depth[n]+1)
	for i := len(path) - 1; i > 0; i-- {
		path[i], n = n, w.prev[n]
	}
	path[0] = n
	return path
}
