package receipts

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// bundle writes the bundle of one incident of l under a checkpoint of size.
func (l *testLog) bundle(t testing.TB, incident string, size int64) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bundle")
	if _, err := WriteBundle(dir, incident, seq(l.entries), l.checkpoint(t, size), l.signer.VerifierKey()); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestBundleOfEveryIncidentAndSize(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 33)
	for size := int64(1); size <= 33; size++ {
		dir := l.bundle(t, "INC-1", size)
		r := VerifyBundle(dir, l.signer.VerifierKey())
		if r.Code != CodeGood || r.Count != min(size, 5) || r.Bundle != "INC-1" {
			t.Fatalf("at size %d: %+v", size, r)
		}
	}
	count, err := WriteBundle(filepath.Join(t.TempDir(), "b"), "INC-3", seq(l.entries), l.checkpoint(t, 12), l.signer.VerifierKey())
	if err != nil || count != (Bundled{Receipts: 2, Unsigned: 3}) {
		t.Errorf("%+v %v", count, err)
	}
	_, err = WriteBundle(filepath.Join(t.TempDir(), "b"), "INC-99", seq(l.entries), l.checkpoint(t, 12), l.signer.VerifierKey())
	if !errors.Is(err, ErrNothing) {
		t.Errorf("a bundle of an unknown incident: %v", err)
	}
}

func TestAnExportIsNoBundle(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 9)
	dir := filepath.Join(t.TempDir(), "export")
	if err := WriteExport(dir, seq(l.entries), l.checkpoint(t, 9), l.signer.VerifierKey()); err != nil {
		t.Fatal(err)
	}
	if r := VerifyBundle(dir, l.signer.VerifierKey()); r.Code != CodeUnreadable || !strings.Contains(r.Problem, "use --export") {
		t.Errorf("an export as a bundle: %s", r)
	}
	if r := VerifyExport(l.bundle(t, "INC-1", 9), l.signer.VerifierKey()); r.Code != CodeUnreadable || !strings.Contains(r.Problem, "use --bundle") {
		t.Errorf("a bundle as an export: %s", r)
	}
	if _, err := WriteBundle(filepath.Join(t.TempDir(), "b"), "", seq(l.entries), l.checkpoint(t, 9), l.signer.VerifierKey()); err == nil {
		t.Error("a bundle of no incident was written")
	}
}

// TestTamperedBundle: dw and the documented program give the same answer to
// every way of changing a bundle.
func TestTamperedBundle(t *testing.T) {
	t.Parallel()
	python, script := pythonVerifier(t)
	l := newTestLog(t, 21)
	key := l.signer.VerifierKey()
	foreign := l.bundle(t, "INC-2", 21)
	other, err := os.ReadFile(filepath.Join(foreign, BundleReceipts))
	if err != nil {
		t.Fatal(err)
	}
	stranger := string(bytes.SplitAfter(other, []byte("\n"))[1]) // a good receipt of another incident
	edit := func(change func(lines []string) []string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, BundleReceipts)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := change(strings.SplitAfter(string(b), "\n"))
			if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	in := func(line int, old, new string) func(*testing.T, string) {
		return edit(func(lines []string) []string {
			if !strings.Contains(lines[line], old) {
				t.Errorf("line %d does not hold %q: %s", line, old, lines[line])
			}
			lines[line] = strings.Replace(lines[line], old, new, 1)
			return lines
		})
	}
	cases := map[string]struct {
		tamper func(t *testing.T, dir string)
		key    string
		code   int
	}{
		"good":                {func(*testing.T, string) {}, key, CodeGood},
		"no key":              {func(*testing.T, string) {}, "", CodeUnsigned},
		"bytes changed":       {in(1, `"bytes":"eyJf`, `"bytes":"eyJg`), key, CodeBad},
		"seq changed":         {in(1, `"seq":"1"`, `"seq":"2"`), key, CodeBad},
		"proof without hash":  {edit(func(l []string) []string { l[2] = l[2][:strings.LastIndex(l[2], " ")] + "\"}\n"; return l }), key, CodeBad},
		"receipts swapped":    {edit(func(l []string) []string { l[1], l[2] = l[2], l[1]; return l }), key, CodeBad},
		"receipt twice":       {edit(func(l []string) []string { return append(l[:3:3], l[2:]...) }), key, CodeBad},
		"receipt missing":     {edit(func(l []string) []string { return append(l[:2:2], l[3:]...) }), key, CodeTruncated},
		"end cut off":         {edit(func(l []string) []string { return l[:3] }), key, CodeTruncated},
		"foreign receipt":     {edit(func(l []string) []string { return append(l[:len(l)-1], stranger) }), key, CodeBad},
		"named for another":   {in(0, "INC-1", "INC-2"), key, CodeBad},
		"more than it says":   {in(0, `"count":"5"`, `"count":"4"`), key, CodeBad},
		"nothing in it":       {edit(func([]string) []string { return []string{string(bundleHeader("INC-1", 0))} }), key, CodeUnreadable},
		"no head":             {edit(func(l []string) []string { return l[1:] }), key, CodeUnreadable},
		"no JSON":             {in(1, `{"seq"`, `{seq"`), key, CodeUnreadable},
		"no checkpoint":       {func(t *testing.T, dir string) { mustRemove(t, filepath.Join(dir, ExportCheckpoint)) }, key, CodeUnreadable},
		"smaller checkpoint":  {func(t *testing.T, dir string) { rewrite(t, dir, ExportCheckpoint, l.checkpoint(t, 3)) }, key, CodeBad},
		"checkpoint forged":   {replaceIn(ExportCheckpoint, "\n21\n", "\n20\n"), key, CodeBad},
		"of another instance": {replaceIn(ExportCheckpoint, "dw/test-1\n", "dw/test-2\n"), "", CodeBad},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := l.bundle(t, "INC-1", 21)
			c.tamper(t, dir)
			bothSay(t, python, script, dir, c.key, c.code, VerifyBundle(dir, c.key))
		})
	}
}

// TestAnyByteOfABundle: whichever byte is flipped, the answer is never good.
func TestAnyByteOfABundle(t *testing.T) {
	t.Parallel()
	l := newTestLog(t, 3)
	dir, files := l.bundle(t, "INC-1", 3), fstest.MapFS{}
	names := []string{BundleReceipts, ExportCheckpoint, ExportPublicKey, ExportReadme}
	for _, name := range names {
		whole, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: whole}
	}
	for _, name := range names {
		for at := range files[name].Data {
			files[name].Data[at] ^= 1 << (at % 8)
			if r := verifyBundle(files, l.signer.VerifierKey()); r.Code == CodeGood {
				t.Fatalf("a bit of byte %d of %s flipped: %s", at, name, r)
			}
			files[name].Data[at] ^= 1 << (at % 8)
		}
	}
}

func rewrite(t *testing.T, dir, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func replaceIn(name, old, new string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Contains(b, []byte(old)) {
			t.Fatalf("%s does not hold %q: %v", name, old, err)
		}
		rewrite(t, dir, name, bytes.Replace(b, []byte(old), []byte(new), 1))
	}
}
