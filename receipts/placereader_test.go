package receipts

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// variedReceipts are receipts whose heads, middles and ends differ and recur.
func variedReceipts(t *testing.T) [][]byte {
	t.Helper()
	var all [][]byte
	var head Head
	for n := range 24 {
		d := testDraft(n)
		d.Actor.Name = []string{"Zoë \"Q\"", "plain", `ends in \`, ""}[n/2%4]
		d.Incident = []string{"", "INC-1", `odd","seq":"7`}[n/3%3]
		if n%5 == 0 {
			d.Redacted = map[string]int{RuleJWT: n + 1}
		}
		if n%4 == 0 {
			d.Subject = nil
		}
		e, next, err := Append(testInstance, head, d)
		if err != nil {
			t.Fatal(err)
		}
		all, head = append(all, e.Bytes), next
	}
	return all
}

// The reader that remembers what the receipt before said reads every receipt, whole or
// tampered with, as the one that remembers nothing.
func TestPlaceReaderReadsAsReadPlaceDoes(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 5)) //nolint:gosec // the same each time
	all := variedReceipts(t)
	var reader placeReader
	same := func(b []byte) {
		want, wantErr := readPlace(b)
		got, err := reader.read(b)
		if (err == nil) != (wantErr == nil) || got.seq != want.seq ||
			!bytes.Equal(got.instance, want.instance) || !bytes.Equal(got.kind, want.kind) {
			t.Fatalf("%s\nread as %d %s %s, %v; want %d %s %s, %v", b,
				got.seq, got.instance, got.kind, err, want.seq, want.instance, want.kind, wantErr)
		}
	}
	for range 200 {
		for _, b := range all {
			same(b)
			same(mangled(random, b))
		}
	}
	for _, b := range all {
		same([]byte(strings.Replace(string(b), `"test-1"`, `"test-2"`, 1)))
		same(bytes.Replace(b, []byte(`"},"predicateType"`), []byte(`","seq":"9"},"predicateType"`), 1))
		same(append(bytes.Clone(b), b...))
		same(b[:len(b)-1])
	}
}

// mangled changes, doubles or cuts out a few bytes; what is structure is hit often.
func mangled(random *rand.Rand, b []byte) []byte {
	at := random.IntN(len(b))
	if structure := bytes.IndexAny(b[at:], `"{}[],:\`); structure >= 0 && random.IntN(2) == 0 {
		at += structure
	}
	n := min(1+random.IntN(12), len(b)-at)
	switch random.IntN(4) {
	case 0:
		return append(bytes.Clone(b[:at]), b[at+n:]...)
	case 1:
		return append(bytes.Clone(b[:at+n]), b[at:]...)
	case 2:
		b = bytes.Clone(b)
		b[at] = `"{}[],:\0z`[random.IntN(10)]
		return b
	}
	from := random.IntN(len(b) - n + 1)
	return append(append(bytes.Clone(b[:at]), b[from:from+n]...), b[at:]...)
}
