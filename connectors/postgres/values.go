package postgres

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// decode reads a value as PostgreSQL wrote it. What has no exact equal in
// checks.Rows stays the text that PostgreSQL wrote: a numeric with a fraction,
// an infinite time, a time before our era, an interval, JSON, an array. A
// timestamp or date without a zone is taken to be in UTC.
func decode(of uint32, text []byte) (any, error) {
	if text == nil {
		return nil, nil //nolint:nilnil // NULL is nil
	}
	value := string(text)
	switch of {
	case typeBool:
		return value == "t", nil
	case typeInt2, typeInt4, typeInt8, typeOID:
		return number(strconv.ParseInt(value, 10, 64))
	case typeFloat4, typeFloat8:
		return number(strconv.ParseFloat(value, 64))
	case typeNumeric:
		return numeric(value), nil
	case typeBytes:
		return bytesOf(value)
	case typeTimestamp, typeTimeTZ, typeDate:
		return timeOf(value), nil
	}
	if !utf8.ValidString(value) {
		return text, nil
	}
	return value, nil
}

func number[N int64 | float64](n N, err error) (any, error) {
	if err != nil {
		return nil, fmt.Errorf("read a number: %w", err)
	}
	return n, nil
}

// numeric is a whole number where it is one that fits, else the exact text: a
// float64 would round it. NaN and Infinity stay text too.
func numeric(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	return text
}

func bytesOf(text string) (any, error) {
	digits, found := strings.CutPrefix(text, `\x`)
	if !found {
		return nil, fmt.Errorf("read bytes: %q… is not in hex", text[:min(len(text), 8)])
	}
	content, err := hex.DecodeString(digits)
	if err != nil {
		return nil, fmt.Errorf("read bytes: %w", err)
	}
	return content, nil
}

// timeOf reads a time in DateStyle ISO, whose session is in UTC. Infinity, and
// years that Go does not read, stay text.
func timeOf(text string) any {
	for _, layout := range []string{"2006-01-02 15:04:05Z07", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	return text
}
