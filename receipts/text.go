package receipts

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// FreeText is what a person wrote, such as the reason of a rejection. A receipt
// holds its salted hash only; the text and the salt are kept beside the log, where
// they can be deleted without breaking it. Canonical refuses a FreeText: Seal
// replaces it first.
type FreeText string

// saltSize is the length in bytes of a text's salt: without it the hash of a
// short text could be guessed.
const saltSize = 32

const textDomain = "dw/text/v1\n"

// textKey is the one key of the object that stands for a text in a receipt.
const textKey = "text_sha256"

// ErrText reports a text that is not the one a receipt holds the hash of.
var ErrText = errors.New("the text does not belong to the receipt")

// Text is the text of one field of a receipt with its salt. Field is the path of
// the field within the receipt's body, keys joined by "/".
type Text struct {
	Field string
	Salt  [saltSize]byte
	Text  string
}

// Hash returns SHA-256("dw/text/v1\n" || salt || text), which is what the receipt
// holds in hex.
func (t Text) Hash() [32]byte {
	b := append([]byte(textDomain), t.Salt[:]...)
	return sha256.Sum256(append(b, t.Text...))
}

// Sealer readies drafts for the log: it takes secrets out and puts hashes in the
// place of free texts. Rand gives the salts and is required.
type Sealer struct {
	Redactor *Redactor
	Rand     io.Reader
}

// Seal returns d as it is to be appended, and the texts to keep beside the log,
// in the order of their fields. An empty text has nothing to hide and becomes "".
func (s Sealer) Seal(d Draft) (Draft, []Text, error) {
	d = s.Redactor.Draft(d)
	p := sealing{rand: s.Rand}
	body, err := p.value(d.Body, "", 0)
	if err != nil {
		return Draft{}, nil, fmt.Errorf("seal the texts of a %s receipt: %w", d.Kind, err)
	}
	d.Body, _ = body.(Object)
	slices.SortFunc(p.texts, func(a, b Text) int { return strings.Compare(a.Field, b.Field) })
	return d, p.texts, nil
}

// sealing walks one body.
type sealing struct {
	rand  io.Reader
	texts []Text
}

func (p *sealing) value(v Value, at string, depth int) (Value, error) {
	if depth > maxDepth {
		return v, nil // the encoder refuses it
	}
	switch v := v.(type) {
	case FreeText:
		return p.seal(v, at)
	case Object:
		out := make(Object, len(v))
		for key, member := range v {
			sealed, err := p.value(member, join(at, key), depth+1)
			if err != nil {
				return nil, err
			}
			out[key] = sealed
		}
		return out, nil
	case []Value:
		out := make([]Value, len(v))
		for n, item := range v {
			sealed, err := p.value(item, join(at, fmt.Sprint(n)), depth+1)
			if err != nil {
				return nil, err
			}
			out[n] = sealed
		}
		return out, nil
	}
	return v, nil
}

func (p *sealing) seal(v FreeText, at string) (Value, error) {
	if v == "" {
		return "", nil
	}
	t := Text{Field: at, Text: string(v)}
	if _, err := io.ReadFull(p.rand, t.Salt[:]); err != nil {
		return nil, fmt.Errorf("read a salt: %w", err)
	}
	p.texts = append(p.texts, t)
	hash := t.Hash()
	return Object{textKey: hexOf(hash)}, nil
}

func join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "/" + key
}

// SealedFields returns the hashes of the texts that a receipt, given by its
// bytes, stands for: by field, in hex.
func SealedFields(receipt []byte) (map[string]string, error) {
	statement, err := Decode(receipt)
	if err != nil {
		return nil, err
	}
	predicate, _ := statement["predicate"].(Object)
	fields := map[string]string{}
	collectSealed(predicate["body"], "", fields)
	return fields, nil
}

func collectSealed(v Value, at string, fields map[string]string) {
	switch v := v.(type) {
	case Object:
		if hash, ok := v[textKey].(string); ok && len(v) == 1 {
			fields[at] = hash
			return
		}
		for key, member := range v {
			collectSealed(member, join(at, key), fields)
		}
	case []Value:
		for n, item := range v {
			collectSealed(item, join(at, fmt.Sprint(n)), fields)
		}
	}
}

// CheckText returns an error that wraps ErrText unless t is the text that the
// receipt, given by its bytes, holds the hash of.
func CheckText(receipt []byte, t Text) error {
	fields, err := SealedFields(receipt)
	if err != nil {
		return err
	}
	want, err := hex.DecodeString(fields[t.Field])
	got := t.Hash()
	if err != nil || subtle.ConstantTimeCompare(want, got[:]) != 1 {
		return fmt.Errorf("%w: field %q, the receipt holds %q", ErrText, t.Field, fields[t.Field])
	}
	return nil
}

// appendText writes the text of receipt seq as one line of texts.ndjson.
func appendText(dst []byte, seq int64, t Text) ([]byte, error) {
	line, err := Canonical(Object{"seq": seq, "field": t.Field, "salt": hex.EncodeToString(t.Salt[:]), "text": t.Text})
	if err != nil {
		return nil, fmt.Errorf("write text %q of receipt %d: %w", t.Field, seq, err)
	}
	return append(append(dst, line...), '\n'), nil
}

// parseText reads one line, without its newline, in exactly the form that
// appendText writes.
func parseText(line []byte) (int64, Text, error) {
	o, err := Decode(line)
	if err != nil {
		return 0, Text{}, err
	}
	said := func(key string) string { text, _ := o[key].(string); return text }
	seq, t := parseSeq([]byte(said("seq"))), Text{Field: said("field"), Text: said("text")}
	salt, err := hex.DecodeString(said("salt"))
	if err != nil || len(salt) != saltSize || seq == 0 {
		return 0, Text{}, fmt.Errorf("%w: not an object of seq, field, salt and text as dw writes it", ErrMalformed)
	}
	copy(t.Salt[:], salt)
	if again, err := appendText(nil, seq, t); err != nil || !bytes.Equal(again[:len(again)-1], line) {
		return 0, Text{}, fmt.Errorf("%w: not written as dw writes it", ErrMalformed)
	}
	return seq, t, nil
}
