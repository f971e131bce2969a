package receipts

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Decode reads canonical bytes back for printing. It returns strings, bools,
// []Value and Object only, and accepts exactly what Canonical writes: duplicate
// or unsorted keys, spare white space, other escapes, numbers, null and
// trailing bytes are errors. Verification never needs it.
func Decode(b []byte) (Object, error) {
	var v Value
	if err := json.Unmarshal(b, &v); err != nil {
		return nil, fmt.Errorf("decode receipt: %w", err)
	}
	o, ok := v.(Object)
	if !ok {
		return nil, fmt.Errorf("decode receipt: want an object, found %T", v)
	}
	// encoding/json forgives much (it keeps the last of two equal keys and
	// mends broken text); encoding again and comparing forgives nothing.
	again, err := Canonical(o)
	if err != nil {
		return nil, fmt.Errorf("decode receipt: %w", err)
	}
	if at, same := firstDifference(b, again); !same {
		return nil, fmt.Errorf("decode receipt: not canonical from byte %d on"+
			" (a duplicate or unsorted key, white space, or another escape)", at)
	}
	return o, nil
}

// firstDifference returns the offset at which a and b part, and whether they
// are equal.
func firstDifference(a, b []byte) (int, bool) {
	if bytes.Equal(a, b) {
		return len(a), true
	}
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i, false
		}
	}
	return n, false
}
