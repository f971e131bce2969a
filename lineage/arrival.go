package lineage

import (
	"cmp"
	"container/heap"
	"errors"
	"slices"
	"time"
)

// arrival is how and when bad rows get to a node.
type arrival struct {
	node  int32
	ready time.Time // from when the node's inputs are bad
	hops  int
	prev  int32 // the node before it; itself for the subject
	via   int32 // the edge's number
	wait  int32 // the last scheduled hop on the way, -1 for none
	loose int   // hops on the way whose next run is not known
}

// spread is how bad rows get from one subject to all that lies below it.
type spread struct {
	arrived map[int32]arrival
	held    map[int32]int32 // node that pauses keep clean -> the paused hop before it
	nearest walked          // by the fewest edges, with no regard to time
}

// spread follows bad rows that are in subject at from. A hop passes them on at
// its next run after they arrived; a hop whose next run is not known (it has no
// schedule, or an interval that may end at any moment) passes them on at once,
// because a time that is too early is the safer error; a paused hop keeps them
// back, unless it had a run before now that it may have done before it was
// paused. It is Dijkstra's search: a later arrival is never passed on
// earlier, so the first arrival at a node is final.
func (g *Graph) spread(subject int32, from, now time.Time, due DueFunc) spread {
	s := spread{arrived: map[int32]arrival{}, held: map[int32]int32{}, nearest: g.walk(subject, g.down, 0)}
	queue := &arrivals{{node: subject, ready: from, prev: subject, via: -1, wait: -1}}
	for queue.Len() > 0 {
		at := heap.Pop(queue).(arrival)
		if _, done := s.arrived[at.node]; done {
			continue
		}
		s.arrived[at.node] = at
		leave, ok := at, true
		if at.node != subject {
			leave, ok = g.passOn(at, now, due)
		}
		if !ok {
			continue
		}
		for next, edge := range g.down.neighbours(at.node) {
			if _, done := s.arrived[next]; !done {
				leave.node, leave.prev, leave.via = next, at.node, edge
				leave.hops = at.hops + 1
				heap.Push(queue, leave)
			}
		}
	}
	g.markHeld(&s)
	return s
}

// passOn returns when a node's own data turns bad, and false if it is held.
func (g *Graph) passOn(at arrival, now time.Time, due DueFunc) (arrival, bool) {
	run, err := g.nextRun(at.node, at.ready, due)
	var held *heldError
	switch {
	case err == nil && !run.loose:
		at.ready, at.wait = run.at, at.node
	case errors.As(err, &held):
		run, ran := g.ranBefore(held.by, at.ready, now, due)
		at.ready, at.wait = run, at.node
		return at, ran
	default:
		at.loose++
	}
	return at, true
}

// ranBefore returns the first run of a paused asset in [from, now): since when
// it is paused is not known, so it may have done that run.
func (g *Graph) ranBefore(id AssetID, from, now time.Time, due DueFunc) (time.Time, bool) {
	a := g.assets[g.index[id]]
	if a.Schedule == nil {
		return from, from.Before(now)
	}
	at, err := due.first(*a.Schedule, from)
	if err != nil {
		return from, from.Before(now)
	}
	return at, at.Before(now)
}

// markHeld finds the paused hop before each node that the rows do not reach.
func (g *Graph) markHeld(s *spread) {
	for _, n := range s.nearest.order {
		if _, ok := s.arrived[n]; ok {
			continue
		}
		prev := s.nearest.prev[n]
		if before, ok := s.held[prev]; ok {
			prev = before
		}
		s.held[n] = prev
	}
}

// path returns the nodes from the subject to n on the way of the first arrival,
// and the edges between them. A held node has the way of the fewest edges.
func (s spread) path(n int32) (nodes, edges []int32) {
	if _, held := s.held[n]; held {
		nodes = s.nearest.path(n)
		for _, node := range nodes[1:] {
			edges = append(edges, s.nearest.via[node])
		}
		return nodes, edges
	}
	for {
		at := s.arrived[n]
		nodes = append(nodes, n)
		if at.prev == n {
			break
		}
		edges = append(edges, at.via)
		n = at.prev
	}
	slices.Reverse(nodes)
	slices.Reverse(edges)
	return nodes, edges
}

// arrivals is a heap: the earliest first, then the fewest hops, then by number,
// so that the same graph gives the same paths.
type arrivals []arrival

func (q arrivals) Len() int      { return len(q) }
func (q arrivals) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q arrivals) Less(i, j int) bool {
	a, b := q[i], q[j]
	return cmp.Or(a.ready.Compare(b.ready), cmp.Compare(a.hops, b.hops),
		cmp.Compare(a.node, b.node), cmp.Compare(a.prev, b.prev)) < 0
}

// Push is for container/heap.
func (q *arrivals) Push(x any) { *q = append(*q, x.(arrival)) }

// Pop is for container/heap.
func (q *arrivals) Pop() any {
	last := len(*q) - 1
	out := (*q)[last]
	*q = (*q)[:last]
	return out
}
