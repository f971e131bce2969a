package receipts

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// VerifyEntries checks the receipts that src yields, from seq 1 in order:
// leaf, prev and chain hashes, a gapless seq equal to the one inside the bytes,
// one instance, the tree root at the checkpoint's size, and the signature by
// publicKey. An error from src gives CodeUnreadable.
//
// want is the stored head, read in the same transaction as src, or the zero
// Head if unknown; its At is not compared. checkpoint is the newest signed
// note, or nil if there is none; without it or without publicKey the best
// answer is CodeUnsigned. atLeast holds earlier checkpoints, kept elsewhere,
// which the log must still contain. More receipts than a checkpoint says are
// fine; more than want says are not, since the head moves with every receipt.
func VerifyEntries(src iter.Seq2[Entry, error], want Head, checkpoint []byte, publicKey string, atLeast ...[]byte) Report {
	return verifyEntries(src, want, strings.TrimSpace(publicKey), folder{checkpoint: checkpoint}, atLeast)
}

// folder is what lies beside the receipts of an export.
type folder struct {
	checkpoint []byte
	key        string
	texts      *textCheck
}

func verifyEntries(src iter.Seq2[Entry, error], want Head, publicKey string, beside folder, atLeast [][]byte) Report {
	v, f := newVerification(want, beside.checkpoint, publicKey, atLeast)
	v.texts, v.folderKey = beside.texts, beside.key
	if f == nil {
		f = v.run(src)
	}
	return v.report(f)
}

// verification is the state of one pass over the receipts. No receipt is kept.
type verification struct {
	want      Head
	claims    []signedNote
	newest    bool   // claims[0] is the log's own newest checkpoint
	key       string // empty: none was given
	folderKey string // that of an export; empty: there is none
	rotations []rotation
	buffer    []byte // of the receipt at hand with its prefix
	places    placeReader
	instance  string
	head      Head
	tree      frontier
	signature bool
	texts     *textCheck // nil: none came with the receipts
}

// fault is a finding that ends a verification.
type fault struct {
	code            int
	seq             int64
	problem         string
	expected, found string
}

func newVerification(want Head, checkpoint []byte, publicKey string, atLeast [][]byte) (*verification, *fault) {
	v := &verification{want: want, key: publicKey, newest: checkpoint != nil}
	name := ""
	if v.key != "" {
		verifier, err := newVerifier(publicKey)
		if err != nil {
			return v, checkpointFault(err)
		}
		name = verifier.Name()
	}
	notes := atLeast
	if v.newest {
		notes = append([][]byte{checkpoint}, atLeast...)
	}
	for _, data := range notes {
		c, err := parseSigned(data)
		if err == nil && name != "" && name != c.Origin {
			err = fmt.Errorf("%w: not signed by %s", ErrSignature, publicKey)
		}
		if err != nil {
			return v, checkpointFault(fmt.Errorf("open checkpoint: %w", err))
		}
		if len(v.claims) > 0 && c.Origin != v.claims[0].Origin {
			return v, &fault{
				code: CodeBad, problem: "the checkpoints are of different logs",
				expected: v.claims[0].Origin, found: c.Origin,
			}
		}
		v.claims = append(v.claims, c)
	}
	if len(v.claims) > 0 {
		v.instance = strings.TrimPrefix(v.claims[0].Origin, originPrefix)
	}
	// A key that did not sign itself may still lead to the one that did.
	v.signature = v.newest && v.key != "" && v.claims[0].signedBy([]string{v.key})
	return v, nil
}

func checkpointFault(err error) *fault {
	code := CodeUnreadable
	if errors.Is(err, ErrSignature) {
		code = CodeBad
	}
	return &fault{code: code, problem: err.Error()}
}

func (v *verification) run(src iter.Seq2[Entry, error]) *fault {
	if f := v.checkRoots(); f != nil {
		return f
	}
	for e, err := range src {
		if err != nil {
			return &fault{code: CodeUnreadable, seq: v.head.Seq + 1, problem: err.Error()}
		}
		if f := v.checkEntry(&e); f != nil {
			return f
		}
		v.head = Head{Seq: e.Seq, Chain: e.Chain}
		v.tree.add(e.Leaf)
		if f := v.checkRoots(); f != nil {
			return f
		}
	}
	return v.checkEnd()
}

func (v *verification) checkEntry(e *Entry) *fault {
	next := v.head.Seq + 1
	bad := func(problem, expected, found string) *fault {
		return &fault{code: CodeBad, seq: next, problem: problem, expected: expected, found: found}
	}
	if e.Seq != next {
		return bad("seq is not the next one", decimal(next), decimal(e.Seq))
	}
	v.buffer = append(append(v.buffer[:0], 0x00), e.Bytes...)
	leaf := sha256.Sum256(v.buffer) // LeafHash without its allocations
	if e.Leaf != leaf {
		return bad("the stored bytes do not have the stored leaf hash", hexOf(e.Leaf), hexOf(leaf))
	}
	if e.Prev != v.head.Chain {
		return bad("prev hash is not the chain hash of the receipt before", hexOf(v.head.Chain), hexOf(e.Prev))
	}
	if chain := ChainHash(e.Prev, leaf); e.Chain != chain {
		return bad("the stored chain hash does not follow from the bytes", hexOf(e.Chain), hexOf(chain))
	}
	return v.checkPlace(e, bad)
}

