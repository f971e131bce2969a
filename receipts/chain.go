package receipts

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"
)

// MaxBytes is the largest receipt, in bytes of its canonical form.
const MaxBytes = 1 << 20

// maxBackward is how far a receipt's time may lie before its predecessor's.
const maxBackward = 2 * time.Minute

const chainDomain = "dw/chain/v1\n"

// ErrClock reports a time so far before the previous receipt's that the clock
// must have jumped.
var ErrClock = errors.New("clock went back")

// Head is the end of the chain: the Seq and Chain hash of the last receipt and
// its time. The zero Head is the empty log.
type Head struct {
	Seq   int64
	Chain [32]byte
	At    time.Time
}

// Entry is one receipt in its place: its Seq (from 1, without gaps), its bytes
// exactly as hashed, and the hashes LeafHash(Bytes), the chain before it and
// the chain including it.
type Entry struct {
	Seq   int64
	Bytes []byte
	Leaf  [32]byte
	Prev  [32]byte
	Chain [32]byte
}

// Append gives d the place after head in instance's log and returns the entry
// and the new head; it stores nothing. It fails with ErrDraft or ErrValue for a
// draft that cannot be encoded, and with ErrClock for a time more than two
// minutes before head's, unless d itself is a clock_jump.
func Append(instance string, head Head, d Draft) (Entry, Head, error) {
	seq := head.Seq + 1
	b, err := appendBytes(instance, head, d)
	if err != nil {
		return Entry{}, Head{}, fmt.Errorf("append receipt %d (%s): %w", seq, d.Kind, err)
	}
	leaf := LeafHash(b)
	e := Entry{Seq: seq, Bytes: b, Leaf: leaf, Prev: head.Chain, Chain: ChainHash(head.Chain, leaf)}
	return e, Head{Seq: seq, Chain: e.Chain, At: d.At.UTC()}, nil
}

func appendBytes(instance string, head Head, d Draft) ([]byte, error) {
	if err := CheckInstance(instance); err != nil {
		return nil, err
	}
	if err := d.validate(); err != nil {
		return nil, err
	}
	if d.Kind != KindClockJump && d.At.Before(head.At.Add(-maxBackward)) {
		return nil, fmt.Errorf("%w: %s is more than %s before the previous receipt at %s; record a %s receipt first",
			ErrClock, d.At.UTC().Format(time.RFC3339Nano), maxBackward, head.At.UTC().Format(time.RFC3339Nano), KindClockJump)
	}
	b, err := d.encode(instance, head.Seq+1)
	if err != nil {
		return nil, err
	}
	if len(b) > MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes, at most %d fit in one receipt", ErrDraft, len(b), MaxBytes)
	}
	return b, nil
}

// LeafHash returns SHA-256(0x00 || bytes), the RFC 6962 leaf hash of a receipt.
func LeafHash(bytes []byte) [32]byte {
	h := sha256.New()
	h.Write([]byte{0x00})
	h.Write(bytes)
	var out [32]byte
	h.Sum(out[:0])
	return out
}

// ChainHash returns SHA-256("dw/chain/v1\n" || prev || leaf).
func ChainHash(prev, leaf [32]byte) [32]byte {
	var buf [len(chainDomain) + 2*sha256.Size]byte
	n := copy(buf[:], chainDomain)
	n += copy(buf[n:], prev[:])
	copy(buf[n:], leaf[:])
	return sha256.Sum256(buf[:])
}
