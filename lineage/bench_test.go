package lineage_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dw/lineage"
)

const (
	benchNodes   = 100_000
	benchParents = 5
)

// benchPairs is a synthetic graph of 100k nodes and 0.5M edges: five parents a
// node, four in five of them near. It is denser than any real estate.
func benchPairs() [][2]int32 { return pairsOf(benchNodes) }

func pairsOf(nodes int32) [][2]int32 {
	r := rand.New(rand.NewPCG(1, 2))
	pairs := make([][2]int32, 0, nodes*benchParents)
	for n := int32(1); n < nodes; n++ {
		for range benchParents {
			parent := r.Int32N(n)
			if r.IntN(5) < 4 {
				parent = max(0, n-1-r.Int32N(100))
			}
			pairs = append(pairs, [2]int32{parent, n})
		}
	}
	return pairs
}

func benchID(n int32) lineage.AssetID { return lineage.AssetID(fmt.Sprintf("bench://%06d", n)) }

func benchGraph(b *testing.B, pairs [][2]int32) *lineage.Graph {
	b.Helper()
	return graphOf(b, pairs, benchNodes)
}

func graphOf(b *testing.B, pairs [][2]int32, nodes int32) *lineage.Graph {
	b.Helper()
	builder := lineage.NewBuilder()
	from := []lineage.Provenance{seen("bench")}
	for n := range nodes {
		builder.AddAsset(lineage.Asset{ID: benchID(n), Kind: lineage.KindTable, From: from})
	}
	for _, p := range pairs {
		builder.AddEdge(lineage.Edge{From: benchID(p[0]), To: benchID(p[1]), Seen: from[0]})
	}
	g, err := builder.Build()
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// BenchmarkClosure walks everything below one node. "floor" is the least that
// any walk must do, breadth first over plain slices; "reach" is Graph.Reach
// with its ids; "blast" is the whole blast radius on a tenth of the graph.
// Compare them with each other, not with another machine.
func BenchmarkClosure(b *testing.B) {
	pairs := benchPairs()
	g := benchGraph(b, pairs)
	children := make([][]int32, benchNodes)
	for _, p := range pairs {
		children[p[0]] = append(children[p[0]], p[1])
	}
	want := len(plainReach(children, 10))
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			if got := len(plainReach(children, 10)); got != want {
				b.Fatalf("%d nodes, want %d", got, want)
			}
		}
		b.ReportMetric(float64(want), "nodes")
	})
	b.Run("reach", func(b *testing.B) {
		for b.Loop() {
			ids, err := g.Reach(benchID(10), false)
			if err != nil || len(ids) != want {
				b.Fatalf("%d nodes, want %d: %v", len(ids), want, err)
			}
		}
		b.ReportMetric(float64(want), "nodes")
	})
	b.Run("blast", func(b *testing.B) {
		start := int32(benchNodes * 9 / 10)
		below := len(plainReach(children, start))
		for b.Loop() {
			blast, err := g.BlastRadius(benchID(start), lineage.BlastOptions{Now: noon, Due: dailyDue})
			if err != nil || len(blast.Consumers) != below {
				b.Fatalf("%d consumers, want %d: %v", len(blast.Consumers), below, err)
			}
		}
		b.ReportMetric(float64(below), "nodes")
	})
}

func plainReach(children [][]int32, start int32) []int32 {
	seen := make([]bool, len(children))
	seen[start] = true
	queue := []int32{start}
	for head := 0; head < len(queue); head++ {
		for _, next := range children[queue[head]] {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return queue[1:]
}
