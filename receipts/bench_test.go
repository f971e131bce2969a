package receipts

import (
	"crypto/sha256"
	"strings"
	"testing"
)

// BenchmarkVerify reports the cost of a verification beside its floor, the
// bare SHA-256 of the same bytes, for receipts of about 2 KB.
func BenchmarkVerify(b *testing.B) {
	l := newTestLog(b, 0)
	var size int64
	for i := range 2000 {
		d := testDraft(i)
		d.Body["diff"] = strings.Repeat("+ a line of a change\n", 60)
		l.append(b, d)
		size += int64(len(l.entries[i].Bytes))
	}
	checkpoint, key := l.checkpoint(b, l.head.Seq), l.signer.VerifierKey()
	b.Run("floor", func(b *testing.B) {
		b.SetBytes(size)
		var sum byte
		for b.Loop() {
			for _, e := range l.entries {
				h := sha256.Sum256(e.Bytes)
				sum ^= h[0]
			}
		}
		_ = sum
	})
	b.Run("verify", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			if r := VerifyEntries(seq(l.entries), l.head, checkpoint, key); r.Code != CodeGood {
				b.Fatal(r)
			}
		}
	})
	files := l.export(b)
	b.Run("export", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			if r := verifyExport(files, key, nil); r.Code != CodeGood {
				b.Fatal(r)
			}
		}
	})
}
