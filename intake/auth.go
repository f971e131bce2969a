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
func (h *Handler) mayKnock(r *http.Request) bool {
	return h.goodToken(r) || len(h.opts.Keys) > 0 && r.Header.Get(SignatureHeader) != ""
}

// genuine checks the bearer token, or else the signature of the body. Each
// header may stand there once.
func (h *Handler) genuine(r *http.Request, body []byte) bool {
	return h.goodToken(r) || h.goodSignature(r, body)
}

func (h *Handler) goodToken(r *http.Request) bool { return BearerIsOneOf(r, h.opts.Tokens) }

func (h *Handler) goodSignature(r *http.Request, body []byte) bool {
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
	for _, key := range h.opts.Keys {
		good = hmac.Equal(got, sign(key, body)) || good
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