func (v *verification) checkPlace(e *Entry, bad func(problem, expected, found string) *fault) *fault {
	p, err := v.places.read(e.Bytes)
	if err != nil {
		return bad(err.Error(), "", "")
	}
	if p.seq != e.Seq {
		return bad("the bytes were made for another seq", decimal(e.Seq), decimal(p.seq))
	}
	if v.instance == "" {
		v.instance = string(p.instance)
	}
	if string(p.instance) != v.instance {
		return bad("the receipt is of another instance", v.instance, string(p.instance))
	}
	if string(p.kind) == KindKeyRotated {
		r := rotationOf(e.Bytes, originPrefix+v.instance)
		if r.bad != nil {
			return bad(r.bad.Error(), "", "")
		}
		v.rotations = append(v.rotations, r)
	}
	return v.texts.check(e)
}

// checkRoots compares the tree with every checkpoint of exactly this size.
func (v *verification) checkRoots() *fault {
	for n := range v.claims {
		c := &v.claims[n]
		if c.Size != v.tree.size {
			continue
		}
		if root := v.tree.root(); root != c.Root {
			return &fault{
				code: CodeBad, expected: c.Root.String(), found: root.String(),
				problem: fmt.Sprintf("the first %d receipts are not those of the checkpoint: its root differs", c.Size),
			}
		}
	}
	return nil
}

// checkSignatures follows the rotations from the given key. The newest checkpoint
// must be signed by it or by one of its successors, never by a key that was given
// up before it; earlier checkpoints may be.
func (v *verification) checkSignatures() *fault {
	if v.key == "" {
		return nil
	}
	known := trustFrom(v.key, v.rotations)
	for n, c := range v.claims {
		keys := known.all
		if n == 0 && v.newest {
			keys = known.forward
		}
		if !c.signedBy(keys) || c.Size <= v.head.Seq && !c.signedOnlyBy(known.all) {
			v.signature = false
			return checkpointFault(fmt.Errorf("open checkpoint: %w: not signed by %s, nor by a key that it leads to", ErrSignature, v.key))
		}
	}
	if v.folderKey != "" && !slices.Contains(known.forward, v.folderKey) {
		return &fault{
			code: CodeBad, problem: "the export carries another public key than the one given, which does not lead to it",
			expected: v.key, found: v.folderKey,
		}
	}
	v.signature = v.newest
	return nil
}

func (v *verification) checkEnd() *fault {
	if f := v.checkSignatures(); f != nil {
		return f
	}
	known := v.want.Seq != 0
	switch {
	case known && v.want.Seq < v.head.Seq:
		return &fault{
			code: CodeBad, seq: v.want.Seq + 1, problem: "there are more receipts than the head says",
			expected: decimal(v.want.Seq), found: decimal(v.head.Seq),
		}
	case known && v.want.Seq == v.head.Seq && v.want.Chain != v.head.Chain:
		return &fault{
			code: CodeBad, seq: v.head.Seq, problem: "the head names another chain hash than the last receipt",
			expected: hexOf(v.want.Chain), found: hexOf(v.head.Chain),
		}
	case known && v.want.Seq > v.head.Seq:
		return v.truncated("head", v.want.Seq)
	}
	for _, c := range v.claims {
		if c.Size > v.head.Seq {
			return v.truncated("checkpoint", c.Size)
		}
	}
	if f := v.texts.end(); f != nil {
		return f
	}
	return v.unsigned()
}

func (v *verification) truncated(by string, size int64) *fault {
	return &fault{
		code: CodeTruncated, expected: decimal(size) + " receipts", found: decimal(v.head.Seq),
		problem: "every receipt present verifies, but the " + by + " says there were more:" +
			" the end was cut off, or an old backup restored",
	}
}

func (v *verification) unsigned() *fault {
	switch {
	case v.signature:
		return nil
	case !v.newest:
		return &fault{code: CodeUnsigned, problem: "there is no checkpoint, so nothing was signed"}
	}
	return &fault{code: CodeUnsigned, problem: "no public key was given"}
}

func (v *verification) report(f *fault) Report {
	r := Report{Count: v.head.Seq, SignatureChecked: v.signature}
	if v.head.Seq > 0 {
		r.Chain = hexOf(v.head.Chain)
	}
	if v.newest && len(v.claims) > 0 {
		r.Origin = v.claims[0].Origin
		r.Signed = min(v.claims[0].Size, r.Count)
	}
	if v.texts != nil {
		r.Texts = v.texts.good
	}
	if f != nil {
		r.Code, r.FirstBad, r.Problem = f.code, f.seq, f.problem
		r.Expected, r.Found = f.expected, f.found
	}
	return r
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func hexOf(h [32]byte) string { return hex.EncodeToString(h[:]) }
