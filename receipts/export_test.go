package receipts

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestExportVerifies(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 9)
	dir := filepath.Join(t.TempDir(), "new", "export")
	if err := WriteExport(dir, seq(l.entries), l.checkpoint(t, 9), l.signer.VerifierKey()); err != nil {
		t.Fatal(err)
	}
	key := l.signer.VerifierKey()
	if r := VerifyExport(dir, key+"\n"); r.Code != CodeGood || r.Count != 9 || r.Signed != 9 || r.Origin != "dw/test-1" {
		t.Errorf("with key: %+v", r)
	}
	r := VerifyExport(dir, "")
	if r.Code != CodeUnsigned || r.SignatureChecked || r.ExportKey != key || !strings.Contains(r.Problem, "proves nothing") {
		t.Errorf("without key: %+v", r)
	}
	if r := VerifyExport(dir, key, l.checkpoint(t, 4)); r.Code != CodeGood {
		t.Errorf("with an earlier checkpoint: %+v", r)
	}
	l.append(t, testDraft(9))
	if r := VerifyExport(dir, key, l.checkpoint(t, 10)); r.Code != CodeTruncated {
		t.Errorf("with a later checkpoint: %+v", r)
	}
	if r := VerifyExport(filepath.Join(dir, "nowhere"), key); r.Code != CodeUnreadable {
		t.Errorf("no folder: %+v", r)
	}
}

// TestExportSignedByAnotherKey replaces everything that somebody with the
// folder, but without the private key, can replace.
func TestExportSignedByAnotherKey(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 4)
	forger, _, err := newKey(testInstance, bytes.NewReader(bytes.Repeat([]byte{9}, 64)))
	if err != nil {
		t.Fatal(err)
	}
	root, err := Root(4, l.tree)
	if err != nil {
		t.Fatal(err)
	}
	forged, err := forger.Checkpoint(4, root)
	if err != nil {
		t.Fatal(err)
	}
	files := l.export(t)
	files[ExportCheckpoint] = &fstest.MapFile{Data: forged}
	if r := verifyExport(files, "", nil); r.Code != CodeBad {
		t.Errorf("checkpoint replaced, no key: %+v", r)
	}
	files[ExportPublicKey] = &fstest.MapFile{Data: []byte(forger.VerifierKey() + "\n")}
	if r := verifyExport(files, l.signer.VerifierKey(), nil); r.Code != CodeBad {
		t.Errorf("checkpoint and key replaced: %+v", r)
	}
	if r := verifyExport(files, "", nil); r.Code != CodeUnsigned {
		t.Errorf("checkpoint and key replaced, no key given: %+v", r)
	}
}

func TestWriteExportRefuses(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 2)
	good, key := l.checkpoint(t, 2), l.signer.VerifierKey()
	other, _, err := newKey(testInstance, seed())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := WriteExport(dir, seq(l.entries), nil, key); !errors.Is(err, ErrMalformed) {
		t.Errorf("no checkpoint: %v", err)
	}
	if err := WriteExport(dir, seq(l.entries), good, ""); !errors.Is(err, ErrMalformed) {
		t.Errorf("no key: %v", err)
	}
	if err := WriteExport(dir, seq(l.entries), good, other.VerifierKey()); !errors.Is(err, ErrSignature) {
		t.Errorf("another key: %v", err)
	}
	gone := errors.New("disk gone")
	failing := func(yield func(Entry, error) bool) { _ = yield(l.entries[0], nil) && yield(Entry{}, gone) }
	if err := WriteExport(dir, failing, good, key); !errors.Is(err, gone) {
		t.Errorf("failing source: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := WriteExport(dir, seq(l.entries), good, key); err != nil {
		t.Fatal(err)
	}
	if err := WriteExport(dir, seq(l.entries), good, key); !errors.Is(err, ErrNotEmpty) || !strings.Contains(err.Error(), dir) {
		t.Errorf("folder with an export: %v", err)
	}
	if r := VerifyExport(dir, key); r.Code != CodeGood {
		t.Errorf("after the refused export: %+v", r)
	}
}

