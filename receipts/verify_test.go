package receipts

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestVerifyEntriesCodes(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 11)
	key, newest, old := l.signer.VerifierKey(), l.checkpoint(t, 11), l.checkpoint(t, 5)
	other := newTestLog(t, 0)
	for i := range 12 {
		other.append(t, testDraft(i+1))
	}
	wrongKey, _, err := newKey(testInstance, bytes.NewReader(bytes.Repeat([]byte{8}, 64)))
	if err != nil {
		t.Fatal(err)
	}
	foreignKey, _, err := newKey("elsewhere", bytes.NewReader(bytes.Repeat([]byte{7}, 64)))
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := foreignKey.Checkpoint(5, [32]byte{})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		entries    []Entry
		want       Head
		checkpoint []byte
		key        string
		atLeast    [][]byte
		code       int
		says       string
	}{
		"good":                          {l.entries, l.head, newest, key, nil, CodeGood, "good: 11 receipts, signature checked"},
		"good, head unknown":            {l.entries, Head{}, newest, key, nil, CodeGood, "good"},
		"good, key with newline":        {l.entries, l.head, newest, key + "\n", nil, CodeGood, "good"},
		"good, tail not signed yet":     {l.entries, l.head, old, key, nil, CodeGood, "receipts 6 to 11 came after the checkpoint"},
		"good, holds earlier":           {l.entries, l.head, newest, key, [][]byte{old, l.checkpoint(t, 0)}, CodeGood, "good"},
		"good, empty":                   {nil, Head{}, l.checkpoint(t, 0), key, nil, CodeGood, "good: 0 receipts"},
		"no key":                        {l.entries, l.head, newest, "", nil, CodeUnsigned, "no public key was given"},
		"no checkpoint":                 {l.entries, l.head, nil, key, nil, CodeUnsigned, "no checkpoint"},
		"only an earlier checkpoint":    {l.entries, l.head, nil, key, [][]byte{old}, CodeUnsigned, "no checkpoint"},
		"cut, head stands":              {l.entries[:10], l.head, nil, "", nil, CodeTruncated, "the head says there were more"},
		"cut with head":                 {l.entries[:10], Head{Seq: 10, Chain: l.entries[9].Chain}, newest, key, nil, CodeTruncated, "the checkpoint says there were more"},
		"cut, no key":                   {l.entries[:10], Head{}, newest, "", nil, CodeTruncated, "expected 11 receipts, found 10"},
		"cut to nothing":                {nil, Head{}, newest, key, nil, CodeTruncated, "found 0"},
		"cut with newest checkpoint":    {l.entries[:4], Head{Seq: 4, Chain: l.entries[3].Chain}, l.checkpoint(t, 4), key, [][]byte{old}, CodeTruncated, "expected 5 receipts"},
		"cut and changed":               {changeByte(l.entries[:10], 2), l.head, newest, key, nil, CodeBad, "receipt 3: "},
		"more than the head says":       {l.entries, Head{Seq: 10, Chain: l.entries[9].Chain}, newest, key, nil, CodeBad, "receipt 11: there are more receipts"},
		"head of another chain":         {l.entries, Head{Seq: 11, Chain: [32]byte{1}}, newest, key, nil, CodeBad, "head names another chain hash"},
		"rewritten with all hashes":     {other.entries[:11], other.head, newest, key, nil, CodeBad, "its root differs"},
		"rewritten after an old anchor": {other.entries, other.head, other.checkpoint(t, 12), key, [][]byte{old}, CodeBad, "first 5 receipts"},
		"signed by another key":         {l.entries, l.head, newest, wrongKey.VerifierKey(), nil, CodeBad, "signature"},
		"earlier by another key":        {l.entries, l.head, newest, key, [][]byte{foreign}, CodeBad, "signature"},
		"earlier of another log":        {l.entries, l.head, newest, "", [][]byte{foreign}, CodeBad, "different logs"},
		"checkpoint of another log":     {l.entries, l.head, foreign, "", nil, CodeBad, "another instance"},
		"key unreadable":                {l.entries, l.head, newest, "dw/x+1+y", nil, CodeUnreadable, "public key"},
		"key unreadable, no checkpoint": {l.entries, l.head, nil, "key", nil, CodeUnreadable, "public key"},
		"checkpoint unreadable":         {l.entries, l.head, []byte("no note\n"), key, nil, CodeUnreadable, "open checkpoint"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := VerifyEntries(seq(c.entries), c.want, c.checkpoint, c.key, c.atLeast...)
			if r.Code != c.code || !strings.Contains(r.String(), c.says) {
				t.Errorf("code %d, %q; want %d, %q", r.Code, r, c.code, c.says)
			}
			if r.Code == CodeGood && !r.SignatureChecked || r.Code == CodeUnsigned && r.SignatureChecked {
				t.Errorf("code %d with SignatureChecked %v", r.Code, r.SignatureChecked)
			}
		})
	}
}

