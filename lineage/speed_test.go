package lineage_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"dw/lineage"
)

// csr is a bare graph in compressed sparse rows: the floor of a walk.
type csr struct{ start, node []int32 }

func newCSR(pairs [][2]int32, nodes int) csr {
	c := csr{start: make([]int32, nodes+1), node: make([]int32, len(pairs))}
	for _, p := range pairs {
		c.start[p[0]+1]++
	}
	for n := range nodes {
		c.start[n+1] += c.start[n]
	}
	next := append([]int32{}, c.start...)
	for _, p := range pairs {
		c.node[next[p[0]]] = p[1]
		next[p[0]]++
	}
	return c
}

func (c csr) closure(start int32) []int32 {
	seen := make([]uint64, (len(c.start)+63)/64)
	seen[start/64] |= 1 << (start % 64)
	queue := []int32{start}
	for head := 0; head < len(queue); head++ {
		for _, next := range c.node[c.start[queue[head]]:c.start[queue[head]+1]] {
			if word, bit := next/64, uint64(1)<<(next%64); seen[word]&bit == 0 {
				seen[word] |= bit
				queue = append(queue, next)
			}
		}
	}
	return queue[1:]
}

// BenchmarkWalk sets a whole closure beside the same walk over bare arrays (at
// most 1.5 times), and times closures of a size that occurs, an explanation, and
// the walk with every step's edge. Compare the lines of one run.
func BenchmarkWalk(b *testing.B) {
	pairs := benchPairs()
	g, bare := benchGraph(b, pairs), newCSR(pairs, benchNodes)
	want := len(bare.closure(10))
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			if got := len(bare.closure(10)); got != want {
				b.Fatal(got)
			}
		}
	})
	b.Run("closure", func(b *testing.B) {
		for b.Loop() {
			if got := g.Below(benchID(10)); got != want {
				b.Fatalf("%d nodes, want %d", got, want)
			}
		}
	})
	b.Run("closure-realistic", func(b *testing.B) {
		start := int32(benchNodes - 3000)
		below := len(bare.closure(start))
		for b.Loop() {
			if got := g.Below(benchID(start)); got != below {
				b.Fatal(got)
			}
		}
		b.ReportMetric(float64(below), "nodes")
	})
	b.Run("explain", func(b *testing.B) {
		for b.Loop() {
			if _, err := g.Explain(benchID(10), noon); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			benchGraph(b, pairs)
		}
	})
}

// largeManifest is a manifest of just under the 50 MB that dw reads.
func largeManifest() string {
	var out strings.Builder
	out.WriteString(`{"metadata":{"dbt_schema_version":"https://schemas.getdbt.com/dbt/manifest/v12.json","project_name":"p","adapter_type":"postgres"},"nodes":{`)
	sql := strings.Repeat("select a, b, c from x join y using (id) -- a line of SQL\\n", 60)
	for n := 0; out.Len() < 49<<20; n++ {
		if n > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, `"model.p.m%d":{"unique_id":"model.p.m%d","resource_type":"model","name":"m%d","package_name":"p","original_file_path":"models/m%d.sql",
			"relation_name":"\"db\".\"s\".\"m%d\"","description":"one of many","config":{"materialized":"table","meta":{}},"raw_code":%q,"compiled_code":%q,
			"columns":{"id":{"name":"id"},"a":{"name":"a"},"b":{"name":"b"}},"depends_on":{"nodes":["model.p.m%d"]}}`, n, n, n, n, n, sql, sql, n/2)
	}
	out.WriteString("}}")
	return out.String()
}

// BenchmarkManifest sets the reading of a large manifest beside bare decoding of
// the same JSON (at most twice as long).
func BenchmarkManifest(b *testing.B) {
	text := largeManifest()
	b.Run("floor", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			var into any
			if err := json.NewDecoder(strings.NewReader(text)).Decode(&into); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("load", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			assets, _, err := lineage.LoadManifest(io.Reader(bytes.NewReader([]byte(text))), lineage.ManifestOptions{SeenAt: noon})
			if err != nil || len(assets) < 5_000 {
				b.Fatalf("%d assets: %v", len(assets), err)
			}
		}
	})
}