func TestTruncatedExport(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 5)
	key := l.signer.VerifierKey()
	lines := bytes.SplitAfter(l.export(t)[ExportReceipts].Data, []byte("\n"))
	for name, c := range map[string]struct {
		data []byte
		code int
	}{
		"whole lines":       {bytes.Join(lines[:3], nil), CodeTruncated},
		"all lines":         {nil, CodeTruncated},
		"within a line":     {append(bytes.Join(lines[:3], nil), lines[3][:40]...), CodeUnreadable},
		"the last newline":  {bytes.TrimSuffix(bytes.Join(lines, nil), []byte("\n")), CodeUnreadable},
		"first line":        {bytes.Join(lines[1:], nil), CodeBad},
		"blank line at end": {append(bytes.Join(lines, nil), '\n'), CodeUnreadable},
		"a line too long":   {bytes.Repeat([]byte("x"), maxLine+1), CodeUnreadable},
	} {
		files := l.export(t)
		files[ExportReceipts] = &fstest.MapFile{Data: c.data}
		if r := verifyExport(files, key, nil); r.Code != c.code {
			t.Errorf("%s: %+v, want code %d", name, r, c.code)
		}
	}
	for name := range l.export(t) {
		files := l.export(t)
		delete(files, name)
		if r := verifyExport(files, key, nil); r.Code != CodeUnreadable {
			t.Errorf("without %s: %+v", name, r)
		}
	}
}

// mutation changes the byte at i; it may return the same bytes.
type mutation func(b []byte, i int) []byte

func mutations() map[string]mutation {
	put := func(c byte) mutation {
		return func(b []byte, i int) []byte { return slices.Replace(b, i, i+1, c) }
	}
	flip := func(bits byte) mutation {
		return func(b []byte, i int) []byte { b[i] ^= bits; return b }
	}
	add := func(c byte) mutation {
		return func(b []byte, i int) []byte { return slices.Insert(b, i, c) }
	}
	return map[string]mutation{
		"low bit": flip(1), "letter case": flip(0x20), "high bit": flip(0x80), "zero": put(0),
		"newline": put('\n'), "add return": add('\r'), "add space": add(' '), "add newline": add('\n'), "add zero digit": add('0'),
		"next digit": func(b []byte, i int) []byte { b[i]++; return b },
		"delete":     func(b []byte, i int) []byte { return slices.Delete(b, i, i+1) },
		"double":     func(b []byte, i int) []byte { return slices.Insert(b, i, b[i]) },
		"cut":        func(b []byte, i int) []byte { return b[:i] },
	}
}

// positions is every byte of the small files. Of receipts.ndjson it is every
// byte around the values of the first line and at the end of the last, and
// strides, prime to base64's groups of four, through the rest.
func positions(name string, size, firstLine int) []int {
	var out []int
	for i := range size {
		around := i < 40 || i > firstLine-240 && i <= firstLine || i >= size-10
		within := i < firstLine && i%13 == 0
		if name != ExportReceipts || around || within || i%2999 == 0 {
			out = append(out, i)
		}
	}
	return out
}

func TestNoChangeOfAnExportVerifies(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 200)
	files, key := l.export(t), l.signer.VerifierKey()
	if r := verifyExport(files, key, nil); r.Code != CodeGood || r.Count != 200 {
		t.Fatalf("before any change: %+v", r)
	}
	firstLine := bytes.IndexByte(files[ExportReceipts].Data, '\n')
	for name := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := maps.Clone(files)
			good := files[name].Data
			for how, mutate := range mutations() {
				for _, i := range positions(name, len(good), firstLine) {
					bad := mutate(bytes.Clone(good), i)
					if bytes.Equal(bad, good) {
						continue
					}
					changed[name] = &fstest.MapFile{Data: bad}
					if r := verifyExport(changed, key, nil); r.Code == CodeGood {
						t.Fatalf("%s at byte %d of %s verifies", how, i, name)
					}
				}
			}
		})
	}
}

// FuzzVerifyExport replaces cut bytes at an offset of one file by others.
// Small inputs, instead of whole files, keep the fuzzer quick.
func FuzzVerifyExport(f *testing.F) {
	l := newTestLog(f, 5)
	files, key := l.export(f), l.signer.VerifierKey()
	names := slices.Sorted(maps.Keys(files))
	for i := range names {
		f.Add(uint8(i), uint16(100), uint16(1), []byte("x"))
		f.Add(uint8(i), uint16(0), uint16(0), []byte{})
	}
	f.Fuzz(func(t *testing.T, which uint8, offset, cut uint16, put []byte) {
		name := names[int(which)%len(names)]
		good := files[name].Data
		at := min(int(offset), len(good))
		end := min(at+int(cut), len(good))
		bad := slices.Concat(good[:at], put, good[end:])
		changed := maps.Clone(files)
		changed[name] = &fstest.MapFile{Data: bad}
		same := bytes.Equal(bad, good)
		if r := verifyExport(changed, key, nil); (r.Code == CodeGood) != same {
			t.Fatalf("%d bytes at %d of %s replaced by %q (same: %v): %+v", end-at, at, name, put, same, r)
		}
		if r := verifyExport(changed, "", nil); r.Code == CodeGood || r.SignatureChecked {
			t.Fatalf("good without a key: %+v", r)
		}
	})
}
