package receipts

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

const rotationDomain = "dw/key-rotation/v1"

// ErrRotation reports a rotation that one of its two keys did not sign.
var ErrRotation = errors.New("the rotation is not signed by both keys")

// WithPrevious returns a signer whose checkpoints carry the signatures of s and of
// the key before it, for the time in which both are known.
func (s Signer) WithPrevious(previous Signer) Signer {
	if previous.verifier != s.verifier {
		s.previous = previous.signer
	}
	return s
}

// RotationDraft returns the receipt by which the key of one instance changes from
// old to next, at now by who. Its body holds a note that both keys signed, so that
// whoever trusts one of them can go on to the other.
func RotationDraft(old, next Signer, who Actor, now time.Time) (Draft, error) {
	switch {
	case old.signer == nil || next.signer == nil:
		return Draft{}, errors.New("rotate key: two keys are needed")
	case old.signer.Name() != next.signer.Name():
		return Draft{}, fmt.Errorf("rotate key: %s and %s are of different instances", old, next)
	case old.verifier == next.verifier:
		return Draft{}, errors.New("rotate key: the new key is the old one")
	}
	text := rotationText(old.signer.Name(), old.verifier, next.verifier)
	signed, err := note.Sign(&note.Note{Text: text}, old.signer, next.signer)
	if err != nil {
		return Draft{}, fmt.Errorf("rotate key: %w", err)
	}
	return Draft{
		Kind: KindKeyRotated, Actor: who, At: now,
		Body: Object{"old_key": old.verifier, "public_key": next.verifier, "note": string(signed)},
	}, nil
}

func rotationText(origin, old, next string) string {
	return fmt.Sprintf("%s\n%s\n%s\n%s\n", rotationDomain, origin, old, next)
}

// rotation is a change of keys that both signed, or one that was forged: bad says
// why.
type rotation struct {
	old, next string
	bad       error
}

// rotationOf reads the bytes of a key.rotated receipt of the log called origin.
func rotationOf(receipt []byte, origin string) rotation {
	statement, err := Decode(receipt)
	if err != nil {
		return rotation{bad: err}
	}
	predicate, _ := statement["predicate"].(Object)
	body, _ := predicate["body"].(Object)
	said := func(key string) string { text, _ := body[key].(string); return text }
	r := rotation{old: said("old_key"), next: said("public_key")}
	r.bad = checkRotation(r, origin, said("note"))
	return r
}

func checkRotation(r rotation, origin, signed string) error {
	var both []note.Verifier
	for _, key := range []string{r.old, r.next} {
		v, err := newVerifier(key)
		if err != nil {
			return err
		}
		both = append(both, v)
	}
	n, err := note.Open([]byte(signed), note.VerifierList(both...))
	if err != nil || len(n.Sigs) != 2 || len(n.UnverifiedSigs) != 0 || n.Text != rotationText(origin, r.old, r.next) {
		return ErrRotation
	}
	return nil
}

// trust is what follows from one key that is trusted, over the rotations of a log.
type trust struct {
	forward []string // the key and its successors
	all     []string // and its predecessors
}

func trustFrom(key string, rotations []rotation) trust {
	forward := []string{key}
	for _, r := range rotations {
		if slices.Contains(forward, r.old) {
			forward = append(forward, r.next)
		}
	}
	all := slices.Clone(forward)
	for _, r := range slices.Backward(rotations) {
		if slices.Contains(all, r.next) {
			all = append(all, r.old)
		}
	}
	return trust{forward: forward, all: all}
}

// signedNote is a checkpoint with its signatures, which nothing vouches for yet.
type signedNote struct {
	Checkpoint

	text string
	sigs []note.Signature
}

// signedBy reports whether one of keys signed the note.
func (n signedNote) signedBy(keys []string) bool {
	return slices.ContainsFunc(n.sigs, func(sig note.Signature) bool { return n.validBy(sig, keys) })
}

// signedOnlyBy reports whether every signature of the note is one of keys.
func (n signedNote) signedOnlyBy(keys []string) bool {
	return !slices.ContainsFunc(n.sigs, func(sig note.Signature) bool { return !n.validBy(sig, keys) })
}

func (n signedNote) validBy(sig note.Signature, keys []string) bool {
	raw, err := decodeBase64([]byte(sig.Base64))
	if err != nil || len(raw) < 5 {
		return false
	}
	return slices.ContainsFunc(keys, func(key string) bool {
		v, err := newVerifier(key)
		return err == nil && v.Name() == sig.Name && v.KeyHash() == sig.Hash && v.Verify([]byte(n.text), raw[4:])
	})
}

// maxSignatures of a checkpoint: its key's and, for a time, that of the one before.
const maxSignatures = 2

// parseSigned reads a checkpoint without checking its signatures. It is written
// in one way only, so that no other file can pass for the same checkpoint.
func parseSigned(data []byte) (signedNote, error) {
	n, err := openNote(data)
	if err != nil {
		return signedNote{}, err
	}
	c, err := parseCheckpoint(n.Text)
	if err != nil {
		return signedNote{}, err
	}
	var again strings.Builder
	again.WriteString(n.Text + "\n")
	for _, sig := range n.UnverifiedSigs {
		if sig.Name != c.Origin {
			return signedNote{}, fmt.Errorf("%w: origin %q, but signed as %q", ErrSignature, c.Origin, sig.Name)
		}
		fmt.Fprintf(&again, "— %s %s\n", sig.Name, sig.Base64)
		if _, err := decodeBase64([]byte(sig.Base64)); err != nil {
			return signedNote{}, fmt.Errorf("%w signature: %w", ErrMalformed, err)
		}
	}
	if len(n.UnverifiedSigs) > maxSignatures || string(data) != again.String() {
		return signedNote{}, fmt.Errorf("%w: not one signature, or two, written as dw writes them", ErrMalformed)
	}
	return signedNote{Checkpoint: c, text: n.Text, sigs: n.UnverifiedSigs}, nil
}
