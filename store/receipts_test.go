package store_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dw/receipts"
	"dw/store"
	"dw/store/storetest"
	"dw/workflows"
)

func draft(n int) receipts.Draft {
	return receipts.Draft{
		Kind:  receipts.KindIncidentUpdated,
		Actor: receipts.Actor{Kind: receipts.ActorDW},
		At:    time.Date(2026, 11, 30, 12, 0, n, 0, time.UTC),
		Body:  receipts.Object{"n": n, "text": strings.Repeat("x", 500)},
	}
}

// writeOne writes a row, a receipt and an effect, all numbered n, at once.
func writeOne(ctx context.Context, s workflows.Store, n int) error {
	return s.Update(ctx, func(tx workflows.Tx) error {
		_, err1 := tx.PutIncident(ctx, workflows.Incident{ID: fmt.Sprint(n), State: workflows.Open})
		_, err2 := tx.AppendReceipt(ctx, draft(n))
		err3 := tx.Enqueue(ctx, workflows.Effect{Kind: "slack.note", Key: fmt.Sprint(n)})
		return errors.Join(err1, err2, err3)
	})
}

// write does writeOne n times, from where the log ends.
func write(t *testing.T, db *store.DB, n int) {
	t.Helper()
	from := int(storetest.Verify(t, db))
	for k := range n {
		if err := writeOne(t.Context(), db, from+k+1); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReceiptsAreAppendOnlyOnSQLite(t *testing.T) {
	t.Parallel()
	db := open(t, newPath(t))
	write(t, db, 3)
	for name, statement := range map[string]string{
		"update bytes":      "UPDATE receipts SET bytes = x'00' WHERE seq = 2",
		"update to same":    "UPDATE receipts SET bytes = bytes",
		"move":              "UPDATE receipts SET seq = 9 WHERE seq = 3",
		"delete last":       "DELETE FROM receipts WHERE seq = 3",
		"delete all":        "DELETE FROM receipts",
		"replace":           "INSERT OR REPLACE INTO receipts SELECT seq, x'00', leaf_hash, prev_hash, chain_hash FROM receipts WHERE seq = 3",
		"upsert":            "INSERT INTO receipts SELECT * FROM receipts WHERE seq = 3 ON CONFLICT (seq) DO UPDATE SET bytes = x'00'",
		"gap":               "INSERT INTO receipts SELECT 9, bytes, leaf_hash, prev_hash, chain_hash FROM receipts WHERE seq = 3",
		"update or replace": "UPDATE OR REPLACE receipts SET seq = 2 WHERE seq = 3",
	} {
		_, err := db.Writer().ExecContext(t.Context(), statement)
		if err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: got error %v, want a refusal", name, err)
		}
	}
	if n := storetest.Verify(t, db); n != 3 {
		t.Errorf("log has %d receipts, want 3", n)
	}
}

func newSigner(t *testing.T) receipts.Signer {
	t.Helper()
	s, err := receipts.CreateKey(filepath.Join(t.TempDir(), "key"), storetest.Instance, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// verifySigned verifies the whole log against its checkpoint and key.
func verifySigned(t *testing.T, db *store.DB, key string) receipts.Report {
	t.Helper()
	var report receipts.Report
	err := db.View(t.Context(), func(tx workflows.ReadTx) error {
		entries, err1 := tx.Receipts(t.Context(), 0, 0)
		head, err2 := tx.Head(t.Context())
		note, err3 := tx.Checkpoint(t.Context())
		report = receipts.VerifyEntries(func(yield func(receipts.Entry, error) bool) {
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
		}, head, note, key)
		return errors.Join(err1, err2, err3)
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// At every size the stored tree gives the root that the verifier computes from
// the receipts alone.
func TestCheckpointAtEverySize(t *testing.T) {
	t.Parallel()
	onBoth(t, checkpointAtEverySize)
}

func checkpointAtEverySize(t *testing.T, newPath func(testing.TB) string) {
	t.Helper()
	signer := newSigner(t)
	db := open(t, newPath(t), func(o *store.Options) { o.Signer = &signer })
	if err := db.WriteCheckpoint(t.Context()); err != nil {
		t.Fatalf("of an empty log: %v", err)
	}
	for n := range 17 {
		write(t, db, 1)
		for range 2 { // the second has nothing to do
			if err := db.WriteCheckpoint(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		r := verifySigned(t, db, signer.VerifierKey())
		if r.Code != receipts.CodeGood || r.Signed != int64(n+1) {
			t.Fatalf("size %d: %+v", n+1, r)
		}
	}
	var stored int
	if err := db.Writer().QueryRowContext(t.Context(), "SELECT count(*) FROM checkpoints").Scan(&stored); err != nil {
		t.Fatal(err)
	}
	if stored != 17 {
		t.Errorf("%d checkpoints are stored, want 17", stored)
	}
}

func TestCheckpointWithoutKey(t *testing.T) {
	t.Parallel()
	db := open(t, newPath(t))
	write(t, db, 1)
	if err := db.WriteCheckpoint(t.Context()); err == nil || !strings.Contains(err.Error(), "no signing key") {
		t.Errorf("got error %v", err)
	}
}

// withoutTriggers are the statements that take the receipts' triggers away.
func withoutTriggers(db *store.DB) []string {
	if db.Postgres() {
		return []string{
			"DROP TRIGGER receipts_refuse_change ON receipts", "DROP TRIGGER receipts_refuse_truncate ON receipts",
			"DROP TRIGGER receipts_refuse_gap ON receipts",
		}
	}
	return []string{"DROP TRIGGER receipts_refuse_update", "DROP TRIGGER receipts_refuse_delete", "DROP TRIGGER receipts_refuse_gap"}
}

func TestReceiptsAreAppendOnlyOnPostgres(t *testing.T) {
	t.Parallel()
	db := open(t, newPostgres(t))
	write(t, db, 3)
	for name, statement := range map[string]string{
		"update bytes":   "UPDATE receipts SET bytes = 'x' WHERE seq = 2",
		"update to same": "UPDATE receipts SET bytes = bytes",
		"move":           "UPDATE receipts SET seq = 9 WHERE seq = 3",
		"delete last":    "DELETE FROM receipts WHERE seq = 3",
		"delete all":     "DELETE FROM receipts",
		"truncate":       "TRUNCATE receipts",
		"upsert":         "INSERT INTO receipts SELECT * FROM receipts WHERE seq = 3 ON CONFLICT (seq) DO UPDATE SET bytes = 'x'",
		"gap":            "INSERT INTO receipts SELECT 9, bytes, leaf_hash, prev_hash, chain_hash FROM receipts WHERE seq = 3",
		"as a replica":   "SET session_replication_role = replica; DELETE FROM receipts WHERE seq = 3",
		"merge":          "MERGE INTO receipts USING (SELECT 3 AS seq) AS s ON receipts.seq = s.seq WHEN MATCHED THEN DELETE",
	} {
		_, err := db.Writer().ExecContext(t.Context(), statement)
		if err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: got error %v, want a refusal", name, err)
		}
	}
	if n := storetest.Verify(t, db); n != 3 {
		t.Errorf("log has %d receipts, want 3", n)
	}
}

// What somebody with the file and the schema can do is found by the verifier,
// and a shortened log is never signed over.
func TestTamperingIsFound(t *testing.T) {
	t.Parallel()
	onBoth(t, tamperingIsFound)
}

func tamperingIsFound(t *testing.T, newPath func(testing.TB) string) {
	t.Helper()
	for name, test := range map[string]struct {
		statements []string
		code       int
		shrunk     bool
	}{
		"untouched":   {nil, receipts.CodeGood, false},
		"byte":        {[]string{"UPDATE receipts SET bytes = CAST(replace(CAST(bytes AS TEXT), 'xxx', 'xxy') AS BLOB) WHERE seq = 2"}, receipts.CodeBad, false},
		"hash":        {[]string{"UPDATE receipts SET chain_hash = zeroblob(32) WHERE seq = 2"}, receipts.CodeBad, false},
		"middle gone": {[]string{"DELETE FROM receipts WHERE seq = 2"}, receipts.CodeBad, false},
		"end gone":    {[]string{"DELETE FROM receipts WHERE seq = 4"}, receipts.CodeTruncated, false},
		"end and head gone": {[]string{
			"DELETE FROM receipts WHERE seq = 4",
			"UPDATE head SET (seq, chain_hash) = (SELECT seq, chain_hash FROM receipts WHERE seq = 3)",
		}, receipts.CodeTruncated, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			signer := newSigner(t)
			db := open(t, newPath(t), func(o *store.Options) { o.Signer = &signer })
			write(t, db, 4)
			if err := db.WriteCheckpoint(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, s := range append(withoutTriggers(db), test.statements...) {
				if db.Postgres() {
					s = strings.NewReplacer("CAST(replace(CAST(bytes AS TEXT), 'xxx', 'xxy') AS BLOB)",
						"convert_to(replace(convert_from(bytes, 'UTF8'), 'xxx', 'xxy'), 'UTF8')",
						"zeroblob(32)", "decode(repeat('00', 32), 'hex')").Replace(s)
				}
				if _, err := db.Writer().ExecContext(t.Context(), s); err != nil {
					t.Fatalf("%s: %v", s, err)
				}
			}
			if r := verifySigned(t, db, signer.VerifierKey()); r.Code != test.code {
				t.Errorf("verifier says %+v, want code %d", r, test.code)
			}
			if err := db.WriteCheckpoint(t.Context()); errors.Is(err, store.ErrShrunk) != test.shrunk {
				t.Errorf("new checkpoint: got error %v, want a refusal: %v", err, test.shrunk)
			}
		})
	}
}
