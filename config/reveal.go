package config

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// SecretValues returns every secret value of the file, for a redactor: tokens and
// keys as they are, and of a DSN its password as well. A DSN that is a file's path
// is no secret.
func (c *Config) SecretValues() []string {
	var out []string
	walkSecrets(reflect.ValueOf(c).Elem(), func(s Secret) {
		value := s.Reveal()
		if s == c.Store.DSN && !strings.Contains(value, "://") {
			return
		}
		out = append(out, value)
		out = append(out, passwordsOf(value)...)
	})
	out = slices.DeleteFunc(out, func(s string) bool { return s == "" })
	slices.Sort(out)
	return slices.Compact(out)
}

// passwordsOf returns the password of a URL or of a DSN of key=value pairs, as it
// is written and as it is meant.
func passwordsOf(dsn string) []string {
	var out []string
	if u, err := url.Parse(dsn); err == nil && u.User != nil {
		if password, set := u.User.Password(); set {
			_, written, _ := strings.Cut(u.User.String(), ":")
			out = append(out, password, written)
		}
	}
	for field := range strings.FieldsSeq(dsn) {
		if value, ok := strings.CutPrefix(field, "password="); ok {
			out = append(out, strings.Trim(value, "'"))
		}
	}
	return out
}

func walkSecrets(v reflect.Value, visit func(Secret)) {
	if s, ok := reflect.TypeAssert[Secret](v); ok && v.CanInterface() {
		visit(s)
		return
	}
	switch v.Kind() { //nolint:exhaustive // the others hold nothing
	case reflect.Pointer:
		if !v.IsNil() {
			walkSecrets(v.Elem(), visit)
		}
	case reflect.Struct:
		for n := range v.NumField() {
			if v.Type().Field(n).IsExported() {
				walkSecrets(v.Field(n), visit)
			}
		}
	case reflect.Slice:
		for n := range v.Len() {
			walkSecrets(v.Index(n), visit)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			walkSecrets(v.MapIndex(key), visit)
		}
	}
}