func TestVerifyEntriesNamesTheFirstBad(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 6)
	entries := changeByte(l.entries, 3)
	r := l.verify(t, entries)
	if r.Code != CodeBad || r.FirstBad != 4 || r.Count != 3 || r.Signed != 3 ||
		r.Expected != hexOf(entries[3].Leaf) || r.Found != hexOf(LeafHash(entries[3].Bytes)) || r.Chain != hexOf(entries[2].Chain) {
		t.Errorf("report %+v", r)
	}
	failing := func(yield func(Entry, error) bool) {
		_ = yield(l.entries[0], nil) && yield(Entry{}, errors.New("disk gone"))
	}
	r = VerifyEntries(failing, l.head, nil, "")
	if r.Code != CodeUnreadable || r.FirstBad != 2 || !strings.Contains(r.Problem, "disk gone") {
		t.Errorf("report on a failing source %+v", r)
	}
}

// TestVerifyEntriesReadsTheBytes recomputes every hash over bytes whose own
// account of themselves is wrong, as a writer with a bug or without the
// signing key could.
func TestVerifyEntriesReadsTheBytes(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 3)
	cases := map[string]struct{ old, new, says string }{
		"seq":      {`"proposal":"","seq":"3"`, `"proposal":"","seq":"4"`, "made for another seq"},
		"instance": {`"instance":"test-1"`, `"instance":"test-2"`, "another instance"},
		"neither":  {`"instance":"test-1"`, `"instance":true`, "do not name one"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entries := slices.Clone(l.entries)
			e := &entries[2]
			e.Bytes = bytes.Replace(e.Bytes, []byte(c.old), []byte(c.new), 1)
			e.Leaf = LeafHash(e.Bytes)
			e.Chain = ChainHash(e.Prev, e.Leaf)
			r := VerifyEntries(seq(entries), Head{}, nil, "")
			if r.Code != CodeBad || r.FirstBad != 3 || !strings.Contains(r.Problem, c.says) {
				t.Errorf("report %+v", r)
			}
		})
	}
}

func TestNoChangeOfEntriesVerifies(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 20)
	rapid.Check(t, func(t *rapid.T) {
		entries := cloneEntries(l.entries)
		i := rapid.IntRange(0, len(entries)-1).Draw(t, "entry")
		j := rapid.IntRange(0, len(entries)-1).Filter(func(j int) bool { return j != i }).Draw(t, "other")
		bit := byte(1) << rapid.IntRange(0, 7).Draw(t, "bit")
		at := rapid.IntRange(0, 31).Draw(t, "hash byte")
		change := rapid.SampledFrom([]string{
			"bytes", "leaf", "prev", "chain", "seq", "swap", "swap in place",
			"delete", "cut", "repeat", "rotate", "reverse", "cut bytes", "add bytes",
		}).Draw(t, "change")
		switch e := &entries[i]; change {
		case "bytes":
			e.Bytes[rapid.IntRange(0, len(e.Bytes)-1).Draw(t, "byte")] ^= bit
		case "leaf":
			e.Leaf[at] ^= bit
		case "prev":
			e.Prev[at] ^= bit
		case "chain":
			e.Chain[at] ^= bit
		case "seq":
			e.Seq ^= int64(bit)
		case "swap":
			entries[i], entries[j] = entries[j], entries[i]
		case "swap in place":
			entries[i].Bytes, entries[j].Bytes = entries[j].Bytes, entries[i].Bytes
			entries[i].Leaf, entries[j].Leaf = entries[j].Leaf, entries[i].Leaf
		case "delete":
			entries = slices.Delete(entries, i, i+1)
		case "cut":
			entries = entries[:i]
		case "repeat":
			entries = slices.Insert(entries, i, entries[j])
		case "rotate":
			entries = append(entries[i+1:], entries[:i+1]...)
			if i == len(l.entries)-1 {
				entries = entries[1:]
			}
		case "reverse":
			slices.Reverse(entries)
		case "cut bytes":
			e.Bytes = e.Bytes[:len(e.Bytes)-1]
		case "add bytes":
			e.Bytes = append(e.Bytes, bit)
		}
		checkpoint, key := l.checkpointOnce(), l.signer.VerifierKey()
		for name, head := range map[string]Head{"known": l.head, "unknown": {}} {
			r := VerifyEntries(seq(entries), head, checkpoint, key)
			if r.Code != CodeBad && r.Code != CodeTruncated || r.Code == CodeTruncated && change != "cut" && change != "delete" {
				t.Fatalf("%s of receipt %d, head %s: %+v", change, i+1, name, r)
			}
		}
	})
}

