package detect

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkYear judges a year of hourly history of so many tables, one after the
// other: time is linear in tables, and memory is that of one.
func BenchmarkYear(b *testing.B) {
	points := newMaker(1, 300, 365).points()
	for _, tables := range []int{1, 10} {
		b.Run(fmt.Sprintf("tables=%d", tables), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for range tables {
					d, err := New(Config{Bucket: time.Hour})
					if err != nil {
						b.Fatal(err)
					}
					for _, p := range points {
						if _, err := d.Observe(p.Start, p.Value); err != nil {
							b.Fatal(err)
						}
					}
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N*tables), "s/table-year")
		})
	}
}
