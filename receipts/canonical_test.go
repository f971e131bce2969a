package receipts

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"
)

func TestCanonicalWritesOneForm(t *testing.T) {
	t.Parallel()
	cairo := time.FixedZone("EET", 2*3600)
	cases := map[string]struct {
		in   Value
		want string
	}{
		"string":                  {"a", `"a"`},
		"two-character escapes":   {"\b\t\n\f\r\"\\", `"\b\t\n\f\r\"\\"`},
		"other controls":          {"\x00\x1f\x7f", `"\u0000\u001f` + "\x7f\""},
		"no needless escapes":     {"</a>&\u2028é", "\"</a>&\u2028é\""},
		"values are not composed": {"e\u0301", "\"e\u0301\""},
		"bools":                   {[]Value{true, false}, `[true,false]`},
		"int":                     {-3, `"-3"`},
		"int64 beyond a double":   {int64(math.MaxInt64), `"9223372036854775807"`},
		"time in UTC":             {time.Date(2026, 1, 2, 3, 4, 5, 600, cairo), `"2026-01-02T01:04:05.0000006Z"`},
		"strings":                 {[]string{"b", "a"}, `["b","a"]`},
		"empty array":             {[]Value{}, `[]`},
		"nil object":              {Object(nil), `{}`},
		"keys sorted":             {Object{"b": "1", "a": "2", "": "3", "aa": "4"}, `{"":"3","a":"2","aa":"4","b":"1"}`},
		"keys by UTF-16 units":    {Object{"\uff5e": "1", "\U0001F600": "2", "\ud7ff": "3"}, "{\"\ud7ff\":\"3\",\"\U0001F600\":\"2\",\"\uff5e\":\"1\"}"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Canonical(c.in)
			if err != nil || string(got) != c.want {
				t.Errorf("Canonical(%#v) = %s, %v; want %s", c.in, got, err, c.want)
			}
		})
	}
}

func TestCanonicalRefuses(t *testing.T) {
	t.Parallel()
	type state string
	loop := Object{}
	loop["loop"] = loop
	cases := map[string]struct {
		in   Value
		says string
	}{
		"nil":                 {nil, "<nil>"},
		"float":               {Object{"rate": []Value{"a", 0.5}}, `key "rate": item 1: value not allowed in a receipt: float64`},
		"json number":         {json.Number("1"), "json.Number"},
		"uint8":               {uint8(1), "uint8"},
		"bytes":               {[]byte("a"), "[]uint8"},
		"struct":              {struct{}{}, "struct"},
		"pointer":             {new(string), "*string"},
		"named string":        {state("open"), "receipts.state"},
		"nested nil":          {Object{"a": Object{"b": nil}}, `key "a": key "b"`},
		"bad UTF-8 value":     {Object{"a": "\xff"}, "UTF-8"},
		"bad UTF-8 key":       {Object{"\xff": "a"}, `"\xff"`},
		"lone surrogate":      {"\xed\xa0\x80", "UTF-8"},
		"key not composed":    {Object{"e\u0301": "a"}, `"e\u0301" is not in Unicode NFC`},
		"zero time":           {time.Time{}, "unset"},
		"year 10000":          {time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), "out of range"},
		"value inside itself": {loop, "nested deeper than 64"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Canonical(c.in)
			if got != nil || !errors.Is(err, ErrValue) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Canonical = %s, %v; want ErrValue that says %s", got, err, c.says)
			}
		})
	}
}

