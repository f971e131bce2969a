package store_test

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"dw/receipts"
	"dw/store"
	"dw/store/storetest"
	"dw/workflows"
)

// logOf reads the whole log as it is stored.
func logOf(t *testing.T, db *store.DB) (entries []receipts.Entry, head receipts.Head, note []byte) {
	t.Helper()
	err := db.View(t.Context(), func(tx workflows.ReadTx) error {
		var err1, err2, err3 error
		entries, err1 = tx.Receipts(t.Context(), 0, 0)
		head, err2 = tx.Head(t.Context())
		note, err3 = tx.Checkpoint(t.Context())
		return errors.Join(err1, err2, err3)
	})
	if err != nil {
		t.Fatal(err)
	}
	return entries, head, note
}

// verifiedBy verifies a log with a checkpoint that was kept elsewhere.
func verifiedBy(entries []receipts.Entry, head receipts.Head, note []byte, key string) receipts.Report {
	return receipts.VerifyEntries(func(yield func(receipts.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}, head, note, key)
}

// Somebody who holds the file takes the triggers away and edits, swaps, deletes,
// cuts or rewrites; or puts an old backup back. The verifier, with a checkpoint
// that was kept elsewhere, names the first bad receipt or says that the log is
// shorter than what was signed.
func TestFault25ReceiptsAreChanged(t *testing.T) {
	t.Parallel()
	const receiptsInAll, bad = 40, 17
	for name, test := range map[string]struct {
		statements []string
		code       int
		firstBad   int64
	}{
		"a byte of the text": {[]string{"UPDATE receipts SET bytes = CAST(replace(CAST(bytes AS TEXT), 'xxx', 'xxy') AS BLOB) WHERE seq = 17"}, receipts.CodeBad, bad},
		"a leaf hash":        {[]string{"UPDATE receipts SET leaf_hash = zeroblob(32) WHERE seq = 17"}, receipts.CodeBad, bad},
		"a link backward":    {[]string{"UPDATE receipts SET prev_hash = zeroblob(32) WHERE seq = 17"}, receipts.CodeBad, bad},
		"a chain hash":       {[]string{"UPDATE receipts SET chain_hash = zeroblob(32) WHERE seq = 17"}, receipts.CodeBad, bad},
		"two swapped": {[]string{
			"UPDATE receipts SET seq = -1 WHERE seq = 17", "UPDATE receipts SET seq = 17 WHERE seq = 18", "UPDATE receipts SET seq = 18 WHERE seq = -1",
		}, receipts.CodeBad, bad},
		"one deleted":            {[]string{"DELETE FROM receipts WHERE seq = 17"}, receipts.CodeBad, bad},
		"one deleted and closed": {[]string{"DELETE FROM receipts WHERE seq = 17", "UPDATE receipts SET seq = seq - 1 WHERE seq > 17", "UPDATE head SET seq = seq - 1"}, receipts.CodeBad, bad},
		"the tail cut": {[]string{
			"DELETE FROM receipts WHERE seq > 16", "UPDATE head SET (seq, chain_hash) = (SELECT seq, chain_hash FROM receipts WHERE seq = 16)",
		}, receipts.CodeTruncated, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			signer, db := signedLog(t, receiptsInAll)
			_, _, kept := logOf(t, db)
			for _, s := range append(withoutTriggers(db), test.statements...) {
				if _, err := db.Writer().ExecContext(t.Context(), s); err != nil {
					t.Fatalf("%s: %v", s, err)
				}
			}
			entries, head, _ := logOf(t, db)
			if r := verifiedBy(entries, head, kept, signer.VerifierKey()); r.Code != test.code || r.FirstBad != test.firstBad {
				t.Errorf("the verifier says %+v, want code %d and %d as the first bad", r, test.code, test.firstBad)
			}
		})
	}
}

func signedLog(t *testing.T, n int) (receipts.Signer, *store.DB) {
	t.Helper()
	signer := newSigner(t)
	db := open(t, newPath(t), func(o *store.Options) { o.Signer = &signer })
	write(t, db, n)
	if err := db.WriteCheckpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	return signer, db
}

