package intake

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"strings"
)

// BearerIsOneOf reports whether a request carries, in its one Authorization
// header, one of the bearer tokens. It compares hashes, so that neither content
// nor length shows in time.
func BearerIsOneOf(r *http.Request, tokens []string) bool {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return false
	}
	got, good := sha256.Sum256([]byte(token)), 0
	for _, t := range tokens {
		want := sha256.Sum256([]byte(t))
		good |= subtle.ConstantTimeCompare(got[:], want[:])
	}
	return good == 1
}

// CheckSecret refuses a token that could be guessed.
func CheckSecret(secret string) error {
	if len(secret) < minSecret {
		return fmt.Errorf("a token or key has %d characters, at least %d are needed", len(secret), minSecret)
	}
	return nil
}
