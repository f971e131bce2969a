package receipts

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pythonVerifier returns the path of python3 and of the program in the docs.
func pythonVerifier(t *testing.T) (python, script string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("python3 is needed in CI: the documented verifier must run")
		}
		t.Skip("python3 is not installed: the documented verifier was not run")
	}
	page, err := os.ReadFile(filepath.Join("..", "docs", "receipts.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```python\n")
	code, _, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatal("docs/receipts.md has no python block")
	}
	script = filepath.Join(t.TempDir(), "verify.py")
	if err := os.WriteFile(script, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	return python, script
}

func TestDocumentedVerifier(t *testing.T) {
	t.Parallel()
	python, script := pythonVerifier(t)
	l := newTestLog(t, 21)
	key := l.signer.VerifierKey()
	forger, _, err := newKey(testInstance, seed())
	if err != nil {
		t.Fatal(err)
	}
	replace := func(name, old, new string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, name)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			changed := bytes.Replace(b, []byte(old), []byte(new), 1)
			if bytes.Equal(b, changed) {
				t.Fatalf("%s does not hold %q", name, old)
			}
			if err := os.WriteFile(path, changed, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	last := string(appendLine(nil, l.entries[20]))
	cases := map[string]struct {
		tamper func(t *testing.T, dir string)
		key    string
		code   int
	}{
		"good":            {func(*testing.T, string) {}, key, CodeGood},
		"no key":          {func(*testing.T, string) {}, "", CodeUnsigned},
		"another key":     {func(*testing.T, string) {}, forger.VerifierKey(), CodeBad},
		"bytes changed":   {replace(ExportReceipts, `"bytes":"eyJf`, `"bytes":"eyJg`), key, CodeBad},
		"bytes broken":    {replace(ExportReceipts, `"bytes":"eyJf`, `"bytes":"AAJf`), key, CodeBad},
		"hash changed":    {replace(ExportReceipts, hexOf(l.entries[9].Chain), hexOf(l.entries[8].Chain)), key, CodeBad},
		"receipt removed": {replace(ExportReceipts, string(appendLine(nil, l.entries[5])), ""), key, CodeBad},
		"end cut off":     {replace(ExportReceipts, last, ""), key, CodeTruncated},
		"size and end cut": {func(t *testing.T, dir string) {
			replace(ExportReceipts, last, "")(t, dir)
			replace(ExportCheckpoint, "\n21\n", "\n20\n")(t, dir)
		}, key, CodeBad},
		"no JSON":          {replace(ExportReceipts, `{"seq"`, `{seq"`), key, CodeUnreadable},
		"no receipts":      {func(t *testing.T, dir string) { mustRemove(t, filepath.Join(dir, ExportReceipts)) }, key, CodeUnreadable},
		"instance changed": {replace(ExportCheckpoint, "dw/test-1\n", "dw/test-2\n"), "", CodeBad},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "export")
			if err := WriteExport(dir, seq(l.entries), l.checkpoint(t, 21), key); err != nil {
				t.Fatal(err)
			}
			c.tamper(t, dir)
			bothSay(t, python, script, dir, c.key, c.code, VerifyExport(dir, c.key))
		})
	}
}

// TestDocumentedVerifierTakesAKeyFile: the key may lie in a file, as dw wants it.
func TestDocumentedVerifierTakesAKeyFile(t *testing.T) {
	t.Parallel()
	python, script := pythonVerifier(t)
	l := newTestLog(t, 3)
	dir := filepath.Join(t.TempDir(), "export")
	if err := WriteExport(dir, seq(l.entries), l.checkpoint(t, 3), l.signer.VerifierKey()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "receipts.pub")
	if err := os.WriteFile(path, []byte(l.signer.VerifierKey()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for key, code := range map[string]int{path: CodeGood, filepath.Join(dir, "gone.pub"): CodeUnreadable, filepath.Join(dir, "README"): CodeUnreadable} {
		if got, out := runPython(t, python, []string{script, dir, key}); got != code {
			t.Errorf("with %s python says %d, want %d: %s", filepath.Base(key), got, code, out)
		}
	}
}

// bothSay holds the documented program's answer on a folder, and dw's, against the
// code that both must give.
func bothSay(t *testing.T, python, script, dir, key string, want int, r Report) {
	t.Helper()
	args := []string{script, dir}
	if key != "" {
		args = append(args, key)
	}
	if code, out := runPython(t, python, args); code != want {
		t.Errorf("python says %d, want %d: %s", code, want, out)
	}
	if r.Code != want {
		t.Errorf("dw says %d, want %d: %s", r.Code, want, r)
	}
}

func runPython(t *testing.T, python string, args []string) (int, string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), python, args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		return exit.ExitCode(), string(out)
	}
	return 0, string(out)
}

func mustRemove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