// checkpointOnce signs the whole log where no testing.T is at hand; an error
// leaves an empty checkpoint, which fails to parse.
func (l *testLog) checkpointOnce() []byte {
	root, err := Root(l.head.Seq, l.tree)
	if err != nil {
		return nil
	}
	c, err := l.signer.Checkpoint(l.head.Seq, root)
	if err != nil {
		return nil
	}
	return c
}

func cloneEntries(entries []Entry) []Entry {
	out := slices.Clone(entries)
	for i := range out {
		out[i].Bytes = slices.Clone(out[i].Bytes)
	}
	return out
}

func changeByte(entries []Entry, i int) []Entry {
	out := cloneEntries(entries)
	out[i].Bytes[len(out[i].Bytes)/2] ^= 1
	return out
}

func TestOpenCheckpointHasOneSpelling(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 3)
	good, key := string(l.checkpoint(t, 3)), l.signer.VerifierKey()
	c, err := OpenCheckpoint([]byte(good), key)
	if root, _ := Root(3, l.tree); err != nil || c != (Checkpoint{Origin: "dw/test-1", Size: 3, Root: root}) {
		t.Fatalf("OpenCheckpoint = %+v, %v", c, err)
	}
	sig := good[strings.LastIndex(good, "—"):]
	cases := map[string]string{
		"empty":              "",
		"signature twice":    good + sig,
		"a second signature": good + strings.Replace(sig, "test-1", "other", 1),
		"no signature":       strings.TrimSuffix(good, sig),
		"spare base64 bits":  bumpPadding(good),
		"no newline":         strings.TrimSuffix(good, "\n"),
		"carriage return":    strings.ReplaceAll(good, "\n", "\r\n"),
	}
	for name, data := range cases {
		for _, k := range []string{key, ""} {
			if data == good {
				t.Fatalf("%s: nothing changed", name)
			}
			if _, err := OpenCheckpoint([]byte(data), k); err == nil {
				t.Errorf("%s, key %q: accepted", name, k)
			}
		}
	}
	for name, text := range map[string]string{
		"leading zero":  "dw/test-1\n03\n" + c.Root.String() + "\n",
		"negative":      "dw/test-1\n-3\n" + c.Root.String() + "\n",
		"no number":     "dw/test-1\nthree\n" + c.Root.String() + "\n",
		"short root":    "dw/test-1\n3\nAAAA\n",
		"spare bits":    "dw/test-1\n3\n" + bumpPadding(c.Root.String()) + "\n",
		"more lines":    "dw/test-1\n3\n" + c.Root.String() + "\nmore\n",
		"fewer lines":   "dw/test-1\n3\n",
		"foreign name":  "go.sum database tree\n3\n" + c.Root.String() + "\n",
		"blank origin":  "\n3\n" + c.Root.String() + "\n",
		"spare newline": "dw/test-1\n3\n" + c.Root.String() + "\n\n",
	} {
		if _, err := parseCheckpoint(text); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: parseCheckpoint(%q) = %v, want ErrMalformed", name, text, err)
		}
	}
}

// bumpPadding changes bits of the last base64 digit that decode to nothing.
func bumpPadding(s string) string {
	i := strings.LastIndexByte(s, '=')
	for s[i-1] == '=' {
		i--
	}
	return s[:i-1] + string(s[i-1]+1) + s[i:]
}
