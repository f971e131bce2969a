package lineage_test

import (
	"os"
	"runtime"
	"testing"
	"time"
)

// BenchmarkMillion loads 1,000,000 assets with 5,000,000 edges, the most that
// lineage.md foresees, and answers: the memory that stays, a closure of a size that
// occurs beside the same over bare arrays, and an explanation. It takes minutes and
// gigabytes, and so runs with DW_BENCH_MILLION=1 alone.
func BenchmarkMillion(b *testing.B) {
	if os.Getenv("DW_BENCH_MILLION") == "" {
		b.Skip("set DW_BENCH_MILLION=1")
	}
	const nodes = 1_000_000
	pairs := pairsOf(nodes)
	bare := newCSR(pairs, nodes)
	began := time.Now()
	g := graphOf(b, pairs, nodes)
	built := time.Since(began)
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	start := int32(nodes - 3000)
	below := len(bare.closure(start))
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			if got := len(bare.closure(start)); got != below {
				b.Fatal(got)
			}
		}
	})
	b.Run("closure", func(b *testing.B) {
		for b.Loop() {
			if got := g.Below(benchID(start)); got != below {
				b.Fatal(got)
			}
		}
		b.ReportMetric(float64(below), "nodes")
		b.ReportMetric(built.Seconds(), "s-to-load")
		b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MB-held")
	})
	b.Run("explain", func(b *testing.B) {
		for b.Loop() {
			if _, err := g.Explain(benchID(start), noon); err != nil {
				b.Fatal(err)
			}
		}
	})
}
