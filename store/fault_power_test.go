package store_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"dw/store"
	"dw/store/storetest"
)

// Power is lost after each acknowledged update, and within the next: what was
// synced by then holds every acknowledged receipt and nothing half.
func TestFault05PowerLoss(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), crashPath+"="+path, crashPoint+"="+powerPoint)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("the child ended with %v\n%s", err, out)
	}
	for written := 1; written <= powerAcks; written++ {
		for _, when := range []string{"acknowledged", "in-the-next"} {
			if when == "in-the-next" && written == powerAcks {
				continue
			}
			db, err := store.Open(t.Context(), filepath.Join(powerFolder(path, written, when), "dw.db"), store.Options{Instance: storetest.Instance})
			if err != nil {
				t.Errorf("%d %s: %v", written, when, err)
				continue
			}
			wantAll(t, db, written)
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
