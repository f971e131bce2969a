package receipts

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"iter"

	"golang.org/x/mod/sumdb/tlog"
)

// BundleReceipts is the file of a bundle that holds its receipts; checkpoint and
// public_key are as in an export.
const BundleReceipts = "bundle.ndjson"

// bundleReadme is the same in every bundle of format 1.
//
//go:embed bundle.txt
var bundleReadme []byte

// ErrNothing says that no receipt of an incident can be bundled.
var ErrNothing = errors.New("no signed receipt is of this incident")

// Bundled counts what a bundle holds: receipts with proofs, and those that came
// after the checkpoint and are left out, because nothing is signed over them yet.
type Bundled struct {
	Receipts int
	Unsigned int
}

// proven is a receipt with the hashes that lead from its leaf to the root.
type proven struct {
	Entry

	proof tlog.RecordProof
}

// WriteBundle writes the receipts of one incident out of src, which yields the
// whole log from seq 1, into dir, made if missing: each with its inclusion proof
// under the checkpoint, so that they can be checked without the others. It
// refuses what WriteExport refuses, and an incident without a signed receipt.
// That nothing of the incident was left out cannot be proven by a part of a log.
func WriteBundle(dir, incident string, src iter.Seq2[Entry, error], checkpoint []byte, verifierKey string) (Bundled, error) {
	count, err := writeBundle(dir, incident, src, checkpoint, verifierKey)
	if err != nil {
		return Bundled{}, fmt.Errorf("bundle the receipts of %s to %s: %w", incident, dir, err)
	}
	return count, nil
}

func writeBundle(dir, incident string, src iter.Seq2[Entry, error], checkpoint []byte, verifierKey string) (Bundled, error) {
	switch {
	case verifierKey == "":
		return Bundled{}, fmt.Errorf("public key: %w: it is empty", ErrMalformed)
	case incident == "":
		return Bundled{}, errors.New("name an incident")
	}
	c, err := OpenCheckpoint(checkpoint, verifierKey)
	if err != nil {
		return Bundled{}, err
	}
	picked, tree, count, err := pick(src, incident, c.Size)
	if err != nil {
		return Bundled{}, err
	}
	if len(picked) == 0 {
		return Bundled{}, ErrNothing
	}
	for n := range picked {
		if picked[n].proof, err = tlog.ProveRecord(c.Size, picked[n].Seq-1, tree); err != nil {
			return Bundled{}, fmt.Errorf("prove receipt %d: %w", picked[n].Seq, err)
		}
	}
	if err := makeEmptyDir(dir); err != nil {
		return Bundled{}, err
	}
	return count, writeParts(dir, []part{
		{BundleReceipts, func(w io.Writer) error { return writeProven(w, incident, picked) }},
		{ExportCheckpoint, writeBytes(checkpoint)},
		{ExportPublicKey, writeBytes([]byte(verifierKey + "\n"))},
		{ExportReadme, writeBytes(bundleReadme)},
	})
}

// pick reads the log, keeps the incident's receipts below size and builds the
// tree of the first size receipts: 64 bytes of memory for each of them.
func pick(src iter.Seq2[Entry, error], incident string, size int64) ([]proven, tlog.HashReader, Bundled, error) {
	var picked []proven
	var hashes growingTree
	var count Bundled
	for e, err := range src {
		if err != nil {
			return nil, nil, count, fmt.Errorf("read receipts: %w", err)
		}
		about, err := incidentOf(e)
		if err != nil {
			return nil, nil, count, err
		}
		switch {
		case e.Seq > size && about == incident:
			count.Unsigned++
		case e.Seq <= size:
			if err := hashes.add(e); err != nil {
				return nil, nil, count, err
			}
			if about == incident {
				picked = append(picked, proven{Entry: e})
				count.Receipts++
			}
		}
	}
	return picked, hashes, count, nil
}

// incidentOf returns the incident that a receipt names.
func incidentOf(e Entry) (string, error) {
	statement, err := Decode(e.Bytes)
	if err != nil {
		return "", fmt.Errorf("read receipt %d: %w", e.Seq, err)
	}
	predicate, _ := statement["predicate"].(Object)
	incident, _ := predicate["incident"].(string)
	return incident, nil
}

// growingTree keeps the tree's stored hashes in memory.
type growingTree []tlog.Hash

func (t *growingTree) add(e Entry) error {
	hashes, err := StoredHashes(e.Seq, e.Leaf, *t)
	*t = append(*t, hashes...)
	return err
}

// ReadHashes meets tlog.HashReader.
func (t growingTree) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for n, index := range indexes {
		if index < 0 || index >= int64(len(t)) {
			return nil, fmt.Errorf("the log holds fewer receipts than its checkpoint says: no tree hash %d", index)
		}
		out[n] = t[index]
	}
	return out, nil
}
