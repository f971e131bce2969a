package receipts

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

func keyOf(t testing.TB, n byte, name string) Signer {
	t.Helper()
	s, _, err := newKey(name, bytes.NewReader(bytes.Repeat([]byte{n}, 64)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rotated is a log of seven receipts in which the key changed twice, at receipt 3
// and at receipt 5.
type rotated struct {
	*testLog

	keys [3]Signer
}

func rotatedLog(t testing.TB) rotated {
	t.Helper()
	r := rotated{testLog: newTestLog(t, 2)}
	r.keys = [3]Signer{r.signer, keyOf(t, 21, testInstance), keyOf(t, 22, testInstance)}
	for n := range 2 {
		d, err := RotationDraft(r.keys[n], r.keys[n+1], Actor{Kind: ActorHuman, Name: "olga"}, testDraft(2*n+2).At)
		if err != nil {
			t.Fatal(err)
		}
		r.append(t, d)
		r.append(t, testDraft(2*n+3))
	}
	r.append(t, testDraft(6))
	return r
}

// sign returns a checkpoint of the first size receipts.
func (r rotated) sign(t testing.TB, size int64, by Signer) []byte {
	t.Helper()
	root, err := Root(size, r.tree)
	if err != nil {
		t.Fatal(err)
	}
	c, err := by.Checkpoint(size, root)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestRotation: whoever trusts one key gets to those after it by the receipts of the
// rotations, and back to those before it for earlier checkpoints only.
func TestRotation(t *testing.T) {
	t.Parallel()
	l := rotatedLog(t)
	first, second, third := l.keys[0], l.keys[1], l.keys[2]
	stranger := keyOf(t, 23, testInstance)
	without := l.entries[:4]
	for name, c := range map[string]struct {
		entries []Entry
		note    []byte
		key     Signer
		earlier []byte
		code    int
	}{
		"the key itself":                     {l.entries, l.sign(t, 7, third), third, nil, CodeGood},
		"from the first to the third":        {l.entries, l.sign(t, 7, third), first, nil, CodeGood},
		"from the second":                    {l.entries, l.sign(t, 7, third), second, nil, CodeGood},
		"both sign, old key":                 {l.entries, l.sign(t, 7, third.WithPrevious(second)), second, nil, CodeGood},
		"both sign, new key":                 {l.entries, l.sign(t, 7, third.WithPrevious(second)), third, nil, CodeGood},
		"an earlier checkpoint, new key":     {l.entries, l.sign(t, 7, third), third, l.sign(t, 2, first), CodeGood},
		"signed by a key that was given up":  {l.entries, l.sign(t, 7, first), third, nil, CodeBad},
		"signed by a stranger":               {l.entries, l.sign(t, 7, stranger), first, nil, CodeBad},
		"a stranger signs too":               {l.entries, l.sign(t, 7, third.WithPrevious(stranger)), third, nil, CodeBad},
		"a stranger's key is given":          {l.entries, l.sign(t, 7, third), stranger, nil, CodeBad},
		"the rotation is not in the log":     {without, l.sign(t, 4, third), first, nil, CodeBad},
		"cut off, the newest by both":        {without, l.sign(t, 7, third.WithPrevious(second)), first, nil, CodeTruncated},
		"an earlier checkpoint by nobody's":  {l.entries, l.sign(t, 7, third), third, l.sign(t, 2, stranger), CodeBad},
		"without rotation, the first's only": {l.entries[:2], l.sign(t, 2, first), second, nil, CodeBad},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var earlier [][]byte
			if c.earlier != nil {
				earlier = append(earlier, c.earlier)
			}
			r := VerifyEntries(seq(c.entries), Head{}, c.note, c.key.VerifierKey(), earlier...)
			if r.Code != c.code || r.SignatureChecked != (c.code == CodeGood || c.code == CodeTruncated) {
				t.Errorf("%+v, want code %d", r, c.code)
			}
		})
	}
}

// TestExportOverARotation: an export whose key changed is accepted with the old key,
// with the new one, and by the documented program alike.
func TestExportOverARotation(t *testing.T) {
	t.Parallel()
	python, script := pythonVerifier(t)
	l := rotatedLog(t)
	dir := filepath.Join(t.TempDir(), "export")
	if err := WriteExport(dir, seq(l.entries), l.sign(t, 7, l.keys[2].WithPrevious(l.keys[1])), l.keys[2].VerifierKey()); err != nil {
		t.Fatal(err)
	}
	for _, key := range l.keys {
		bothSay(t, python, script, dir, key.VerifierKey(), CodeGood, VerifyExport(dir, key.VerifierKey()))
	}
	stranger := keyOf(t, 23, testInstance).VerifierKey()
	bothSay(t, python, script, dir, stranger, CodeBad, VerifyExport(dir, stranger))
}

// TestForgedRotation: a rotation that lacks a signature of one of its two keys is a
// bad receipt, whoever wrote the rest of the log.
func TestForgedRotation(t *testing.T) {
	t.Parallel()
	old, next := keyOf(t, 21, testInstance), keyOf(t, 22, testInstance)
	text := rotationText("dw/"+testInstance, old.verifier, next.verifier)
	sign := func(text string, by ...note.Signer) string {
		signed, err := note.Sign(&note.Note{Text: text}, by...)
		if err != nil {
			t.Fatal(err)
		}
		return string(signed)
	}
	for name, signed := range map[string]string{
		"the old key alone":     sign(text, old.signer),
		"the new key alone":     sign(text, next.signer),
		"by a third key":        sign(text, old.signer, keyOf(t, 23, testInstance).signer),
		"of other keys":         sign(rotationText("dw/"+testInstance, next.verifier, old.verifier), old.signer, next.signer),
		"of another log":        sign(rotationText("dw/elsewhere", old.verifier, next.verifier), old.signer, next.signer),
		"no note":               "both agree",
		"a changed note":        strings.Replace(sign(text, old.signer, next.signer), "v1", "v2", 1),
		"a third signature too": sign(text, old.signer, next.signer, keyOf(t, 23, testInstance).signer),
	} {
		l := newTestLog(t, 1)
		d, err := RotationDraft(old, next, Actor{Kind: ActorHuman}, testDraft(1).At)
		if err != nil {
			t.Fatal(err)
		}
		d.Body["note"] = signed
		l.append(t, d)
		if r := VerifyEntries(seq(l.entries), l.head, nil, ""); r.Code != CodeBad || r.FirstBad != 2 || !strings.Contains(r.Problem, ErrRotation.Error()) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestRotationRefuses(t *testing.T) {
	t.Parallel()
	key := keyOf(t, 21, testInstance)
	for name, next := range map[string]Signer{
		"the same key": key, "another instance's": keyOf(t, 22, "elsewhere"), "no key": {},
	} {
		if _, err := RotationDraft(key, next, Actor{Kind: ActorHuman}, testDraft(0).At); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	twice, err := key.WithPrevious(key).Checkpoint(0, [32]byte{})
	if err != nil || bytes.Count(twice, []byte("— ")) != 1 {
		t.Errorf("a key signs twice: %v\n%s", err, twice)
	}
	if _, err := OpenCheckpoint(append(twice, twice[bytes.Index(twice, []byte("—")):]...), ""); !errors.Is(err, ErrMalformed) {
		t.Errorf("a signature that stands twice: %v", err)
	}
}