func TestDecodeRefusesEverySecondSpelling(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"duplicate key":     `{"a":"1","a":"2"}`,
		"equal duplicates":  `{"a":"1","a":"1"}`,
		"unsorted":          `{"b":"1","a":"2"}`,
		"trailing bytes":    `{"a":"1"}x`,
		"trailing space":    `{"a":"1"} `,
		"second object":     `{}{}`,
		"white space":       `{"a": "1"}`,
		"number":            `{"a":1}`,
		"null":              `{"a":null}`,
		"bare string":       `"a"`,
		"array":             `[]`,
		"empty":             ``,
		"needless escape":   `{"a":"\u0061"}`,
		"upper-case escape": `{"a":"\u001F"}`,
		"escaped slash":     `{"a":"\/"}`,
		"lone surrogate":    `{"a":"\ud800"}`,
		"bad UTF-8":         "{\"a\":\"\xff\"}",
		"key not composed":  "{\"e\u0301\":\"1\"}",
		"too deep":          strings.Repeat(`{"a":`, 70) + `{}` + strings.Repeat(`}`, 70),
	}
	for name, in := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := Decode([]byte(in)); err == nil {
				t.Errorf("Decode(%q) = %v, want an error", in, got)
			}
		})
	}
}

// genValue draws any value that Canonical accepts, as dw's types and as what
// encoding/json would write for it.
func genValue(depth int) *rapid.Generator[[2]any] {
	return rapid.Custom(func(t *rapid.T) [2]any {
		limit := 5
		if depth == 0 {
			limit = 3
		}
		switch rapid.IntRange(0, limit).Draw(t, "type") {
		case 0:
			s := rapid.String().Draw(t, "string")
			return [2]any{s, s}
		case 1:
			b := rapid.Bool().Draw(t, "bool")
			return [2]any{b, b}
		case 2:
			n := rapid.Int64().Draw(t, "int")
			return [2]any{n, strconv.FormatInt(n, 10)}
		case 3:
			at := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "s"), rapid.Int64Range(0, 999999999).Draw(t, "ns"))
			return [2]any{at, at.UTC().Format(time.RFC3339Nano)}
		case 4:
			ours, plain := []Value{}, []any{}
			for _, pair := range rapid.SliceOfN(genValue(depth-1), 0, 4).Draw(t, "array") {
				ours, plain = append(ours, pair[0]), append(plain, pair[1])
			}
			return [2]any{ours, plain}
		}
		o := genObject(depth-1).Draw(t, "object")
		return [2]any{o[0], o[1]}
	})
}

func genObject(depth int) *rapid.Generator[[2]any] {
	return rapid.Custom(func(t *rapid.T) [2]any {
		ours, plain := Object{}, map[string]any{}
		for key, pair := range rapid.MapOfN(rapid.String(), genValue(depth), 0, 5).Draw(t, "members") {
			if _, err := Canonical(Object{key: "x"}); err != nil {
				continue // not NFC
			}
			ours[key], plain[key] = pair[0], pair[1]
		}
		return [2]any{ours, plain}
	})
}

// sameAsReference holds Canonical against encoding/json followed by another
// implementation of RFC 8785, and Decode against Canonical.
func sameAsReference(t *rapid.T) {
	pair := genObject(3).Draw(t, "value")
	got, err := Canonical(pair[0])
	if err != nil {
		t.Fatalf("Canonical: %v", err)
	}
	plain, err := json.Marshal(pair[1])
	if err != nil {
		t.Fatal(err)
	}
	want, err := jcs.Transform(plain)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("Canonical\n %q, reference\n %q", got, want)
	}
	back, err := Decode(got)
	if err != nil {
		t.Fatalf("Decode: %v", err)
	}
	if again, err := Canonical(back); err != nil || !bytes.Equal(again, got) {
		t.Fatalf("Canonical(Decode) = %q, %v; want %q", again, err, got)
	}
}

func TestCanonicalAgreesWithReference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, sameAsReference)
}

func FuzzCanonical(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(sameAsReference))
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":["b",true,{"c":"\u0001"}]}`, `{"a":"1","a":"2"}`, `{"a":1e400}`, `{"\ud800":""}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := Decode(b)
		if err != nil {
			return
		}
		if again, err := Canonical(o); err != nil || !bytes.Equal(again, b) {
			t.Fatalf("Decode accepted %q, but it is written %q, %v", b, again, err)
		}
		if ref, err := jcs.Transform(b); err != nil || !bytes.Equal(ref, b) {
			t.Fatalf("Decode accepted %q, the reference writes %q, %v", b, ref, err)
		}
	})
}
