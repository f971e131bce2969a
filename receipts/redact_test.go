package receipts

import (
	"maps"
	"strings"
	"testing"
)

func TestRedactorText(t *testing.T) {
	t.Parallel()
	r := NewRedactor("hunter2-canary", "hunter2-canary-longer", "short")
	pem := "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIA==\n-----END EC PRIVATE KEY-----"
	cases := map[string]struct{ text, want, rule string }{
		"configured":              {"say hunter2-canary!", "say [redacted:configured_secret]!", RuleConfigured},
		"a longer one holds it":   {"hunter2-canary-longer", "[redacted:configured_secret]", RuleConfigured},
		"bot token":               {"xoxb-" + "1234-abcDEF9 ok", "[redacted:slack_token] ok", RuleSlackToken},
		"app token":               {"t=xapp-" + "1-A0-999-ffee", "t=[redacted:slack_token]", RuleSlackToken},
		"AWS key":                 {"AKIA" + "IOSFODNN7EXAMPLE.", "[redacted:aws_access_key].", RuleAWSKey},
		"JWT":                     {"is eyJhbGciOiJI.eyJzdWIiOiIx.SflKxw-_", "is [redacted:jwt]", RuleJWT},
		"PEM":                     {"a " + pem + " b", "a [redacted:private_key] b", RulePrivateKey},
		"PEM cut off":             {pem[:40], "[redacted:private_key]", RulePrivateKey},
		"dw's own key":            {"PRIVATE+KEY+dw/a+0b1c+AbCd+/=", "[redacted:private_key]", RulePrivateKey},
		"URL with a password":     {"postgres://u:p%40ss@db.example/x", "postgres://[redacted:url_userinfo]@db.example/x", RuleUserinfo},
		"URL with a user":         {"https://token@host/", "https://[redacted:url_userinfo]@host/", RuleUserinfo},
		"bearer":                  {"Authorization: Bearer abc.DEF-123==", "Authorization: Bearer [redacted:bearer_token]", RuleBearer},
		"a person who is bearer":  {"the bearer certificate", "the bearer certificate", ""},
		"an address is no secret": {"https://example.com/a?at=x@y and a@b.c", "https://example.com/a?at=x@y and a@b.c", ""},
		"a short value is a word": {"shorter", "shorter", ""},
		"a hash is no secret":     {strings.Repeat("0a1b", 16), strings.Repeat("0a1b", 16), ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, found := r.Text(c.text)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			want := map[string]int{c.rule: 1}
			if c.rule == "" {
				want = nil
			}
			if !maps.Equal(found, want) {
				t.Errorf("rules %v, want %v", found, want)
			}
		})
	}
}

// TestRedactionIsRecorded: no string of a draft, wherever it stands, keeps a
// secret, and the receipt says which rule took out how many before it was hashed.
func TestRedactionIsRecorded(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-canary"
	d := testDraft(0)
	d.Incident, d.Proposal, d.Actor.Name, d.Actor.User = secret, secret, secret, secret
	d.Subject = []Subject{{Name: "db://" + secret, Digest: strings.Repeat("0", 64)}}
	d.Body = Object{
		"text": "a " + secret + " b " + secret, "free": FreeText(secret), "list": []string{secret},
		"deep": Object{"values": []Value{secret, 7, Object{"token": "xoxb-" + "0123456789"}}},
	}
	sealed, texts, err := Sealer{Redactor: NewRedactor(secret), Rand: zeros{}}.Seal(d)
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := Append(testInstance, Head{}, sealed)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(e.Bytes), secret) || strings.Contains(string(e.Bytes), "xoxb-") || strings.Contains(texts[0].Text, secret) {
		t.Errorf("a secret stands in %s or %q", e.Bytes, texts[0].Text)
	}
	if !strings.Contains(string(e.Bytes), `"redacted":{"configured_secret":"10","slack_token":"1"}`) {
		t.Errorf("the receipt does not say what was redacted: %s", e.Bytes)
	}
	if d.Actor.Name != secret || d.Body["text"] != "a "+secret+" b "+secret {
		t.Error("the caller's draft was changed")
	}
	plain, _, err := Append(testInstance, Head{}, testDraft(0))
	if err != nil || strings.Contains(string(plain.Bytes), "redacted") {
		t.Errorf("nothing was redacted and the receipt says so: %v, %s", err, plain.Bytes)
	}
}

// zeros is an unending source of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
