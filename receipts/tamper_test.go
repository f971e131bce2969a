package receipts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// driver runs the documented program over many folders in one process: a line with
// a folder and a key in, a line with its exit code, first bad receipt and words out.
const driver = `
import contextlib, io, json, re, sys
script = sys.argv[1]
code = compile(open(script).read(), script, "exec")
for line in sys.stdin:
    sys.argv, said, status = [script, *json.loads(line)], io.StringIO(), 0
    try:
        with contextlib.redirect_stdout(said): exec(code, {"__name__": "__main__"})
    except SystemExit as end: status = end.code
    bad = re.search(r"receipt (\d+):", said.getvalue())
    print(json.dumps({"code": status, "bad": int(bad[1]) if bad else 0, "said": said.getvalue()}))
`

// tamperFiles are the files of an export or a bundle by name.
type tamperFiles map[string][]byte

// tampered is one copy of an export or bundle that somebody changed.
type tampered struct {
	name   string
	files  tamperFiles
	bundle bool
	good   bool // what was changed is allowed
}

// flips changes one byte of every class of text: each stretch of it between two
// marks, at its first byte, in the middle and at its last.
func flips(name string, text []byte, from, to int) map[string][]byte {
	out := map[string][]byte{}
	add := func(class string, at int, c byte) {
		changed := bytes.Clone(text)
		changed[at] = c
		if !bytes.Equal(changed, text) {
			out[fmt.Sprintf("%s %s at %d to %q", name, class, at-from, c)] = changed
		}
	}
	for at := from; at < to; {
		end := at + 1
		for end < to && isWord(text[end]) == isWord(text[at]) && isWord(text[at]) {
			end++
		}
		for _, n := range []int{at, (at + end) / 2, end - 1} {
			add("low bit", n, text[n]^1)
			add("case", n, text[n]^0x20)
			if isWord(text[n]) {
				add("digit", n, "01"[(text[n]&1)^1])
			}
		}
		at = end
	}
	return out
}

