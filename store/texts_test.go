package store_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"dw/receipts"
	"dw/store"
	"dw/store/storetest"
	"dw/workflows"
)

// say appends a receipt with a free text and returns its seq.
func say(t *testing.T, db *store.DB, words string) int64 {
	t.Helper()
	var seq int64
	err := db.Update(t.Context(), func(tx workflows.Tx) error {
		e, err := tx.AppendReceipt(t.Context(), receipts.Draft{
			Kind: receipts.KindStopPulled, Actor: receipts.Actor{Kind: receipts.ActorHuman, User: "U1"},
			At: time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC), Body: receipts.Object{"reason": receipts.FreeText(words)},
		})
		seq = e.Seq
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func kept(t *testing.T, db *store.DB, seq int64) []receipts.KeptText {
	t.Helper()
	texts, err := db.KeptTexts(t.Context(), seq)
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// TestShred: a person's words go with their salt, the receipt stays as it was
// signed, and the deletion is itself a receipt.
func TestShred(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, newPath func(testing.TB) string) {
		db := open(t, newPath(t))
		first, second := say(t, db, "words that shall go"), say(t, db, "words that stay")
		texts := kept(t, db, first)
		if len(texts) != 1 || texts[0].Text.Text != "words that shall go" || texts[0].Field != "reason" {
			t.Fatalf("kept %+v", texts)
		}
		who, now := receipts.Actor{Kind: receipts.ActorHuman, Name: "olga"}, time.Date(2026, 6, 11, 12, 0, 0, 0, time.UTC)
		failed := errors.New("stop here")
		if _, err := db.Shred(t.Context(), []int64{first}, who, "", now, func(workflows.Tx) error { return failed }); !errors.Is(err, failed) {
			t.Errorf("what runs with it failed: %v", err)
		}
		if len(kept(t, db, first)) != 1 {
			t.Fatal("a failed shredding deleted the text")
		}
		if n, err := db.Shred(t.Context(), []int64{first}, who, "asked by mail", now, nil); n != 1 || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
		if len(kept(t, db, first)) != 0 || len(kept(t, db, 0)) != 1 || kept(t, db, second)[0].Text.Text != "words that stay" {
			t.Errorf("kept after shredding: %+v", kept(t, db, 0))
		}
		if n := storetest.Verify(t, db); n != 3 {
			t.Errorf("%d receipts, want the two and that of the shredding", n)
		}
		if last := lastReceipt(t, db); !strings.Contains(last, receipts.KindTextShredded) || !strings.Contains(last, `"receipts":["1"]`) {
			t.Errorf("the receipt of it: %s", last)
		}
		if _, err := db.Shred(t.Context(), []int64{first}, who, "", now, nil); !errors.Is(err, store.ErrNoText) {
			t.Errorf("again: %v, want ErrNoText", err)
		}
		if _, err := db.Writer().ExecContext(t.Context(), "UPDATE receipt_texts SET text = salt"); err == nil {
			t.Error("a text was replaced")
		}
	})
}

func lastReceipt(t *testing.T, db *store.DB) (last string) {
	t.Helper()
	err := db.View(t.Context(), func(tx workflows.ReadTx) error {
		list, err := tx.Receipts(t.Context(), 0, 0)
		last = string(list[len(list)-1].Bytes)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return last
}

// TestShreddedTextLeavesNoBytes: neither the file nor the log beside it holds the
// words afterwards.
func TestShreddedTextLeavesNoBytes(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	db := open(t, path)
	seq := say(t, db, "a canary that shall go")
	if _, err := db.Shred(t.Context(), []int64{seq}, receipts.Actor{Kind: receipts.ActorHuman}, "", time.Date(2026, 6, 11, 0, 0, 0, 0, time.UTC), nil); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, path + "-wal"} {
		content, err := os.ReadFile(file)
		if err == nil && bytes.Contains(content, []byte("canary")) {
			t.Errorf("%s still holds the words", file)
		}
	}
}

// TestStoreRedacts: no secret that the store was told of, and none that looks like
// one, gets into a receipt, whoever appends it.
func TestStoreRedacts(t *testing.T) {
	t.Parallel()
	db := open(t, newPath(t), func(o *store.Options) { o.Redactor = receipts.NewRedactor("canary-secret") })
	say(t, db, "is canary-secret or xoxb-"+"0123456789")
	if got := kept(t, db, 0)[0].Text.Text; got != "is [redacted:configured_secret] or [redacted:slack_token]" {
		t.Errorf("kept %q", got)
	}
	if last := lastReceipt(t, db); !strings.Contains(last, `"redacted":{"configured_secret":"1","slack_token":"1"}`) {
		t.Errorf("the receipt does not say what was redacted: %s", last)
	}
}
