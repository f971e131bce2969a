package slackdev

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// marshalPlain encodes without the escapes that JSON in HTML would need, so
// that lengths are those of the text that was sent.
func marshalPlain(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode JSON: %w", err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
