package intake

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
)

// Signature is how one tool signs what it sends.
type Signature struct {
	Header  string                                          // that carries the signature
	Genuine func(key string, body []byte, sent string) bool // whether sent is the signature of body with key
}

// Gate lets in whole requests of known senders: a bearer token, or a signature
// of the raw body in SignatureHeader or as the tool signs. Several tokens and
// keys hold while one is being replaced.
type Gate struct {
	Tokens []string
	Keys   []string
	Vendor *Signature // nil: SignatureHeader alone
	Max    int64      // bytes of a body, 0 is MaxBody
}

// Check finds what is wrong with the gate: without a token or key anybody could
// send, and short ones can be guessed.
func (g Gate) Check() error {
	if len(g.Tokens)+len(g.Keys) == 0 {
		return errors.New("a token or a key is needed, else anybody could send")
	}
	for _, secret := range append(append([]string(nil), g.Tokens...), g.Keys...) {
		if err := CheckSecret(secret); err != nil {
			return err
		}
	}
	return nil
}

func (g Gate) max() int64 {
	if g.Max == 0 {
		return MaxBody
	}
	return g.Max
}

// RefusalError is an answer that says what to do.
type RefusalError struct {
	Status int // of HTTP
	Text   string
}

// Error returns the text.
func (r *RefusalError) Error() string { return r.Text }

// Read authenticates a request over its raw body and returns the body. Every
// error is a *RefusalError. The body of a request that brings nothing to be checked
// is never read.
func (g Gate) Read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return nil, &RefusalError{http.StatusMethodNotAllowed, "use POST"}
	}
	if !g.mayKnock(r) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="dw intake"`)
		return nil, &RefusalError{http.StatusUnauthorized, "send Authorization: Bearer TOKEN, or " + g.signing()}
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, &RefusalError{http.StatusUnsupportedMediaType, "send Content-Type: application/json"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, g.max()))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, &RefusalError{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes: send fewer events at once", g.max())}
	case err != nil:
		return nil, &RefusalError{http.StatusBadRequest, "the body could not be read"}
	case !g.genuine(r, body):
		return nil, &RefusalError{http.StatusUnauthorized, "the token or signature is not one that dw accepts"}
	}
	return body, nil
}

func (g Gate) signing() string {
	if g.Vendor != nil {
		return g.Vendor.Header + ", the tool's own signature"
	}
	return SignatureHeader + ": v1=HEX, the HMAC-SHA256 of the body"
}

// WriteJSON answers a request with a value. The sender may have gone; what was
// taken in stays taken in.
func WriteJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// WriteRefusal answers with what to do.
func WriteRefusal(w http.ResponseWriter, no *RefusalError) {
	WriteJSON(w, no.Status, map[string]string{"error": no.Text})
}
