package receipts

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/mod/sumdb/note"
)

// TestForgedLinks recomputes the hashes that a forger without the signing key
// can recompute, so that one guard alone stands in the way.
func TestForgedLinks(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 4)

	t.Run("last receipt hung on another chain", func(t *testing.T) {
		t.Parallel()
		entries := slices.Clone(l.entries)
		e := &entries[3]
		e.Prev = [32]byte{1}
		e.Chain = ChainHash(e.Prev, e.Leaf)
		r := VerifyEntries(seq(entries), Head{}, l.checkpoint(t, 4), l.signer.VerifierKey())
		if r.Code != CodeBad || r.FirstBad != 4 || r.Found != hexOf(e.Prev) {
			t.Errorf("report %+v", r)
		}
	})
	t.Run("gap in a chain that is whole", func(t *testing.T) {
		t.Parallel()
		e, head, err := Append(testInstance, Head{Seq: 6, Chain: l.head.Chain}, testDraft(6))
		if err != nil {
			t.Fatal(err)
		}
		r := VerifyEntries(seq(append(slices.Clone(l.entries), e)), head, nil, "")
		if r.Code != CodeBad || r.FirstBad != 5 || r.Expected != "5" || r.Found != "7" {
			t.Errorf("report %+v", r)
		}
	})
	t.Run("checkpoint in another's name", func(t *testing.T) {
		t.Parallel()
		other, _, err := newKey("elsewhere", seed())
		if err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(string(l.checkpoint(t, 4)), "\n\n")
		signed, err := note.Sign(&note.Note{Text: text + "\n"}, other.signer)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := OpenCheckpoint(signed, other.VerifierKey()); !errors.Is(err, ErrSignature) {
			t.Errorf("OpenCheckpoint: %v, want ErrSignature", err)
		}
	})
}

func TestLargestReceiptIsExported(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 1)
	d := testDraft(1)
	d.Body = Object{"diff": ""}
	e, _, err := Append(testInstance, l.head, d)
	if err != nil {
		t.Fatal(err)
	}
	d.Body["diff"] = strings.Repeat("x", MaxBytes-len(e.Bytes))
	l.append(t, d)
	if n := len(l.entries[1].Bytes); n != MaxBytes {
		t.Fatalf("the receipt has %d bytes, want %d", n, MaxBytes)
	}
	files := l.export(t)
	if r := verifyExport(files, l.signer.VerifierKey(), nil); r.Code != CodeGood || r.Count != 2 {
		t.Errorf("report %+v", r)
	}
	files[ExportReceipts] = &fstest.MapFile{Data: []byte(strings.Repeat("x", maxLine+1))}
	r := verifyExport(files, l.signer.VerifierKey(), nil)
	if r.Code != CodeUnreadable || !strings.Contains(r.Problem, "line 1: longer than the largest receipt") {
		t.Errorf("a longer line: %+v", r)
	}
}
