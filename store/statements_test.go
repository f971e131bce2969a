package store

import (
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"dw/workflows"
)

// A view that waits for a connection to prepare statements on keeps those who have
// the connections from nothing.
func TestPreparingWaitsForNobodyWhoWaitsForIt(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "dw.db"), Options{Instance: "a"})
	if err != nil {
		t.Fatal(err)
	}
	look := func(tx workflows.ReadTx) error { _, err := tx.Incidents(t.Context(), false, 0); return err }
	var views, inside, looked sync.WaitGroup
	goOn := make(chan struct{})
	inside.Add(readers)
	looked.Add(readers)
	for range readers {
		views.Go(func() {
			err := db.View(t.Context(), func(tx workflows.ReadTx) error {
				inside.Done()
				inside.Wait()   // nobody begins after the first look
				err := look(tx) // from here on it is to be prepared
				looked.Done()
				<-goOn
				if err != nil {
					return err
				}
				return look(tx)
			})
			if err != nil {
				t.Errorf("a view with a connection: %v", err)
			}
		})
	}
	looked.Wait()
	views.Go(func() {
		if err := db.View(t.Context(), look); err != nil {
			t.Errorf("the view that waited: %v", err)
		}
	})
	for deadline := time.Now().Add(time.Minute); db.read.Stats().WaitCount == 0; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("the last view waits for no connection")
		}
	}
	close(goOn)
	ended := make(chan struct{})
	go func() { views.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("the views wait for each other")
	}
	if len(db.reads.ready) == 0 {
		t.Error("nothing was prepared")
	}
	if err := db.Close(); err != nil { // not before: it would wait, too
		t.Error(err)
	}
}
