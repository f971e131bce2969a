package receipts

import (
	"bytes"
	"crypto/sha256"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// trustRounds is how often floor and subject are measured, one after the other; the
// median counts.
const trustRounds = 5

// BenchmarkTrustVerify sets the verification of a million receipts of 2 KB beside its
// floor, the bare SHA-256 of the same bytes, in CPU time of the process: at most 1.3
// times. DW_TRUST_RECEIPTS makes it shorter.
func BenchmarkTrustVerify(b *testing.B) {
	count := int64(1_000_000)
	if n, err := strconv.ParseInt(os.Getenv("DW_TRUST_RECEIPTS"), 10, 64); err == nil {
		count = n
	}
	l := longLogOf(b, count)
	b.SetBytes(int64(len(l.head)+len(l.tail)) * count)
	for b.Loop() {
		var floors, verified, ratios []float64
		for range trustRounds {
			floor := cpuOf(func() { l.floor() })
			subject := cpuOf(func() {
				if r := VerifyEntries(l.entries(), Head{}, l.checkpoint, l.key); r.Code != CodeGood || r.Signed != count {
					b.Fatal(r)
				}
			})
			floors, verified, ratios = append(floors, floor), append(verified, subject), append(ratios, subject/floor)
		}
		b.ReportMetric(middle(floors), "floor-cpu-s")
		b.ReportMetric(middle(verified), "verify-cpu-s")
		b.ReportMetric(middle(ratios), "x-floor")
	}
}

func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// cpuOf returns the CPU seconds that the process spent while do ran.
func cpuOf(do func()) float64 {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			return 0
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	do()
	return (used() - before).Seconds()
}

// longLog is a log that is not held in memory: its receipts differ in their seq, and
// are written into one buffer as they are read.
type longLog struct {
	head, tail []byte // around the seq
	leaves     [][32]byte
	chains     [][32]byte
	checkpoint []byte
	key        string
}

func longLogOf(b *testing.B, count int64) *longLog {
	b.Helper()
	d := testDraft(0)
	d.Body = Object{"diff": strings.Repeat("+ a line of a change\n", 75)}
	e, _, err := Append(testInstance, Head{Seq: 999_999}, d)
	if err != nil {
		b.Fatal(err)
	}
	l := &longLog{leaves: make([][32]byte, count), chains: make([][32]byte, count)}
	var found bool
	if l.head, l.tail, found = bytes.Cut(e.Bytes, []byte("1000000")); !found {
		b.Fatal("the receipt does not hold its seq")
	}
	var tree frontier
	var chain [32]byte
	for n, body := range l.bodies() {
		l.leaves[n] = LeafHash(body)
		chain = ChainHash(chain, l.leaves[n])
		l.chains[n] = chain
		tree.add(l.leaves[n])
	}
	signer := keyOf(b, 7, testInstance)
	if l.checkpoint, err = signer.Checkpoint(count, tree.root()); err != nil {
		b.Fatal(err)
	}
	l.key = signer.VerifierKey()
	return l
}

func (l *longLog) bodies() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		var body []byte
		for n := range l.leaves {
			body = append(body[:0], l.head...)
			body = strconv.AppendInt(body, int64(n)+1, 10)
			body = append(body, l.tail...)
			if !yield(n, body) {
				return
			}
		}
	}
}

func (l *longLog) entries() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		var prev [32]byte
		for n, body := range l.bodies() {
			if !yield(Entry{Seq: int64(n) + 1, Bytes: body, Leaf: l.leaves[n], Prev: prev, Chain: l.chains[n]}, nil) {
				return
			}
			prev = l.chains[n]
		}
	}
}

// floor hashes every receipt and nothing else.
func (l *longLog) floor() {
	var sum byte
	for _, body := range l.bodies() {
		h := sha256.Sum256(body)
		sum ^= h[0]
	}
	_ = sum
}
