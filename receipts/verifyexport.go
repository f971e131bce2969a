package receipts

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"strings"
)

// maxLine holds the largest receipt in base64 with its hashes around it.
const maxLine = MaxBytes/3*4 + 4096

// VerifyExport checks the export folder dir as VerifyEntries checks receipts,
// and that its public key and README are what WriteExport wrote. publicKey must
// come by another way than the export: without it the answer is CodeUnsigned at
// best, whatever the key in the folder says. atLeast holds earlier checkpoints
// that the export must still contain.
func VerifyExport(dir string, publicKey string, atLeast ...[]byte) Report {
	return verifyExport(os.DirFS(dir), strings.TrimSpace(publicKey), atLeast)
}

func verifyExport(dir fs.FS, publicKey string, atLeast [][]byte) Report {
	x, f := openFolder(dir, publicKey, exportReadme)
	if f != nil {
		return (&verification{}).report(f)
	}
	lines, err := dir.Open(ExportReceipts)
	if err != nil {
		return (&verification{}).report(&fault{code: CodeUnreadable, problem: err.Error()})
	}
	defer func() { _ = lines.Close() }() // only read
	r := verifyEntries(readLines(lines), Head{}, publicKey, x, atLeast)
	r.ExportKey = x.key
	if r.Code == CodeUnsigned {
		r.Problem += fmt.Sprintf("; the export names %s, which proves nothing by itself:"+
			" ask the team that runs dw for its key and compare", x.key)
	}
	return r
}

func readExportKey(dir fs.FS) (string, *fault) {
	data, err := fs.ReadFile(dir, ExportPublicKey)
	if err != nil {
		return "", &fault{code: CodeUnreadable, problem: err.Error()}
	}
	key, ended := strings.CutSuffix(string(data), "\n")
	if _, err := newVerifier(key); err != nil || !ended {
		return "", &fault{code: CodeUnreadable, problem: ExportPublicKey + " does not hold one public key"}
	}
	return key, nil
}

// readLines yields the receipts of an export. Each line must end in a newline,
// so that a file cut in the middle of one does not pass.
func readLines(r io.Reader) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		lines := bufio.NewReader(r)
		var line []byte
		for n := int64(1); ; n++ {
			var err error
			line, err = readLine(lines, line[:0])
			if errors.Is(err, io.EOF) && len(line) == 0 {
				return
			}
			var e Entry
			if err == nil {
				e, err = parseLine(line[:len(line)-1])
			}
			if err != nil {
				yield(Entry{}, lineError(n, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// readLine appends a line with its newline to dst, which it lets grow to
// maxLine and no further.
func readLine(r *bufio.Reader, dst []byte) ([]byte, error) {
	for {
		part, err := r.ReadSlice('\n')
		dst = append(dst, part...)
		if len(dst) > maxLine {
			return dst, errLongLine
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return dst, err
		}
	}
}

var errLongLine = errors.New("longer than the largest receipt")

func lineError(n int64, err error) error {
	if errors.Is(err, io.EOF) {
		err = errors.New("cut off: no newline at the end")
	}
	return fmt.Errorf("%s line %d: %w", ExportReceipts, n, err)
}