func isWord(c byte) bool {
	return c == '+' || c == '/' || c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// tamperings are the copies of a thousand receipts' export, each changed in one way.
func tamperings(t *testing.T, l *testLog, export, bundle tamperFiles) []tampered {
	t.Helper()
	var out []tampered
	with := func(of tamperFiles, name, file string, content []byte, good bool) {
		files := maps.Clone(of)
		files[file] = content
		_, isBundle := of[BundleReceipts]
		out = append(out, tampered{name, files, isBundle, good})
	}
	lines := bytes.SplitAfter(export[ExportReceipts], []byte("\n"))
	lines = lines[:len(lines)-1]
	start := len(bytes.Join(lines[:499], nil))
	for name, content := range flips("line 500", export[ExportReceipts], start, start+len(lines[499])) {
		with(export, name, ExportReceipts, content, false)
	}
	for _, file := range []string{ExportCheckpoint, ExportPublicKey} {
		for name, content := range flips(file, export[file], 0, len(export[file])) {
			with(export, name, file, content, false)
		}
	}
	edit := func(name string, change func(lines [][]byte) [][]byte) {
		with(export, name, ExportReceipts, bytes.Join(change(slices.Clone(lines)), nil), false)
	}
	edit("two swapped", func(l [][]byte) [][]byte { l[299], l[300] = l[300], l[299]; return l })
	edit("first deleted", func(l [][]byte) [][]byte { return l[1:] })
	edit("one deleted", func(l [][]byte) [][]byte { return slices.Delete(l, 699, 700) })
	edit("one twice", func(l [][]byte) [][]byte { return slices.Insert(l, 700, l[699]) })
	edit("a blank line", func(l [][]byte) [][]byte { return slices.Insert(l, 700, []byte("\n")) })
	edit("a blank line at the end", func(l [][]byte) [][]byte { return append(l, []byte("\n")) })
	edit("the last cut off", func(l [][]byte) [][]byte { return l[:999] })
	edit("half cut off", func(l [][]byte) [][]byte { return l[:500] })
	edit("all cut off", func(l [][]byte) [][]byte { return nil })
	edit("cut within a line", func(l [][]byte) [][]byte { l[600] = l[600][:50]; return l[:601] })
	edit("the last newline cut", func(l [][]byte) [][]byte { l[999] = bytes.TrimSuffix(l[999], []byte("\n")); return l })
	edit("CR before the newline", func(l [][]byte) [][]byte { l[9] = append(bytes.TrimSuffix(l[9], []byte("\n")), "\r\n"...); return l })
	edit("a space in JSON", func(l [][]byte) [][]byte { l[9] = bytes.Replace(l[9], []byte(`,"b`), []byte(`, "b`), 1); return l })
	edit("chain rewritten from 400", func(_ [][]byte) [][]byte { return rewritten(t, l, 399) })
	edit("chain rewritten whole", func(_ [][]byte) [][]byte { return rewritten(t, l, 0) })

	forger := keyOf(t, 9, testInstance)
	root, err := Root(1000, l.tree)
	if err != nil {
		t.Fatal(err)
	}
	forged, err := forger.Checkpoint(1000, root)
	if err != nil {
		t.Fatal(err)
	}
	with(export, "signed by a forger", ExportCheckpoint, forged, false)
	with(export, "an earlier checkpoint of the log", ExportCheckpoint, l.checkpoint(t, 600), true)
	other := keyOf(t, 7, "elsewhere")
	foreign, err := other.Checkpoint(1000, root)
	if err != nil {
		t.Fatal(err)
	}
	with(export, "a checkpoint of another log", ExportCheckpoint, foreign, false)
	swapped := maps.Clone(export)
	swapped[ExportCheckpoint], swapped[ExportPublicKey] = forged, []byte(forger.VerifierKey()+"\n")
	out = append(out, tampered{name: "checkpoint and key of a forger", files: swapped})

	proven := bytes.SplitAfter(bundle[BundleReceipts], []byte("\n"))
	proven = proven[:len(proven)-1]
	start = len(proven[0]) + len(proven[1])
	for name, content := range flips("bundle line 3", bundle[BundleReceipts], start, start+len(proven[2])) {
		with(bundle, name, BundleReceipts, content, false)
	}
	for name, content := range flips("bundle head", bundle[BundleReceipts], 0, len(proven[0])) {
		with(bundle, name, BundleReceipts, content, false)
	}
	rebundle := func(name string, change func(lines [][]byte) [][]byte) {
		with(bundle, "bundle: "+name, BundleReceipts, bytes.Join(change(slices.Clone(proven)), nil), false)
	}
	rebundle("two swapped", func(l [][]byte) [][]byte { l[1], l[2] = l[2], l[1]; return l })
	rebundle("one twice", func(l [][]byte) [][]byte { return slices.Insert(l, 2, l[1]) })
	rebundle("the last cut off", func(l [][]byte) [][]byte { return l[:len(l)-1] })
	rebundle("one deleted", func(l [][]byte) [][]byte { return slices.Delete(l, 2, 3) })
	rebundle("a receipt of another incident", func(lines [][]byte) [][]byte {
		lines[len(lines)-1] = foreignLine(t, l, 900)
		return lines
	})
	return out
}

// rewritten is the log with another receipt at index at, and everything that follows
// computed anew: only the checkpoint tells.
func rewritten(t *testing.T, l *testLog, at int) [][]byte {
	t.Helper()
	head := Head{}
	if at > 0 {
		head = Head{Seq: int64(at), Chain: l.entries[at-1].Chain}
	}
	lines := make([][]byte, 0, len(l.entries))
	for _, e := range l.entries[:at] {
		lines = append(lines, appendLine(nil, e))
	}
	for n := at; n < len(l.entries); n++ {
		e, next, err := Append(testInstance, head, testDraft(n+1))
		if err != nil {
			t.Fatal(err)
		}
		lines, head = append(lines, appendLine(nil, e)), next
	}
	return lines
}

// foreignLine is a receipt of another incident with a good proof.
func foreignLine(t *testing.T, l *testLog, seq int64) []byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bundle")
	about, err := incidentOf(l.entries[seq-1])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := WriteBundle(dir, about, entriesOf(l), l.checkpoint(t, 1000), l.signer.VerifierKey()); err != nil {
		t.Fatal(err)
	}
	return bytes.SplitAfter(readFiles(t, dir)[BundleReceipts], []byte("\n"))[1]
}

