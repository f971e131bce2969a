package receipts

import (
	"crypto/rand"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func sealedDraft(t testing.TB, body Object) (Draft, []Text) {
	t.Helper()
	d := testDraft(0)
	d.Body = body
	d, texts, err := Sealer{Rand: rand.Reader}.Seal(d)
	if err != nil {
		t.Fatal(err)
	}
	return d, texts
}

// TestFreeTextIsNotInTheReceipt: the receipt holds a salted hash, the text lies
// beside it, and only that text with that salt belongs to the receipt.
func TestFreeTextIsNotInTheReceipt(t *testing.T) {
	t.Parallel()
	d, texts := sealedDraft(t, Object{
		"reason": FreeText("the plant is being rebuilt"), "empty": FreeText(""),
		"list": []Value{Object{"comment": FreeText("the plant is being rebuilt")}},
	})
	e, _, err := Append(testInstance, Head{}, d)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(e.Bytes), "rebuilt") {
		t.Errorf("the text stands in the receipt: %s", e.Bytes)
	}
	if len(texts) != 2 || texts[0].Field != "list/0/comment" || texts[1].Field != "reason" {
		t.Fatalf("texts %+v", texts)
	}
	if texts[0].Hash() == texts[1].Hash() {
		t.Error("equal texts have equal hashes: the salt does nothing")
	}
	for _, text := range texts {
		if err := CheckText(e.Bytes, text); err != nil {
			t.Error(err)
		}
	}
	for name, change := range map[string]func(*Text){
		"another text":  func(t *Text) { t.Text += " " },
		"another salt":  func(t *Text) { t.Salt[0] ^= 1 },
		"another field": func(t *Text) { t.Field = "list/0/comment" },
		"no such field": func(t *Text) { t.Field = "empty" },
	} {
		changed := texts[1]
		change(&changed)
		if err := CheckText(e.Bytes, changed); !errors.Is(err, ErrText) {
			t.Errorf("%s: %v, want ErrText", name, err)
		}
	}
}

func TestFreeTextMustBeSealed(t *testing.T) {
	t.Parallel()
	d := testDraft(0)
	d.Body = Object{"reason": FreeText("plain")}
	if _, _, err := Append(testInstance, Head{}, d); !errors.Is(err, ErrValue) {
		t.Errorf("an unsealed text: %v, want ErrValue", err)
	}
	if _, _, err := (Sealer{Rand: strings.NewReader("too short")}).Seal(d); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("no salt: %v", err)
	}
}

// textLog is a log of three receipts, of which the second has a text.
func textLog(t *testing.T) (*testLog, []KeptText) {
	t.Helper()
	l := newTestLog(t, 1)
	d, texts := sealedDraft(t, Object{"reason": FreeText("too risky on a Friday")})
	l.append(t, d)
	l.append(t, testDraft(2))
	return l, []KeptText{{Seq: 2, Text: texts[0]}}
}

func TestExportWithTexts(t *testing.T) {
	t.Parallel()
	l, texts := textLog(t)
	key := l.signer.VerifierKey()
	dir := filepath.Join(t.TempDir(), "export")
	if err := WriteExport(dir, seq(l.entries), l.checkpoint(t, 3), key); err != nil {
		t.Fatal(err)
	}
	if r := VerifyExport(dir, key); r.Code != CodeGood || r.Texts != 0 {
		t.Errorf("without texts: %+v", r)
	}
	if err := WriteTexts(dir, texts); err != nil {
		t.Fatal(err)
	}
	if r := VerifyExport(dir, key); r.Code != CodeGood || r.Texts != 1 {
		t.Errorf("with texts: %+v", r)
	}
	good := readDir(t, dir)
	line, err := appendText(nil, 2, texts[0].Text)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		content string
		code    int
		seq     int64
	}{
		"another text":       {strings.Replace(string(line), "Friday", "Monday", 1), CodeBad, 2},
		"another receipt":    {strings.Replace(string(line), `"seq":"2"`, `"seq":"3"`, 1), CodeBad, 3},
		"of no receipt":      {strings.Replace(string(line), `"seq":"2"`, `"seq":"4"`, 1), CodeBad, 4},
		"twice":              {string(line) + string(line), CodeUnreadable, 0},
		"cut off":            {string(line[:len(line)-1]), CodeUnreadable, 0},
		"no JSON":            {"{\n", CodeUnreadable, 0},
		"another spelling":   {strings.Replace(string(line), `{"field"`, `{ "field"`, 1), CodeUnreadable, 0},
		"salt in upper case": {strings.ToUpper(string(line)), CodeUnreadable, 0},
	} {
		good[ExportTexts] = &fstest.MapFile{Data: []byte(c.content)}
		if r := verifyExport(good, key, nil); r.Code != c.code || r.FirstBad != c.seq {
			t.Errorf("%s: %+v, want code %d at %d", name, r, c.code, c.seq)
		}
	}
}
