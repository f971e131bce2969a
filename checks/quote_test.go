package checks

import (
	"slices"
	"strings"
	"testing"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	for ident, want := range map[string]string{
		"orders":             `"orders"`,
		"a.b":                `"a.b"`,
		`a"; drop table x--`: `"a""; drop table x--"`,
		"select":             `"select"`,
		"ünï 'x'":            `"ünï 'x'"`,
	} {
		for _, dialect := range []string{"sqlite", "postgres"} {
			if got, err := Quote(dialect, ident); err != nil || got != want {
				t.Errorf("%s %q gave %s, %v", dialect, ident, got, err)
			}
		}
	}
	for name, c := range map[string]struct{ dialect, ident string }{
		"empty":       {"sqlite", ""},
		"NUL":         {"sqlite", "a\x00b"},
		"too long":    {"sqlite", strings.Repeat("a", 129)},
		"not UTF-8":   {"postgres", "a\xff"},
		"what engine": {"oracle", "a"},
	} {
		if got, err := Quote(c.dialect, c.ident); err == nil {
			t.Errorf("%s gave %s", name, got)
		}
	}
}

func TestSplitName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"orders":                  {"orders"},
		"main.orders":             {"main", "orders"},
		`main."a.b"`:              {"main", "a.b"},
		`"a""b"."c"`:              {`a"b`, "c"},
		"a.b.c":                   {"a", "b", "c"},
		`o"; drop table orders--`: {`o"; drop table orders--`},
	} {
		if got, err := SplitName(name); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s gave %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"", ".", "a.", ".a", `"a`, `""`, `"a"b`, "a..b"} {
		if got, err := SplitName(name); err == nil {
			t.Errorf("%s gave %q", name, got)
		}
	}
}

// FuzzQuote checks that a quoted name is read back as it was, and that it is one
// harmless token to the guard.
func FuzzQuote(f *testing.F) {
	for _, ident := range []string{"a", `"`, `a"; drop table x--`, "a.b", "[x]", "ü", `""`, "a\nb"} {
		f.Add(ident)
	}
	f.Fuzz(func(t *testing.T, ident string) {
		quoted, err := Quote("sqlite", ident)
		if err != nil {
			return
		}
		parts, err := SplitName(quoted)
		if err != nil || !slices.Equal(parts, []string{ident}) {
			t.Fatalf("%q became %s and was read back as %q (%v)", ident, quoted, parts, err)
		}
		if strings.HasPrefix(strings.ToLower(ident), "pragma_") {
			return
		}
		if err := Guard("SELECT " + quoted + " FROM t"); err != nil {
			t.Fatalf("%s is not one token: %v", quoted, err)
		}
	})
}

func TestNear(t *testing.T) {
	t.Parallel()
	names := []string{"orders", "order_items", "customers", "ORDER"}
	if got := Near("ordrs", names); len(got) == 0 || got[0] != "orders" {
		t.Errorf("near names %v", got)
	}
	if got := Near("warehouse_events", names); len(got) != 0 {
		t.Errorf("near names %v", got)
	}
}
