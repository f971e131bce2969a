package receipts

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
)

// ExportTexts is the file of an export or bundle that holds the free texts of its
// receipts. It may be missing, and may lack any of them.
const ExportTexts = "texts.ndjson"

// KeptText is a free text with the seq of its receipt.
type KeptText struct {
	Seq int64
	Text
}

// WriteTexts writes texts, ordered by seq and field, into the folder of an export
// or bundle that was written before. No texts make no file.
func WriteTexts(dir string, texts []KeptText) error {
	if len(texts) == 0 {
		return nil
	}
	err := writeParts(dir, []part{{ExportTexts, func(w io.Writer) error {
		for _, t := range texts {
			line, err := appendText(nil, t.Seq, t.Text)
			if err != nil {
				return err
			}
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	}}})
	if err != nil {
		return fmt.Errorf("write texts to %s: %w", filepath.Join(dir, ExportTexts), err)
	}
	return nil
}

// textCheck holds the texts that came with an export until their receipts pass by.
type textCheck struct {
	texts map[int64][]Text
	last  int64 // greatest seq that a text is of
	good  int
}

// readTexts reads the texts beside an export; none where there is no such file.
func readTexts(dir fs.FS) (*textCheck, *fault) {
	c := &textCheck{texts: map[int64][]Text{}}
	file, err := dir.Open(ExportTexts)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, &fault{code: CodeUnreadable, problem: err.Error()}
	}
	defer func() { _ = file.Close() }() // only read
	lines, field := bufio.NewReader(file), ""
	for n := int64(1); ; n++ {
		line, err := readLine(lines, nil)
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return c, nil
		}
		var seq int64
		var t Text
		if err == nil {
			seq, t, err = parseText(line[:len(line)-1])
		}
		if err == nil && (seq < c.last || seq == c.last && t.Field <= field) {
			err = errors.New("not in the order of receipts and fields")
		}
		if err != nil {
			problem := strings.Replace(lineError(n, err).Error(), ExportReceipts, ExportTexts, 1)
			return nil, &fault{code: CodeUnreadable, problem: problem}
		}
		c.texts[seq], c.last, field = append(c.texts[seq], t), seq, t.Field
	}
}

// check compares the texts of one receipt with its bytes.
func (c *textCheck) check(e *Entry) *fault {
	if c == nil {
		return nil
	}
	for _, t := range c.texts[e.Seq] {
		if err := CheckText(e.Bytes, t); err != nil {
			return &fault{code: CodeBad, seq: e.Seq, problem: err.Error()}
		}
		c.good++
	}
	delete(c.texts, e.Seq)
	return nil
}

// end finds a text whose receipt never came.
func (c *textCheck) end() *fault {
	if c == nil || len(c.texts) == 0 {
		return nil
	}
	first := c.last
	for seq := range c.texts {
		first = min(first, seq)
	}
	return &fault{code: CodeBad, seq: first, problem: ExportTexts + " holds a text of a receipt that is not here"}
}
