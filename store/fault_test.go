package store_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"dw/store"
	"dw/store/storetest"
	"dw/workflows"
)

// A full disk refuses the update visibly, changes nothing, and is got over.
func TestFault07DiskFull(t *testing.T) {
	t.Parallel()
	db := open(t, newPath(t))
	write(t, db, 1)
	var pages int
	if err := db.Writer().QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	limitPages(t, db, pages+8)
	stored := 1
	var err error
	for n := 2; err == nil && n < 1000; n++ {
		if err = writeOne(t.Context(), db, n); err == nil {
			stored++
		}
	}
	if err == nil || !strings.Contains(err.Error(), "full") {
		t.Fatalf("got error %v after %d updates, want that the disk is full", err, stored)
	}
	check := func(when string) {
		t.Helper()
		if n := storetest.Verify(t, db); n != int64(stored) {
			t.Errorf("%s: %d receipts, want %d", when, n, stored)
		}
		if n := len(mustQueued(t, db)); n != stored {
			t.Errorf("%s: %d effects, want %d", when, n, stored)
		}
		if n := countIncidents(t, db); n != stored {
			t.Errorf("%s: %d incidents, want %d", when, n, stored)
		}
	}
	check("while the disk is full")
	limitPages(t, db, 1<<30)
	if err := writeOne(t.Context(), db, stored+1); err != nil {
		t.Fatalf("after space came back: %v", err)
	}
	stored++
	check("after space came back")
}

func limitPages(t *testing.T, db *store.DB, pages int) {
	t.Helper()
	if _, err := db.Writer().ExecContext(t.Context(), fmt.Sprint("PRAGMA max_page_count = ", pages)); err != nil {
		t.Fatal(err)
	}
}

func countIncidents(t *testing.T, db *store.DB) (n int) {
	t.Helper()
	err := db.View(t.Context(), func(tx workflows.ReadTx) error {
		list, err := tx.Incidents(t.Context(), false, 0)
		n = len(list)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Power loss may cut the WAL anywhere. Wherever it does, the database opens,
// and holds a prefix of what was written: rows, receipts and effects agree.
func TestFault06TornWAL(t *testing.T) {
	t.Parallel()
	const commits = 2
	path := newPath(t)
	killed(t, path, store.CrashAfterCommit, commits)
	// The process that wrote them is dead and this one never opened them, so
	// there are no locks that reading the files could drop.
	main, wal := read(t, path), read(t, path+"-wal")
	seen := map[int64]bool{}
	for _, cut := range cuts(t, wal) {
		n := reopenTorn(t, main, wal[:cut])
		seen[n] = true
		if n < 0 || n > commits {
			t.Fatalf("cut at %d: %d receipts", cut, n)
		}
	}
	for n := range int64(commits + 1) {
		if !seen[n] {
			t.Errorf("no cut left %d receipts, so the test missed a state", n)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// cuts returns every frame boundary of a WAL and a point within each frame.
func cuts(t *testing.T, wal []byte) []int {
	t.Helper()
	const header, frameHeader = 32, 24
	if len(wal) < header {
		t.Fatalf("the WAL has %d bytes", len(wal))
	}
	frame := frameHeader + int(binary.BigEndian.Uint32(wal[8:12]))
	all := []int{0, header / 2, header}
	for end := header + frame; end <= len(wal); end += frame {
		all = append(all, end-frame/2, end)
	}
	return all
}

func reopenTorn(t *testing.T, main, wal []byte) int64 {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "torn")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "dw.db")
	if err := os.WriteFile(path, main, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-wal", wal, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), path, store.Options{Instance: storetest.Instance})
	if err != nil {
		t.Fatalf("cut at %d: %v", len(wal), err)
	}
	defer db.Close()
	var integrity string
	if err := db.Writer().QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&integrity); err != nil || integrity != "ok" {
		t.Errorf("cut at %d: integrity %q, %v", len(wal), integrity, err)
	}
	n := storetest.Verify(t, db)
	if rows, effects := countIncidents(t, db), len(mustQueued(t, db)); int64(rows) != n || int64(effects) != n {
		t.Errorf("cut at %d: %d receipts, %d rows, %d effects", len(wal), n, rows, effects)
	}
	return n
}

// A full disk that strikes updates which share a commit is told to those whose work
// is lost, and to nobody else.
func TestFault07DiskFullForManyWriters(t *testing.T) {
	t.Parallel()
	db := open(t, newPath(t))
	write(t, db, 1)
	var pages int
	if err := db.Writer().QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	limitPages(t, db, pages+12)
	const writers = 8
	var stored, refused atomic.Int32
	stored.Store(1)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := range 200 {
				err := writeOne(t.Context(), db, 2+w+n*writers)
				if err == nil {
					stored.Add(1)
					continue
				}
				if refused.Add(1); !strings.Contains(err.Error(), "full") {
					t.Errorf("got error %v, want that the disk is full", err)
				}
				return
			}
		})
	}
	wg.Wait()
	if refused.Load() != writers {
		t.Errorf("%d of %d writers met the full disk", refused.Load(), writers)
	}
	limitPages(t, db, 1<<30)
	wantAll(t, db, int(stored.Load()))
}
