package receipts

import (
	"crypto/sha256"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// Hash is a hash of the RFC 6962 tree.
type Hash = tlog.Hash

// HashReader reads hashes of the tree by their storage index; the index of a
// receipt's first hash is FirstIndex of its seq.
type HashReader = tlog.HashReader

// FirstIndex returns the storage index of the first of the hashes that
// StoredHashes returns for the receipt seq; the others follow it.
func FirstIndex(seq int64) int64 {
	return tlog.StoredHashCount(seq - 1)
}

// StoredHashes returns the hashes to store when the receipt seq, counted from
// 1, with this leaf hash joins the tree: its leaf and each subtree it
// completes. It reads from r the hashes of earlier receipts only.
func StoredHashes(seq int64, leaf [32]byte, r tlog.HashReader) ([]tlog.Hash, error) {
	if seq < 1 {
		return nil, fmt.Errorf("tree hashes of receipt %d: seq starts at 1", seq)
	}
	hashes, err := tlog.StoredHashesForRecordHash(seq-1, leaf, r)
	if err != nil {
		return nil, fmt.Errorf("tree hashes of receipt %d: %w", seq, err)
	}
	return hashes, nil
}

// Root returns the root hash of the tree over the first size receipts.
func Root(size int64, r tlog.HashReader) (tlog.Hash, error) {
	if size < 0 {
		return tlog.Hash{}, fmt.Errorf("tree root: negative size %d", size)
	}
	root, err := tlog.TreeHash(size, r)
	if err != nil {
		return tlog.Hash{}, fmt.Errorf("tree root of %d receipts: %w", size, err)
	}
	return root, nil
}

// frontier computes roots while leaves stream by. It keeps the perfect
// subtrees that cover the leaves so far, largest first: one per bit of size.
type frontier struct {
	size     int64
	subtrees []tlog.Hash
}

func (f *frontier) add(leaf tlog.Hash) {
	f.subtrees = append(f.subtrees, leaf)
	for n := f.size; n&1 == 1; n >>= 1 {
		last := len(f.subtrees) - 1
		f.subtrees[last-1] = nodeHash(f.subtrees[last-1], f.subtrees[last])
		f.subtrees = f.subtrees[:last]
	}
	f.size++
}

// nodeHash is tlog.NodeHash without its allocations: a verification makes one for
// each receipt.
func nodeHash(left, right tlog.Hash) tlog.Hash {
	var buf [1 + 2*sha256.Size]byte
	buf[0] = 0x01
	copy(buf[1:], left[:])
	copy(buf[1+sha256.Size:], right[:])
	return sha256.Sum256(buf[:])
}

func (f *frontier) root() tlog.Hash {
	last := len(f.subtrees) - 1
	if last < 0 {
		return sha256.Sum256(nil)
	}
	root := f.subtrees[last]
	for i := last - 1; i >= 0; i-- {
		root = tlog.NodeHash(f.subtrees[i], root)
	}
	return root
}
