package receipts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// VerifyBundle checks the bundle folder dir: that each receipt is in the log
// under the checkpoint at its own seq, that all are of the incident that the
// bundle names, in order and none twice, and the signature by publicKey, which
// must come by another way than the bundle. The codes are those of
// VerifyEntries; CodeTruncated means that lines are missing at the end.
func VerifyBundle(dir, publicKey string) Report {
	return verifyBundle(os.DirFS(dir), publicKey)
}

func verifyBundle(dir fs.FS, publicKey string) Report {
	b := bundleCheck{key: strings.TrimSpace(publicKey)}
	f := b.run(dir)
	return b.report(f)
}

type bundleCheck struct {
	key        string
	folderKey  string
	checkpoint Checkpoint
	incident   string
	announced  string
	last, seen int64
	texts      *textCheck
}

func (b *bundleCheck) run(dir fs.FS) *fault {
	x, f := openFolder(dir, b.key, bundleReadme)
	if f != nil {
		return f
	}
	b.folderKey, b.texts = x.key, x.texts
	var err error
	if b.checkpoint, err = OpenCheckpoint(x.checkpoint, b.key); err != nil {
		return checkpointFault(err)
	}
	file, err := dir.Open(BundleReceipts)
	if err != nil {
		return &fault{code: CodeUnreadable, problem: err.Error()}
	}
	defer func() { _ = file.Close() }() // only read
	lines := bufio.NewReader(file)
	if f := b.header(lines); f != nil {
		return f
	}
	for n := int64(2); ; n++ {
		line, err := readLine(lines, nil)
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return b.end()
		}
		if err != nil {
			return &fault{code: CodeUnreadable, problem: strings.Replace(lineError(n, err).Error(), ExportReceipts, BundleReceipts, 1)}
		}
		if f := b.line(n, line[:len(line)-1]); f != nil {
			return f
		}
	}
}

func (b *bundleCheck) header(lines *bufio.Reader) *fault {
	line, err := readLine(lines, nil)
	if err != nil {
		return &fault{code: CodeUnreadable, problem: BundleReceipts + " has no first line"}
	}
	o, err := Decode(line[:len(line)-1])
	if err != nil || o["bundle"] != "urn:dw:bundle:v1" {
		return &fault{code: CodeUnreadable, problem: BundleReceipts + " line 1 is not the head of a bundle"}
	}
	b.incident, _ = o["incident"].(string)
	b.announced, _ = o["count"].(string)
	count, err := strconv.Atoi(b.announced)
	if err != nil || b.incident == "" || count < 1 || !bytes.Equal(line, bundleHeader(b.incident, count)) {
		return &fault{code: CodeUnreadable, problem: BundleReceipts + " line 1 is not written as dw writes it"}
	}
	return nil
}

func (b *bundleCheck) line(n int64, line []byte) *fault {
	p, err := parseProven(line)
	if err != nil {
		return &fault{code: CodeUnreadable, problem: fmt.Sprintf("%s line %d: %v", BundleReceipts, n, err)}
	}
	bad := func(problem, expected, found string) *fault {
		return &fault{code: CodeBad, seq: p.Seq, problem: problem, expected: expected, found: found}
	}
	if p.Seq <= b.last {
		return bad("the receipts are not in order", "more than "+decimal(b.last), decimal(p.Seq))
	}
	if p.Seq > b.checkpoint.Size {
		return bad("the checkpoint does not reach this receipt", "at most "+decimal(b.checkpoint.Size), decimal(p.Seq))
	}
	if err := tlog.CheckRecord(p.proof, b.checkpoint.Size, b.checkpoint.Root, p.Seq-1, p.Leaf); err != nil {
		return bad("the receipt is not in the log that the checkpoint signs: its proof does not lead to the root", b.checkpoint.Root.String(), "")
	}
	place := verification{instance: strings.TrimPrefix(b.checkpoint.Origin, originPrefix), texts: b.texts}
	if f := place.checkPlace(&p.Entry, bad); f != nil {
		return f
	}
	about, err := incidentOf(p.Entry)
	if err != nil || about != b.incident {
		return bad("a receipt of another incident", b.incident, about)
	}
	b.last, b.seen = p.Seq, b.seen+1
	return nil
}

func (b *bundleCheck) end() *fault {
	switch seen := decimal(b.seen); {
	case len(b.announced) > len(seen) || len(b.announced) == len(seen) && b.announced > seen:
		return &fault{code: CodeTruncated, problem: "every receipt present verifies, but the bundle says there were more", expected: b.announced + " receipts", found: seen}
	case b.announced != seen:
		return &fault{code: CodeBad, problem: "the bundle holds more receipts than it says", expected: b.announced, found: seen}
	case b.texts.end() != nil:
		return b.texts.end()
	case b.key == "":
		return &fault{code: CodeUnsigned, problem: "no public key was given; the bundle names " + b.folderKey + ", which proves nothing by itself"}
	}
	return nil
}

func (b *bundleCheck) report(f *fault) Report {
	r := Report{Count: b.seen, Signed: b.seen, Origin: b.checkpoint.Origin, SignatureChecked: f == nil, ExportKey: b.folderKey, Bundle: b.incident}
	if b.texts != nil {
		r.Texts = b.texts.good
	}
	if f != nil {
		r.Code, r.FirstBad, r.Problem, r.Expected, r.Found = f.code, f.seq, f.problem, f.expected, f.found
	}
	return r
}

// otherKind names a folder that is a bundle where an export was asked for, or
// the other way round.
func otherKind(dir fs.FS, readme []byte) *fault {
	name, other, say := ExportReceipts, BundleReceipts, "this folder is a bundle of one incident, not an export: use --bundle"
	if bytes.Equal(readme, bundleReadme) {
		name, other, say = BundleReceipts, ExportReceipts, "this folder is an export of the whole log, not a bundle: use --export"
	}
	_, missing := fs.Stat(dir, name)
	_, err := fs.Stat(dir, other)
	if missing != nil && err == nil {
		return &fault{code: CodeUnreadable, problem: say}
	}
	return nil
}

// openFolder reads what lies beside the receipts of an export or a bundle.
func openFolder(dir fs.FS, publicKey string, readme []byte) (folder, *fault) {
	if f := otherKind(dir, readme); f != nil {
		return folder{}, f
	}
	checkpoint, err := fs.ReadFile(dir, ExportCheckpoint)
	if err != nil {
		return folder{}, &fault{code: CodeUnreadable, problem: err.Error()}
	}
	key, f := readExportKey(dir)
	if f != nil {
		return folder{}, f
	}
	if _, err := newVerifier(publicKey); publicKey != "" && err != nil {
		return folder{}, checkpointFault(err)
	}
	// Not trust, only agreement: a checkpoint that even the key beside it did
	// not sign is damaged, whatever else is known.
	if _, err := OpenCheckpoint(checkpoint, key); err != nil {
		return folder{}, checkpointFault(err)
	}
	found, err := fs.ReadFile(dir, ExportReadme)
	if err != nil {
		return folder{}, &fault{code: CodeUnreadable, problem: err.Error()}
	}
	if !bytes.Equal(found, readme) {
		return folder{}, &fault{code: CodeBad, problem: "the README is not the one dw writes; do not follow it"}
	}
	texts, f := readTexts(dir)
	return folder{checkpoint: checkpoint, key: key, texts: texts}, f
}
