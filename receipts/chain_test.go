package receipts

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

func TestAppendWritesAStatement(t *testing.T) {
	t.Parallel()
	e, head, err := Append("acme", Head{Seq: 4, Chain: [32]byte{9}, At: testStart()}, Draft{
		Kind: KindDecisionRecorded, Incident: "INC-1", Proposal: "P2", At: testStart().In(time.FixedZone("CET", 3600)),
		Actor:   Actor{Kind: ActorHuman, Team: "T1", User: "U1", Name: "Ada"},
		Subject: []Subject{{Name: "proposal/P2", Digest: strings.Repeat("ab", 32)}},
		Body:    Object{"verdict": "approve"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"_type":"https://in-toto.io/Statement/v1","predicate":{"actor":{"kind":"human","name":"Ada","team":"T1","user":"U1"},` +
		`"at":"2026-03-29T01:30:00Z","body":{"verdict":"approve"},"incident":"INC-1","instance":"acme","kind":"decision.recorded",` +
		`"proposal":"P2","seq":"5"},"predicateType":"urn:dw:receipt:v1","subject":[{"digest":{"sha256":"` + strings.Repeat("ab", 32) + `"},"name":"proposal/P2"}]}`
	if string(e.Bytes) != want {
		t.Errorf("bytes\n %s, want\n %s", e.Bytes, want)
	}
	leaf := sha256.Sum256(append([]byte{0}, want...))
	prev := [32]byte{9}
	chain := sha256.Sum256(append(append([]byte("dw/chain/v1\n"), prev[:]...), leaf[:]...))
	if got, want := e, (Entry{Seq: 5, Bytes: []byte(want), Leaf: leaf, Prev: prev, Chain: chain}); !reflect.DeepEqual(got, want) {
		t.Errorf("entry %+v, want %+v", got, want)
	}
	if want := (Head{Seq: 5, Chain: chain, At: testStart()}); head != want {
		t.Errorf("head %+v, want %+v", head, want)
	}
	if leaf != tlog.RecordHash(e.Bytes) {
		t.Error("the leaf hash is not that of RFC 6962")
	}
}

func TestAppendRefuses(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		instance string
		change   func(*Draft)
		want     error
	}{
		"no instance":        {"", func(*Draft) {}, ErrDraft},
		"instance with path": {"dw/acme", func(*Draft) {}, ErrDraft},
		"no kind":            {"acme", func(d *Draft) { d.Kind = "" }, ErrDraft},
		"kind with space":    {"acme", func(d *Draft) { d.Kind = "step intent" }, ErrDraft},
		"no actor":           {"acme", func(d *Draft) { d.Actor.Kind = "" }, ErrDraft},
		"unknown actor":      {"acme", func(d *Draft) { d.Actor.Kind = "bot" }, ErrDraft},
		"upper-case digest":  {"acme", func(d *Draft) { d.Subject[0].Digest = strings.Repeat("AB", 32) }, ErrDraft},
		"nameless subject":   {"acme", func(d *Draft) { d.Subject[0].Name = "" }, ErrDraft},
		"no time":            {"acme", func(d *Draft) { d.Kind, d.At = KindClockJump, time.Time{} }, ErrValue},
		"float in body":      {"acme", func(d *Draft) { d.Body["rate"] = 0.3 }, ErrValue},
		"too large":          {"acme", func(d *Draft) { d.Body["diff"] = strings.Repeat("x", MaxBytes) }, ErrDraft},
		"clock back":         {"acme", func(d *Draft) { d.At = testStart().Add(-2*time.Minute - 1) }, ErrClock},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := testDraft(0)
			c.change(&d)
			e, head, err := Append(c.instance, Head{Seq: 1, At: testStart()}, d)
			if !errors.Is(err, c.want) || e.Bytes != nil || head != (Head{}) {
				t.Errorf("Append = %+v, %+v, %v; want %v", e, head, err, c.want)
			}
		})
	}
}

func TestAppendFollowsTheClockWithinLimits(t *testing.T) {
	t.Parallel()
	head := Head{Seq: 1, At: testStart()}
	d := testDraft(0)
	d.At = testStart().Add(-2 * time.Minute)
	if _, got, err := Append("acme", head, d); err != nil || !got.At.Equal(d.At) {
		t.Errorf("two minutes back: head %+v, %v", got, err)
	}
	d.Kind, d.At = KindClockJump, testStart().Add(-48*time.Hour)
	_, got, err := Append("acme", head, d)
	if err != nil {
		t.Fatalf("clock_jump: %v", err)
	}
	d.Kind = KindExpiry
	if _, _, err := Append("acme", got, d); err != nil {
		t.Errorf("after clock_jump: %v", err)
	}
}

func TestStreamedRootEqualsStoredRoot(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 130)
	var f frontier
	for size := int64(0); ; size++ {
		want, err := Root(size, l.tree)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.root(); got != want {
			t.Fatalf("root of %d receipts: streamed %v, stored %v", size, got, want)
		}
		if size == int64(len(l.entries)) {
			break
		}
		f.add(l.entries[size].Leaf)
	}
}

func TestTreeRefusesSizesOutOfRange(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 3)
	if _, err := StoredHashes(0, [32]byte{}, l.tree); err == nil {
		t.Error("StoredHashes(0) did not fail")
	}
	if _, err := StoredHashes(8, [32]byte{}, l.tree); err == nil {
		t.Error("StoredHashes with missing hashes did not fail")
	}
	for _, size := range []int64{-1, 4} {
		if _, err := Root(size, l.tree); err == nil {
			t.Errorf("Root(%d) of 3 receipts did not fail", size)
		}
	}
}

func TestReadPlaceSeesOnlyThePredicate(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		in string
		ok bool
	}{
		"plain":                {`{"a":["]",{"b":true}],"predicate":{"instance":"i","seq":"7"}}`, true},
		"decoys in strings":    {`{"a":"\"predicate\":{\\","predicate":{"body":"\\\"seq\":\"1\"","instance":"i","seq":"7"}}`, true},
		"decoys in body":       {`{"predicate":{"body":{"predicate":{"seq":"1"},"seq":"2"},"instance":"i","seq":"7"},"z":false}`, true},
		"no seq":               {`{"predicate":{"instance":"i"}}`, false},
		"two seqs":             {`{"predicate":{"instance":"i","seq":"7","seq":"7"}}`, false},
		"two predicates":       {`{"predicate":{"instance":"i","seq":"7"},"predicate":{}}`, false},
		"seq as number":        {`{"predicate":{"instance":"i","seq":7}}`, false},
		"trailing bytes":       {`{"predicate":{"instance":"i","seq":"7"}} `, false},
		"unclosed":             {`{"predicate":{"instance":"i","seq":"7"}`, false},
		"unclosed string":      {`{"predicate":{"instance":"i","seq":"7\"}}`, false},
		"not an object":        {`"predicate"`, false},
		"predicate not object": {`{"predicate":["seq"]}`, false},
		"empty":                {``, false},
		"null":                 {`{"a":null,"predicate":{"instance":"i","seq":"7"}}`, false},
		"unclosed array":       {`{"a":[`, false},
		"key without value":    {`{"a":`, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := readPlace([]byte(c.in))
			if (err == nil) != c.ok || c.ok && (p.seq != 7 || !bytes.Equal(p.instance, []byte("i"))) {
				t.Errorf("readPlace(%s) = %+v, %v", c.in, p, err)
			}
		})
	}
	for _, bad := range []string{"", "0", "01", "+1", "-1", "1 ", "9223372036854775808"} {
		if n := parseSeq([]byte(bad)); n != 0 {
			t.Errorf("parseSeq(%q) = %d, want 0", bad, n)
		}
	}
}
