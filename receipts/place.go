package receipts

import (
	"bytes"
	"errors"
	"strconv"
)

// place is what a receipt's own bytes say of where it belongs.
type place struct {
	seq      int64
	instance []byte
	kind     []byte
}

var errNoPlace = errors.New("the bytes do not name one predicate.seq and predicate.instance")

// readPlace finds predicate.seq and predicate.instance in canonical bytes. It
// walks the text without building values, because decoding every receipt would
// cost many times its hash. It is no validator: the hashes vouch for the rest.
func readPlace(b []byte) (place, error) {
	var p place
	var predicates, seqs, instances int
	s := scanner{b: b}
	ok := s.object(func(key []byte) bool {
		if string(key) != "predicate" {
			return s.skip()
		}
		predicates++
		return s.object(func(key []byte) bool {
			var text []byte
			var ok bool
			switch string(key) {
			case "seq":
				seqs++
				text, ok = s.text()
				p.seq = parseSeq(text)
			case "kind":
				p.kind, ok = s.text()
			case "instance":
				instances++
				p.instance, ok = s.text()
			default:
				ok = s.skip()
			}
			return ok
		})
	})
	if !ok || s.at != len(b) || predicates != 1 || seqs != 1 || instances != 1 {
		return place{}, errNoPlace
	}
	return p, nil
}

// parseSeq returns 0, which is no seq, unless text is a positive decimal
// without sign or leading zeros.
func parseSeq(text []byte) int64 {
	if len(text) == 0 || text[0] < '1' || text[0] > '9' {
		return 0
	}
	if len(text) > 18 { // it may not fit
		n, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil {
			return 0
		}
		return n
	}
	n := int64(0)
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int64(c-'0')
	}
	return n
}

// scanner walks canonical JSON; each method reports whether it could.
type scanner struct {
	b  []byte
	at int
}

func (s *scanner) take(c byte) bool {
	if s.at < len(s.b) && s.b[s.at] == c {
		s.at++
		return true
	}
	return false
}

// object calls member after each key; member must consume the value.
func (s *scanner) object(member func(key []byte) bool) bool {
	if !s.take('{') {
		return false
	}
	if s.take('}') {
		return true
	}
	for {
		key, ok := s.text()
		if !ok || !s.take(':') || !member(key) {
			return false
		}
		if !s.take(',') {
			return s.take('}')
		}
	}
}

// text returns what stands between the quotes, escapes and all.
func (s *scanner) text() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	start := s.at
	for {
		i := bytes.IndexByte(s.b[s.at:], '"')
		if i < 0 {
			return nil, false
		}
		s.at += i + 1
		if end := s.at - 1; !escaped(s.b[start:end]) {
			return s.b[start:end], true
		}
	}
}

// escaped reports whether what follows text is escaped by its last byte: an
// odd number of backslashes.
func escaped(text []byte) bool {
	odd := false
	for i := len(text) - 1; i >= 0 && text[i] == '\\'; i-- {
		odd = !odd
	}
	return odd
}

// skip passes one value.
func (s *scanner) skip() bool {
	if s.at == len(s.b) {
		return false
	}
	switch s.b[s.at] {
	case '"':
		_, ok := s.text()
		return ok
	case '{', '[':
		return s.nested()
	}
	return s.word("true") || s.word("false")
}

func (s *scanner) word(w string) bool {
	if !bytes.HasPrefix(s.b[s.at:], []byte(w)) {
		return false
	}
	s.at += len(w)
	return true
}

// nested passes an object or array by counting brackets, without recursion.
func (s *scanner) nested() bool {
	for depth := 0; s.at < len(s.b); {
		switch s.b[s.at] {
		case '"':
			if _, ok := s.text(); !ok {
				return false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.at++
		if depth == 0 {
			return true
		}
	}
	return false
}
