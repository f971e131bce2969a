package lineage_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"dw/lineage"

	"pgregory.net/rapid"
)

func TestTrace(t *testing.T) {
	t.Parallel()
	var assets []lineage.Asset
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		assets = append(assets, asset(name, lineage.KindTable))
	}
	g := build(t, assets, edges("a > b > c > d > a", "a > c", "e > c", "b > b"))
	tests := []struct {
		name, from string
		up         bool
		depth      int
		want       []string
	}{
		{"down without limit", "a", false, 0, []string{"b 1 a>b", "c 1 a>c", "d 2 c>d"}},
		{"down one step", "a", false, 1, []string{"b 1 a>b", "c 1 a>c"}},
		{"up", "c", true, 0, []string{"a 1 a>c", "b 1 b>c", "e 1 e>c", "d 2 d>a"}},
		{"up one step", "d", true, 1, []string{"c 1 c>d"}},
		{"nothing above", "e", true, 0, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			steps, err := g.Trace(id(tt.from), tt.up, tt.depth)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range steps {
				got = append(got, fmt.Sprintf("%s %d %s>%s", bare(s.Asset), s.Depth, bare(s.Via.From), bare(s.Via.To)))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("steps are %q, want %q", got, tt.want)
			}
		})
	}
	var unknown *lineage.UnknownAssetError
	if _, err := g.Trace(id("x"), false, 0); !errors.As(err, &unknown) {
		t.Errorf("trace of an unknown asset: %v", err)
	}
	if _, err := g.Reach(id("x"), false); !errors.As(err, &unknown) {
		t.Errorf("reach of an unknown asset: %v", err)
	}
}

func bare(a lineage.AssetID) string { return string(a[len("test://"):]) }

// TestReachEqualsNaiveSearch holds, on any graph, with cycles, double edges and
// edges to oneself, that Reach, Trace and the blast radius see what a search
// over the plain list of edges sees.
func TestReachEqualsNaiveSearch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "nodes")
		node := rapid.IntRange(0, n-1)
		pairs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]int {
			return [2]int{node.Draw(t, "from"), node.Draw(t, "to")}
		}), 0, 40).Draw(t, "edges")
		b := lineage.NewBuilder()
		for i := range n {
			b.AddAsset(asset(fmt.Sprint(i), lineage.KindTable))
		}
		for _, p := range pairs {
			b.AddEdge(lineage.Edge{From: id(fmt.Sprint(p[0])), To: id(fmt.Sprint(p[1])), Seen: seen("x")})
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		start := node.Draw(t, "start")
		for _, up := range []bool{false, true} {
			checkReach(t, g, pairs, start, up)
		}
		blast, err := g.BlastRadius(id(fmt.Sprint(start)), lineage.BlastOptions{Now: noon, Due: dailyDue})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(blast.Consumers), len(naiveReach(pairs, start, false)); got != want {
			t.Fatalf("blast radius has %d consumers, want %d", got, want)
		}
	})
}

func checkReach(t *rapid.T, g *lineage.Graph, pairs [][2]int, start int, up bool) {
	want := naiveReach(pairs, start, up)
	got, err := g.Reach(id(fmt.Sprint(start)), up)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("up %v: reach is %v, want %v", up, got, want)
	}
	steps, err := g.Trace(id(fmt.Sprint(start)), up, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range got {
		depth, ok := want[a]
		if !ok {
			t.Fatalf("up %v: %s is not to be reached", up, a)
		}
		if steps[i].Asset != a || steps[i].Depth != depth {
			t.Fatalf("up %v: step %d is %+v, want %s at depth %d", up, i, steps[i], a, depth)
		}
	}
}

// naiveReach relaxes the list of edges until nothing changes.
func naiveReach(pairs [][2]int, start int, up bool) map[lineage.AssetID]int {
	depth := map[int]int{start: 0}
	for changed := true; changed; {
		changed = false
		for _, p := range pairs {
			from, to := p[0], p[1]
			if up {
				from, to = to, from
			}
			d, ok := depth[from]
			if old, known := depth[to]; ok && (!known || d+1 < old) {
				depth[to], changed = d+1, true
			}
		}
	}
	out := map[lineage.AssetID]int{}
	for n, d := range depth {
		if n != start {
			out[id(fmt.Sprint(n))] = d
		}
	}
	return out
}
