package config

import "log/slog"

const redacted = "[redacted]"

// Secret is a value that never prints: not through fmt, slog, JSON or YAML.
// Reveal is the only way to it.
type Secret struct{ value string }

// NewSecret wraps a value.
func NewSecret(value string) Secret { return Secret{value} }

// Reveal returns the value, for handing to a vendor's client only.
func (s Secret) Reveal() string { return s.value }

// Empty reports whether no value was given.
func (s Secret) Empty() bool { return s.value == "" }

// String returns a fixed text.
func (s Secret) String() string { return redacted }

// GoString returns a fixed text, so that %#v does not print the value.
func (s Secret) GoString() string { return redacted }

// LogValue returns a fixed text for slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText returns a fixed text, for JSON and YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