func entriesOf(l *testLog) func(func(Entry, error) bool) { return seq(l.entries) }

func readFiles(t *testing.T, dir string) tamperFiles {
	t.Helper()
	files := tamperFiles{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestTamperMatrix: every kind of change to a thousand receipts, and to a bundle of
// them, is named by dw and by the documented program alike: the same exit code, and
// the same first bad receipt.
func TestTamperMatrix(t *testing.T) {
	t.Parallel()
	python, script := pythonVerifier(t)
	l := newTestLog(t, 1000)
	key := l.signer.VerifierKey()
	base := t.TempDir()
	if err := WriteExport(filepath.Join(base, "export"), entriesOf(l), l.checkpoint(t, 1000), key); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteBundle(filepath.Join(base, "bundle"), "INC-3", entriesOf(l), l.checkpoint(t, 1000), key); err != nil {
		t.Fatal(err)
	}
	export, bundle := readFiles(t, filepath.Join(base, "export")), readFiles(t, filepath.Join(base, "bundle"))
	cases := tamperings(t, l, export, bundle)
	cases = append(cases, tampered{"nothing", export, false, true}, tampered{"nothing", bundle, true, true})
	slices.SortFunc(cases, func(a, b tampered) int { return strings.Compare(a.name, b.name) })
	answers := askPython(t, python, script, base, key, cases)
	seen := map[int]int{}
	for n, c := range cases {
		dir := filepath.Join(base, fmt.Sprint(n))
		r := VerifyExport(dir, key)
		if c.bundle {
			r = VerifyBundle(dir, key)
		}
		seen[r.Code]++
		if (r.Code == CodeGood) != c.good {
			t.Errorf("%s: dw says %d: %s", c.name, r.Code, r)
		}
		a := answers[n]
		if a.Code != r.Code || r.Code == CodeBad && a.Bad != r.FirstBad {
			t.Errorf("%s:\n dw says     %d at %d: %s\n python says %d at %d: %s", c.name, r.Code, r.FirstBad, r, a.Code, a.Bad, a.Said)
		}
	}
	if seen[CodeBad] < 100 || seen[CodeUnreadable] < 50 || seen[CodeTruncated] < 4 {
		t.Errorf("codes seen: %v", seen)
	}
}

type pythonAnswer struct {
	Code int    `json:"code"`
	Bad  int64  `json:"bad"`
	Said string `json:"said"`
}

// askPython writes every case to a folder of its own, where what did not change is a
// link, and runs the program over all of them.
func askPython(t *testing.T, python, script, base, key string, cases []tampered) []pythonAnswer {
	t.Helper()
	var in bytes.Buffer
	for n, c := range cases {
		dir := filepath.Join(base, fmt.Sprint(n))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, content := range c.files {
			path, whole := filepath.Join(dir, name), filepath.Join(base, "export", name)
			if c.bundle {
				whole = filepath.Join(base, "bundle", name)
			}
			same, err := os.ReadFile(whole)
			if err == nil && bytes.Equal(same, content) {
				err = os.Link(whole, path)
			} else {
				err = os.WriteFile(path, content, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		line, err := json.Marshal([]string{dir, key})
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	program := filepath.Join(base, "driver.py")
	if err := os.WriteFile(program, []byte(driver), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, program, script)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	said, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answers []pythonAnswer
	for line := range bytes.Lines(said) {
		var a pythonAnswer
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		answers = append(answers, a)
	}
	if len(answers) != len(cases) {
		t.Fatalf("%d answers to %d cases", len(answers), len(cases))
	}
	return answers
}
