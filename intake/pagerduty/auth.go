package pagerduty

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
)

// SignatureHeader carries one `v1=` and HMAC-SHA256 of the raw body, in hex, for
// each of the subscription's secrets, with commas between them.
const SignatureHeader = "X-PagerDuty-Signature"

// maxSignatures bounds how many signatures of a request are looked at.
const maxSignatures = 8

// signatures returns the well-formed v1 signatures of a request.
func signatures(r *http.Request) [][]byte {
	var out [][]byte
	for _, text := range strings.SplitN(strings.Join(r.Header.Values(SignatureHeader), ","), ",", maxSignatures+1) {
		hexed, ok := strings.CutPrefix(strings.TrimSpace(text), "v1=")
		sum, err := hex.DecodeString(hexed)
		if ok && err == nil && len(out) < maxSignatures {
			out = append(out, sum)
		}
	}
	return out
}

// genuine reports whether one signature is that of one secret. Each pair is
// compared, in constant time.
func (h *Handler) genuine(sent [][]byte, body []byte) bool {
	good := false
	for _, secret := range h.opts.Secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		want := mac.Sum(nil)
		for _, got := range sent {
			good = hmac.Equal(got, want) || good
		}
	}
	return good
}
