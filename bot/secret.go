package bot

// secret holds a token behind a pointer, so that printing a value that
// contains one, with any verb, shows an address or the redaction and never the
// token.
type secret struct{ value *string }

func newSecret(v string) secret { return secret{value: &v} }

// reveal returns the token for the one place that sends it.
func (s secret) reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// String hides the token.
func (secret) String() string { return "[redacted]" }

// GoString hides the token from %#v.
func (secret) GoString() string { return "[redacted]" }

// MarshalText hides the token from JSON and slog.
func (secret) MarshalText() ([]byte, error) { return []byte("[redacted]"), nil }
