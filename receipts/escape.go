package receipts

import (
	"fmt"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendString writes s as RFC 8785 does: the two-character escapes, \u00xx
// for the other control characters, everything else as it is.
func appendString(dst []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("%w: string is not valid UTF-8", ErrValue)
	}
	dst = append(dst, '"')
	start := 0
	for i := 0; ; i++ {
		i = nextEscape(s, i)
		dst = append(dst, s[start:i]...)
		if i == len(s) {
			return append(dst, '"'), nil
		}
		dst = appendEscape(dst, s[i])
		start = i + 1
	}
}

// nextEscape returns the index of the first byte of s, from at on, that is not
// written as it is, or len(s). It looks at eight bytes at a time: a byte below 0x20
// borrows in the subtraction, and one that equals a mark is zero after the xor.
func nextEscape(s string, at int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; at+8 <= len(s); at += 8 {
		w := uint64(s[at]) | uint64(s[at+1])<<8 | uint64(s[at+2])<<16 | uint64(s[at+3])<<24 |
			uint64(s[at+4])<<32 | uint64(s[at+5])<<40 | uint64(s[at+6])<<48 | uint64(s[at+7])<<56
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		if ((w-ones*0x20)&^w|(quote-ones)&^quote|(slash-ones)&^slash)&highs != 0 {
			break
		}
	}
	for ; at < len(s); at++ {
		if c := s[at]; c < 0x20 || c == '"' || c == '\\' {
			break
		}
	}
	return at
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\f':
		return append(dst, '\\', 'f')
	case '\r':
		return append(dst, '\\', 'r')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
}
