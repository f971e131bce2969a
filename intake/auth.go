package intake

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
)

// SignatureHeader carries `v1=` and the HMAC-SHA256 of the raw body, in hex.
const SignatureHeader = "X-Dw-Signature"

// mayKnock reports whether a request brings something to be checked at all, so
// that the body of one that does not is never read.
func (g Gate) mayKnock(r *http.Request) bool {
	signed := r.Header.Get(SignatureHeader) != "" || g.Vendor != nil && r.Header.Get(g.Vendor.Header) != ""
	return g.goodToken(r) || len(g.Keys) > 0 && signed
}

// genuine checks the bearer token, or else the signature of the body. Each
// header may stand there once.
func (g Gate) genuine(r *http.Request, body []byte) bool {
	return g.goodToken(r) || g.goodSignature(r, body) || g.goodVendor(r, body)
}

func (g Gate) goodToken(r *http.Request) bool { return BearerIsOneOf(r, g.Tokens) }

func (g Gate) goodSignature(r *http.Request, body []byte) bool {
	values := r.Header.Values(SignatureHeader)
	if len(values) != 1 {
		return false
	}
	text, ok := strings.CutPrefix(values[0], "v1=")
	got, err := hex.DecodeString(text)
	if !ok || err != nil || len(got) != sha256.Size {
		return false
	}
	good := false
	for _, key := range g.Keys {
		good = hmac.Equal(got, sign(key, body)) || good
	}
	return good
}

// goodVendor checks the signature that the tool itself makes, with each key.
func (g Gate) goodVendor(r *http.Request, body []byte) bool {
	if g.Vendor == nil {
		return false
	}
	values := r.Header.Values(g.Vendor.Header)
	if len(values) != 1 {
		return false
	}
	good := false
	for _, key := range g.Keys {
		good = g.Vendor.Genuine(key, body, values[0]) || good
	}
	return good
}

func sign(key string, body []byte) []byte {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(body)
	return mac.Sum(nil)
}

// Sign returns the value of SignatureHeader for a body, for those who send.
func Sign(key string, body []byte) string { return "v1=" + hex.EncodeToString(sign(key, body)) }
