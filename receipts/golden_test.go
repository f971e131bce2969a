package receipts

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite testdata/chain3; a difference there is a change of format")

// chain3 is a log of three receipts with a fixed key, for other
// implementations to compare with.
func chain3(t *testing.T) *testLog {
	l := newTestLog(t, 0)
	dw := Actor{Kind: ActorDW, Name: "dw"}
	l.append(t, Draft{Kind: KindKeyCreated, Actor: dw, At: testStart(), Body: Object{"key": l.signer.VerifierKey()}})
	l.append(t, Draft{
		Kind: KindIncidentOpened, Incident: "1", Actor: dw, At: testStart().Add(1500 * time.Millisecond),
		Body: Object{"asset": "sqlite://shop/orders", "rows": int64(9007199254740993), "late": false, "\U0001F600": "emoji", "\uff5e": "tilde"},
	})
	l.append(t, Draft{
		Kind: KindDecisionRecorded, Incident: "1", Proposal: "P1", At: testStart().Add(time.Minute),
		Actor:   Actor{Kind: ActorHuman, Team: "T1", User: "U1", Name: "e\u0301 \"quoted\"\n\u0001</b>"},
		Subject: []Subject{{Name: "proposal/P1", Digest: hexOf(LeafHash([]byte("P1")))}},
		Body:    Object{"verdict": "approve", "cc": []string{"U2", "U3"}, "none": []Value{}, "nothing": Object{}},
	})
	return l
}

func TestGoldenChain(t *testing.T) {
	t.Parallel()
	l := chain3(t)
	files := l.export(t)
	dir := filepath.Join("testdata", "chain3")
	if *update {
		if err := os.MkdirAll(dir, 0o750); err != nil {
			t.Fatal(err)
		}
		for name, f := range files {
			if err := os.WriteFile(filepath.Join(dir, name), f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, want := range readDir(t, dir) {
		if got := files[name].Data; !bytes.Equal(got, want.Data) {
			t.Errorf("%s\n %s\nwant\n %s", name, got, want.Data)
		}
	}
	if r := VerifyExport(dir, l.signer.VerifierKey()); r.Code != CodeGood || r.Count != 3 {
		t.Errorf("testdata/chain3: %+v", r)
	}
}
