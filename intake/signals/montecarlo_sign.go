package signals

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// MonteCarloHeader carries the HMAC-SHA512, in hex, of Monte Carlo's webhooks.
const MonteCarloHeader = "x-mcd-signature"

// monteCarloGenuine checks the signature as docs.getmontecarlo.com/docs/webhooks
// describes it: not over the raw body, but over its top-level keys and values as
// Python's urllib.parse.urlencode writes them.
func monteCarloGenuine(key string, body []byte, sent string) bool {
	got, err := hex.DecodeString(strings.TrimSpace(sent))
	if err != nil || len(got) != sha512.Size {
		return false
	}
	text, err := urlencoded(body)
	if err != nil {
		return false
	}
	mac := hmac.New(sha512.New, []byte(key))
	mac.Write([]byte(text))
	return hmac.Equal(got, mac.Sum(nil))
}

// SignMonteCarlo returns the signature of a body that is a JSON object, for
// tests and for those who send in Monte Carlo's place.
func SignMonteCarlo(key string, body []byte) (string, error) {
	text, err := urlencoded(body)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha512.New, []byte(key))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// urlencoded is urllib.parse.urlencode(json.loads(body)) for an object.
func urlencoded(body []byte) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	value, err := pythonValue(dec, 0)
	if err != nil {
		return "", fmt.Errorf("read the body: %w", err)
	}
	object, ok := value.(pythonDict)
	if !ok {
		return "", errors.New("the body is not a JSON object")
	}
	parts := make([]string, 0, len(object.keys))
	for _, key := range object.keys {
		parts = append(parts, url.QueryEscape(key)+"="+url.QueryEscape(pythonStr(object.values[key])))
	}
	return strings.Join(parts, "&"), nil
}
