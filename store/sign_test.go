package store_test

import (
	"crypto/rand"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"dw/receipts"
	"dw/store"
	"dw/store/storetest"
	"dw/workflows"
)

// What a person did is signed by the commit that makes it durable, together with all
// that came before; what dw did waits, and so does what could not be signed.
func TestWhatAPersonDidIsSignedInItsUpdate(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, newPath func(testing.TB) string) {
		key, err := receipts.CreateKey(filepath.Join(t.TempDir(), "key"), storetest.Instance, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		var keyGone error
		commits := 0
		db := open(t, newPath(t), func(o *store.Options) {
			o.SignerNow = func() (receipts.Signer, error) { return key, keyGone }
			o.Crash = func(point string) {
				if point == store.CrashAfterCommit {
					commits++
				}
			}
		})
		refused := errors.New("refused")
		for n, step := range []struct {
			actor  string
			gone   error
			fails  error
			signed int64
		}{
			{actor: receipts.ActorDW, signed: 0},
			{actor: receipts.ActorHuman, signed: 2},
			{actor: receipts.ActorDW, signed: 2},
			{actor: receipts.ActorHuman, fails: refused, signed: 2},
			{actor: receipts.ActorHuman, gone: errors.New("no key"), signed: 2},
			{actor: receipts.ActorHuman, signed: 5},
		} {
			keyGone = step.gone
			err := db.Update(t.Context(), func(tx workflows.Tx) error {
				_, err := tx.AppendReceipt(t.Context(), receipts.Draft{
					Kind: receipts.KindIncidentUpdated, Actor: receipts.Actor{Kind: step.actor},
					At: time.Date(2026, 11, 30, 12, 0, n, 0, time.UTC),
				})
				return errors.Join(err, step.fails)
			})
			if !errors.Is(err, step.fails) {
				t.Errorf("step %d: got error %v, want %v", n, err, step.fails)
			}
			if got := signedSize(t, db, key); got != step.signed {
				t.Errorf("step %d: %d receipts are signed, want %d", n, got, step.signed)
			}
		}
		if commits != 5 {
			t.Errorf("%d commits for 5 updates", commits)
		}
	})
}

func signedSize(t *testing.T, db *store.DB, key receipts.Signer) int64 {
	t.Helper()
	storetest.Verify(t, db)
	var note []byte
	err := db.View(t.Context(), func(tx workflows.ReadTx) (err error) {
		note, err = tx.Checkpoint(t.Context())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if note == nil {
		return 0
	}
	c, err := receipts.OpenCheckpoint(note, key.VerifierKey())
	if err != nil {
		t.Fatal(err)
	}
	return c.Size
}
