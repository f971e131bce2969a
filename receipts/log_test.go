package receipts

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

const testInstance = "test-1"

func testStart() time.Time { return time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC) }

// treeStore keeps tree hashes the way a database would: by index.
type treeStore []tlog.Hash

func (s treeStore) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		if index >= int64(len(s)) {
			return nil, fmt.Errorf("no tree hash %d", index)
		}
		out[i] = s[index]
	}
	return out, nil
}

// testLog is a log with everything that belongs to it.
type testLog struct {
	entries []Entry
	head    Head
	tree    treeStore
	signer  Signer
	keyPath string
}

// newTestLog appends n varied receipts; its key is the same in every run.
func newTestLog(t testing.TB, n int) *testLog {
	t.Helper()
	l := &testLog{keyPath: filepath.Join(t.TempDir(), "receipts.key")}
	var err error
	if l.signer, err = CreateKey(l.keyPath, testInstance, bytes.NewReader(bytes.Repeat([]byte{7}, 64))); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		l.append(t, testDraft(i))
	}
	return l
}

func (l *testLog) append(t testing.TB, d Draft) {
	t.Helper()
	e, head, err := Append(testInstance, l.head, d)
	if err != nil {
		t.Fatal(err)
	}
	if got := FirstIndex(e.Seq); got != int64(len(l.tree)) {
		t.Fatalf("FirstIndex(%d) = %d, but %d hashes are stored", e.Seq, got, len(l.tree))
	}
	hashes, err := StoredHashes(e.Seq, e.Leaf, l.tree)
	if err != nil {
		t.Fatal(err)
	}
	l.entries, l.head, l.tree = append(l.entries, e), head, append(l.tree, hashes...)
}

func (l *testLog) checkpoint(t testing.TB, size int64) []byte {
	t.Helper()
	root, err := Root(size, l.tree)
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.signer.Checkpoint(size, root)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// verify checks entries against the log's own head, checkpoint and key.
func (l *testLog) verify(t testing.TB, entries []Entry) Report {
	t.Helper()
	return VerifyEntries(seq(entries), l.head, l.checkpoint(t, l.head.Seq), l.signer.VerifierKey())
}

// export returns the log's export as files in memory.
func (l *testLog) export(t testing.TB) fstest.MapFS {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "export")
	if err := WriteExport(dir, seq(l.entries), l.checkpoint(t, l.head.Seq), l.signer.VerifierKey()); err != nil {
		t.Fatal(err)
	}
	return readDir(t, dir)
}

func seq(entries []Entry) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func testDraft(i int) Draft {
	kinds := []string{KindIncidentOpened, KindProposalCreated, KindDecisionRecorded, KindStepIntent, KindStepOutcome}
	return Draft{
		Kind:     kinds[i%len(kinds)],
		Incident: fmt.Sprintf("INC-%d", i/5+1),
		Proposal: []string{"", "P1"}[i%2],
		Actor:    Actor{Kind: ActorHuman, Team: "T1", User: fmt.Sprintf("U%d", i%7), Name: "Zoë \"Q\" \u202e"},
		At:       testStart().Add(time.Duration(i) * 1234567 * time.Microsecond),
		Subject:  []Subject{{Name: "db://shop/orders", Digest: hexOf(LeafHash([]byte{byte(i)}))}},
		Body: Object{
			"seq": "999", "instance": "not-this-one", "rows": i * 1000, "undo": i%3 == 0,
			"lines":  []string{"a\tb\\", "\u2028\x7f\x01</script>", "\U0001F4A9"},
			"nested": Object{"predicate": Object{"seq": "1"}, "empty": Object{}, "list": []Value{}},
		},
	}
}

func readDir(t testing.TB, dir string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	for _, name := range []string{ExportReceipts, ExportCheckpoint, ExportPublicKey, ExportReadme} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: b}
	}
	return files
}
