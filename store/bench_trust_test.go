package store

import (
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"dw/receipts"
	"dw/workflows"
)

const (
	trustWriters = 64
	trustRounds  = 5
	trustEach    = 12800 // receipts a round
)

// BenchmarkTrustAppend sets durable appends by 64 writers beside a bare group commit:
// one goroutine that takes what waits and inserts it as rows of the same bytes in one
// transaction, with the store's own connection and pragmas. At least 0.7 of its rate.
func BenchmarkTrustAppend(b *testing.B) {
	for b.Loop() {
		var floors, appended, ratios []float64
		for range trustRounds {
			floor, rate := trustFloor(b), trustAppends(b)
			floors, appended, ratios = append(floors, floor), append(appended, rate), append(ratios, rate/floor)
		}
		b.ReportMetric(median(floors), "floor-rows/s")
		b.ReportMetric(median(appended), "receipts/s")
		b.ReportMetric(median(ratios), "of-floor")
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

func trustStore(b *testing.B) *DB {
	b.Helper()
	db, err := Open(b.Context(), filepath.Join(b.TempDir(), "dw.db"), Options{Instance: "bench"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	return db
}

// byWriters runs do until trustEach have been done, by 64 writers, and returns the rate.
func byWriters(b *testing.B, do func(n int) error) float64 {
	b.Helper()
	var wg sync.WaitGroup
	errs := make([]error, trustWriters)
	began := time.Now()
	for w := range trustWriters {
		wg.Go(func() {
			for n := w; n < trustEach && errs[w] == nil; n += trustWriters {
				errs[w] = do(n)
			}
		})
	}
	wg.Wait()
	took := time.Since(began)
	for _, err := range errs {
		if err != nil {
			b.Fatal(err)
		}
	}
	return trustEach / took.Seconds()
}

func trustAppends(b *testing.B) float64 {
	db := trustStore(b)
	return byWriters(b, func(n int) error {
		d := benchDraft(n) // what the floor writes is made beforehand, too
		return db.Update(b.Context(), func(tx workflows.Tx) error {
			_, err := tx.AppendReceipt(b.Context(), d)
			return err
		})
	})
}

type waiting struct {
	body []byte
	done chan error
}

func trustFloor(b *testing.B) float64 {
	db := trustStore(b)
	if _, err := db.write.ExecContext(b.Context(), "CREATE TABLE floor (n INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT"); err != nil {
		b.Fatal(err)
	}
	queue := make(chan waiting, trustWriters)
	ended := make(chan struct{})
	go func() { // ends when the queue is closed
		defer close(ended)
		for first := range queue {
			group := []waiting{first}
			for len(queue) > 0 {
				group = append(group, <-queue)
			}
			err := insertGroup(b, db, group)
			for _, w := range group {
				w.done <- err
			}
		}
	}()
	e, _, err := receipts.Append("bench", receipts.Head{}, benchDraft(0))
	if err != nil {
		b.Fatal(err)
	}
	rate := byWriters(b, func(int) error {
		w := waiting{e.Bytes, make(chan error, 1)}
		queue <- w
		return <-w.done
	})
	close(queue)
	<-ended
	return rate
}

func insertGroup(b *testing.B, db *DB, group []waiting) error {
	tx, err := db.write.BeginTx(b.Context(), nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for _, w := range group {
		if _, err := tx.ExecContext(b.Context(), "INSERT INTO floor (bytes) VALUES (?)", w.body); err != nil {
			return err
		}
	}
	return tx.Commit()
}