// A whole chain that was written anew agrees with itself, also under its own
// checkpoint; the one that was kept elsewhere refuses it, as does the public key
// where another key signed.
func TestFault25WholeChainIsRewritten(t *testing.T) {
	t.Parallel()
	signer, db := signedLog(t, 5)
	_, _, kept := logOf(t, db)
	other, err := receipts.CreateKey(filepath.Join(t.TempDir(), "other"), storetest.Instance, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	forged := open(t, newPath(t), func(o *store.Options) { o.Signer = &other })
	for n := range 6 {
		if err := forged.Update(t.Context(), func(tx workflows.Tx) error {
			_, err := tx.AppendReceipt(t.Context(), draft(n+100))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := forged.WriteCheckpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	entries, head, own := logOf(t, forged)
	if r := verifiedBy(entries, head, own, other.VerifierKey()); r.Code != receipts.CodeGood {
		t.Fatalf("the forged chain does not agree with itself: %+v", r)
	}
	for name, note := range map[string][]byte{"the checkpoint kept elsewhere": kept, "its own checkpoint": own} {
		if r := verifiedBy(entries, head, note, signer.VerifierKey()); r.Code == receipts.CodeGood {
			t.Errorf("%s: the verifier takes a rewritten chain for good: %+v", name, r)
		}
	}
}

// An old backup that is put back verifies by itself; a checkpoint that was kept
// elsewhere shows what is missing.
func TestFault25OldBackupIsPutBack(t *testing.T) {
	t.Parallel()
	signer, db := signedLog(t, 4)
	_, _, before := logOf(t, db)
	backup := filepath.Join(t.TempDir(), "dw.db")
	if _, err := db.Writer().ExecContext(t.Context(), "VACUUM INTO ?", backup); err != nil {
		t.Fatal(err)
	}
	write(t, db, 3)
	if err := db.WriteCheckpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, _, kept := logOf(t, db)
	if err := os.Chmod(backup, 0o600); err != nil {
		t.Fatal(err)
	}
	restored := open(t, backup, func(o *store.Options) { o.Signer = &signer })
	entries, head, _ := logOf(t, restored)
	if r := verifiedBy(entries, head, before, signer.VerifierKey()); r.Code != receipts.CodeGood {
		t.Errorf("with the checkpoint of its time the backup is %+v", r)
	}
	if r := verifiedBy(entries, head, kept, signer.VerifierKey()); r.Code != receipts.CodeTruncated {
		t.Errorf("the verifier says %+v, want that the log is shorter than its checkpoint", r)
	}
}

// PostgreSQL fails over to a standby that lags behind: by itself it looks whole; a
// checkpoint of the primary that was kept elsewhere says that receipts are missing.
func TestFault14LaggingStandby(t *testing.T) {
	t.Parallel()
	signer, primary := newSigner(t), newPostgres(t)
	withKey := func(o *store.Options) { o.Signer = &signer }
	standby := func() string {
		db, err := store.Open(t.Context(), primary, store.Options{Instance: storetest.Instance, Signer: &signer})
		if err != nil {
			t.Fatal(err)
		}
		write(t, db, 3)
		if err := errors.Join(db.WriteCheckpoint(t.Context()), db.Close()); err != nil {
			t.Fatal(err)
		}
		return store.Postgres.Server(t).Copy(t, primary)
	}()
	db := open(t, primary, withKey)
	write(t, db, 2)
	if err := db.WriteCheckpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, _, kept := logOf(t, db)
	behind := open(t, standby, withKey)
	entries, head, own := logOf(t, behind)
	if r := verifiedBy(entries, head, own, signer.VerifierKey()); r.Code != receipts.CodeGood {
		t.Errorf("the standby does not verify by itself: %+v", r)
	}
	if r := verifiedBy(entries, head, kept, signer.VerifierKey()); r.Code != receipts.CodeTruncated || r.Count != 3 {
		t.Errorf("the verifier says %+v, want that receipts are missing after 3", r)
	}
	// What is written after the failover is no continuation of what was signed.
	for n := range 2 {
		err := behind.Update(t.Context(), func(tx workflows.Tx) error {
			_, err := tx.AppendReceipt(t.Context(), draft(n+30))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	entries, head, _ = logOf(t, behind)
	if r := verifiedBy(entries, head, kept, signer.VerifierKey()); len(entries) != 5 || r.Code != receipts.CodeBad {
		t.Errorf("a fork of the signed log of %d receipts is %+v, want bad", len(entries), r)
	}
}
