//go:build unix

package detect

import (
	"math"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// BenchmarkYearOfTables judges a year of hourly history of 1,000 tables, each of
// its own rows, on all cores, and says after 250, 500 and 1,000 of them how long
// that took, how much of the processors' time, and how much memory the process
// holds. A table's detector is dropped when its year is judged.
func BenchmarkYearOfTables(b *testing.B) {
	for b.Loop() {
		began, cpu := time.Now(), processorTime(b)
		done := 0
		for _, upTo := range []int{250, 500, 1000} {
			judgeYears(b, done, upTo)
			done = upTo
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.Logf("%d tables: %.0f s, %.0f s of processor time, %.0f MB", done,
				time.Since(began).Seconds(), (processorTime(b) - cpu).Seconds(), float64(m.Sys)/1e6)
		}
	}
}

// judgeYears judges the years of the tables from one to another.
func judgeYears(b *testing.B, from, to int) {
	b.Helper()
	tables := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for table := range tables {
				points := newMaker(uint64(table), 2*math.Pow(1.01, float64(table)), 365).points()
				if _, err := Judge(Config{Bucket: time.Hour}, points); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for table := from; table < to; table++ {
		tables <- table
	}
	close(tables)
	workers.Wait()
}

// processorTime is what the process has used.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
