package receipts

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// writeProven writes the first line of a bundle, which says what it holds, and
// one line for each receipt.
func writeProven(w io.Writer, incident string, picked []proven) error {
	if _, err := w.Write(bundleHeader(incident, len(picked))); err != nil {
		return err
	}
	for _, p := range picked {
		if _, err := w.Write(appendProven(nil, p)); err != nil {
			return err
		}
	}
	return nil
}

func bundleHeader(incident string, count int) []byte {
	name, err := Canonical(Object{"bundle": "urn:dw:bundle:v1", "count": count, "incident": incident})
	if err != nil {
		return nil // an incident's id is plain text; the reader refuses an empty line
	}
	return append(name, '\n')
}

// appendProven writes p as one line: its seq, its bytes, and the hashes of the
// proof in hex, from its neighbour up to the root.
func appendProven(dst []byte, p proven) []byte {
	proof := make([]string, len(p.proof))
	for n, h := range p.proof {
		proof[n] = hexOf(h)
	}
	return fmt.Appendf(dst, `{"seq":"%d","bytes":"%s","proof":"%s"}`+"\n",
		p.Seq, base64.StdEncoding.EncodeToString(p.Bytes), strings.Join(proof, " "))
}

// parseProven reads one line, without its newline, in exactly the form that
// appendProven writes.
func parseProven(line []byte) (proven, error) {
	l := fields{rest: line}
	var p proven
	p.Seq = parseSeq(l.next(`{"seq":"`))
	body := l.next(`,"bytes":"`)
	proof := l.next(`,"proof":"`)
	if l.failed || string(l.rest) != "}" || p.Seq == 0 {
		return proven{}, fmt.Errorf("%w: not an object of seq, bytes and proof as dw writes it", ErrMalformed)
	}
	var err error
	if p.Bytes, err = decodeBase64(body); err != nil {
		return proven{}, fmt.Errorf("%w bytes: %w", ErrMalformed, err)
	}
	p.Leaf = LeafHash(p.Bytes)
	p.proof, err = parseProof(proof)
	return p, err
}

const maxProof = 63 // hashes from a leaf to the root of the largest tree

func parseProof(text []byte) (tlog.RecordProof, error) {
	if len(text) == 0 {
		return nil, nil // the only receipt of a log needs none
	}
	words := bytes.Split(text, []byte(" "))
	if len(words) > maxProof {
		return nil, fmt.Errorf("%w proof: %d hashes", ErrMalformed, len(words))
	}
	proof := make(tlog.RecordProof, len(words))
	for n, word := range words {
		l := fields{rest: append(append([]byte(`"`), word...), '"')}
		var h [32]byte
		l.hash(&h, `"`)
		if l.failed {
			return nil, fmt.Errorf("%w proof: %w", ErrMalformed, errors.New("not a hash in hex"))
		}
		proof[n] = h
	}
	return proof, nil
}
