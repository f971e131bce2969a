package receipts

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
)

// appendLine writes e as one line of receipts.ndjson.
func appendLine(dst []byte, e Entry) []byte {
	return fmt.Appendf(dst, `{"seq":"%d","bytes":"%s","leaf_hash":"%x","prev_hash":"%x","chain_hash":"%x"}`+"\n",
		e.Seq, base64.StdEncoding.EncodeToString(e.Bytes), e.Leaf, e.Prev, e.Chain)
}

// parseLine reads one line, without its newline, in exactly the form that
// appendLine writes, so that a line has one spelling and decoding costs little.
func parseLine(line []byte) (Entry, error) {
	l := fields{rest: line}
	var e Entry
	e.Seq = parseSeq(l.next(`{"seq":"`))
	body := l.next(`,"bytes":"`)
	l.hash(&e.Leaf, `,"leaf_hash":"`)
	l.hash(&e.Prev, `,"prev_hash":"`)
	l.hash(&e.Chain, `,"chain_hash":"`)
	if l.failed || string(l.rest) != "}" || e.Seq == 0 {
		return Entry{}, fmt.Errorf("%w: not an object of seq, bytes, leaf_hash, prev_hash and chain_hash as dw writes it", ErrMalformed)
	}
	var err error
	if e.Bytes, err = decodeBase64(body); err != nil {
		return Entry{}, fmt.Errorf("%w bytes: %w", ErrMalformed, err)
	}
	return e, nil
}

// decodeBase64 is strict: the decoder of the standard library passes over
// carriage returns, which would give one receipt several spellings.
func decodeBase64(text []byte) ([]byte, error) {
	if bytes.IndexByte(text, '\r') >= 0 {
		return nil, errors.New("carriage return in base64")
	}
	out := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Strict().Decode(out, text)
	return out[:n], err
}

// fields cuts a line into its values; after a failure it yields nothing.
type fields struct {
	rest   []byte
	failed bool
}

// next takes prefix, then returns what stands before the closing quote.
func (f *fields) next(prefix string) []byte {
	after, ok := bytes.CutPrefix(f.rest, []byte(prefix))
	value, rest, closed := bytes.Cut(after, []byte{'"'})
	if f.failed || !ok || !closed {
		f.failed = true
		return nil
	}
	f.rest = rest
	return value
}

// hash takes 64 lower-case hex digits.
func (f *fields) hash(dst *[32]byte, prefix string) {
	text := f.next(prefix)
	if len(text) != hex.EncodedLen(len(dst)) || bytes.ContainsAny(text, "ABCDEF") {
		f.failed = true
		return
	}
	if _, err := hex.Decode(dst[:], text); err != nil {
		f.failed = true
	}
}
