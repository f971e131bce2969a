package app

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/config"
	"dw/receipts"
	"dw/store"
	"dw/workflows"
)

// logged is a dw without Slack: a configuration, a key and a database.
func logged(t *testing.T) *App {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(file, []byte("instance: grid-test\nreceipts: {anchors: {git: {dir: anchors}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(file, config.OS())
	if _, partly := errors.AsType[config.Problems](err); c == nil || err != nil && !partly {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Date(2026, 6, 10, 11, 12, 0, 0, time.UTC) }
	a := &App{project: &Project{Config: c, Now: now}, log: slog.New(slog.DiscardHandler)}
	if err := a.openStore(t.Context(), Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.store.Close() })
	a.anchors = newAnchors(a)
	a.selfCheck = &selfCheck{app: a, anchors: a.anchors}
	return a
}

func (a *App) kindsWritten(t *testing.T) []string {
	t.Helper()
	rows, err := a.receipts.LastReceipts(context.Background(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, row := range rows {
		kinds = append(kinds, row.Kind)
	}
	return kinds
}

// TestStartReceipts: the first start records the key and the configuration, one on a
// restored database what was restored, and that dw no longer acts by itself.
func TestStartReceipts(t *testing.T) {
	t.Parallel()
	a := logged(t)
	if err := a.recordStart(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	a.policies = map[string]workflows.Policy{"grid": {Domain: "grid", Channel: "C1", Level: workflows.L3Act}}
	acts := map[string]workflows.Governed{"grid": {Policy: a.policies["grid"], File: a.policies["grid"], Rev: 1}}
	var head receipts.Head
	err := a.store.Update(t.Context(), func(tx workflows.Tx) (err error) {
		if head, err = tx.Head(t.Context()); err != nil {
			return err
		}
		_, err = tx.PutInForce(t.Context(), workflows.InForce{Domains: acts, Rev: 1})
		return err
	})
	note, err2 := json.Marshal(Restored{Backup: "b.db", SHA256: strings.Repeat("0", 64), Seq: head.Seq, Chain: hex.EncodeToString(head.Chain[:]), At: a.project.Now()})
	if err := errors.Join(err, err2, os.WriteFile(a.project.Config.Store.DSN.Reveal()+restoredSuffix, note, 0o600), a.recordStart(t.Context(), "test")); err != nil {
		t.Fatal(err)
	}
	want := []string{
		receipts.KindKeyCreated, receipts.KindConfigLoaded, receipts.KindRestoredFrom, receipts.KindConfigLoaded,
		receipts.KindPolicyChanged, receipts.KindAutonomyLevelChanged,
	}
	if got := a.kindsWritten(t); !slices.Equal(got, want) {
		t.Errorf("receipts %v, want %v", got, want)
	}
}

// TestRotationReceipt: a rotation leaves its receipt, and a dw that runs signs with
// both keys from then on.
func TestRotationReceipt(t *testing.T) {
	t.Parallel()
	a := logged(t)
	old := a.receipts.key
	if err := a.recordStart(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	done, err := RotateKey(t.Context(), a.project.Config, "olga", a.project.Now())
	if err != nil {
		t.Fatal(err)
	}
	if kinds := a.kindsWritten(t); kinds[len(kinds)-1] != receipts.KindKeyRotated {
		t.Errorf("receipts %v", kinds)
	}
	if err := errors.Join(a.recordStart(t.Context(), "test"), a.writeCheckpoint(t.Context())); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{old, done.New} {
		if r, err := a.receipts.Verify(t.Context(), key); err != nil || r.Code != receipts.CodeGood || r.Signed != r.Count {
			t.Errorf("with %s: %v, %s", key, err, r)
		}
	}
}

// TestGitAnchor: a checkpoint is committed once and recorded once, however often it is
// delivered; a log cut back to before it is found, recorded, and holds steps back.
func TestGitAnchor(t *testing.T) {
	t.Parallel()
	a := logged(t)
	if err := errors.Join(a.recordStart(t.Context(), "test"), a.writeCheckpoint(t.Context()), a.anchors.queue(t.Context())); err != nil {
		t.Fatal(err)
	}
	order := a.anchorOrderOf(t)
	for range 3 {
		if err := a.anchors.Deliver(t.Context(), order); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{receipts.KindKeyCreated, receipts.KindConfigLoaded, receipts.KindAnchorPosted}
	if got := a.kindsWritten(t); !slices.Equal(got, want) {
		t.Errorf("receipts %v, want %v", got, want)
	}
	if n, err := a.anchors.git.git(t.Context(), "", nil, "rev-list", "--count", "dw-anchors"); n != "1" || err != nil {
		t.Errorf("%s commits, %v", n, err)
	}
	if grew, err := a.grewSince(t); grew || err != nil {
		t.Errorf("an anchor asks for another: %v, %v", grew, err)
	}
	if err := a.selfCheck.check(t.Context()); err != nil || a.selfCheck.problem.Load() != nil {
		t.Fatalf("a whole log: %v, %v", err, a.selfCheck.problem.Load())
	}
	step := workflows.Effect{Kind: workflows.EffectStep}
	if err := a.selfCheck.refuse(step); err != nil {
		t.Errorf("a step waits although the log is whole: %v", err)
	}
	a.replaceDatabase(t)
	if err := a.selfCheck.check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := a.selfCheck.problem.Load(); p == nil || !strings.HasPrefix(*p, "TRUNCATED") {
		t.Errorf("an older database is %v", p)
	}
	if err := a.selfCheck.refuse(step); err == nil || a.selfCheck.refuse(workflows.Effect{Kind: workflows.EffectPageTrigger}) != nil {
		t.Error("a step starts, or a page waits")
	}
	if kinds := a.kindsWritten(t); !slices.Contains(kinds, receipts.KindLogMismatch) {
		t.Errorf("receipts %v", kinds)
	}
}

// anchorOrderOf is the effect that queue ordered.
func (a *App) anchorOrderOf(t *testing.T) workflows.Effect {
	t.Helper()
	var effect workflows.Effect
	err := a.store.View(t.Context(), func(tx workflows.ReadTx) error {
		note, err := tx.Checkpoint(t.Context())
		if err != nil {
			return err
		}
		payload, err := json.Marshal(anchorOrder{Size: 2, Note: string(note)})
		effect = workflows.Effect{Kind: effectAnchorGit, Key: effectAnchorGit + "/2", Payload: payload}
		return err
	})
	var queued int
	row := a.store.Writer().QueryRowContext(t.Context(), "SELECT count(*) FROM effects WHERE key = ?", effect.Key)
	if err := errors.Join(err, row.Scan(&queued)); err != nil || queued != 1 {
		t.Fatalf("the anchor was queued %d times: %v", queued, err)
	}
	return effect
}

func (a *App) grewSince(t *testing.T) (grew bool, err error) {
	t.Helper()
	err = a.store.View(t.Context(), func(tx workflows.ReadTx) error {
		grew, err = a.anchors.grew(t.Context(), tx, 3)
		return err
	})
	return grew, err
}

// replaceDatabase puts a database in place that holds one receipt.
func (a *App) replaceDatabase(t *testing.T) {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "older.db"), store.Options{Instance: a.project.Config.Instance})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Update(t.Context(), func(tx workflows.Tx) error {
		_, err := tx.AppendReceipt(t.Context(), a.keyReceipt(a.project.Now()))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	old := a.store
	t.Cleanup(func() { _ = old.Close() })
	a.store, a.receipts.store = db, db
	a.deliverer = nil // nobody is there to tell: no domain is configured
}
