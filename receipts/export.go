package receipts

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
)

// Files of an export folder.
const (
	ExportReceipts   = "receipts.ndjson"
	ExportCheckpoint = "checkpoint"
	ExportPublicKey  = "public_key"
	ExportReadme     = "README"
)

// exportReadme is the same in every export of format 1, so that a verifier can
// tell when someone changed the instructions.
//
//go:embed readme.txt
var exportReadme []byte

// ErrNotEmpty reports an export folder that already holds something.
var ErrNotEmpty = errors.New("folder is not empty")

// WriteExport writes the receipts of src, the signed checkpoint and the public
// key that signed it into dir, made if missing, with a README. It refuses a
// folder that is not empty and a checkpoint that verifierKey did not sign, and
// removes what it wrote if it fails. It does not verify the receipts: an export
// of a damaged log is evidence too.
func WriteExport(dir string, src iter.Seq2[Entry, error], checkpoint []byte, verifierKey string) error {
	if err := writeExport(dir, src, checkpoint, verifierKey); err != nil {
		return fmt.Errorf("export receipts to %s: %w", dir, err)
	}
	return nil
}

func writeExport(dir string, src iter.Seq2[Entry, error], checkpoint []byte, verifierKey string) error {
	if verifierKey == "" {
		return fmt.Errorf("public key: %w: it is empty", ErrMalformed)
	}
	if _, err := OpenCheckpoint(checkpoint, verifierKey); err != nil {
		return err
	}
	if err := makeEmptyDir(dir); err != nil {
		return err
	}
	return writeParts(dir, []part{
		{ExportReceipts, func(w io.Writer) error { return writeLines(w, src) }},
		{ExportCheckpoint, writeBytes(checkpoint)},
		{ExportPublicKey, writeBytes([]byte(verifierKey + "\n"))},
		{ExportReadme, writeBytes(exportReadme)},
	})
}

// part is one file of an export or a bundle.
type part struct {
	name  string
	write func(io.Writer) error
}

// writeParts writes every part, or removes what it wrote.
func writeParts(dir string, parts []part) error {
	for i, part := range parts {
		if err := writeFile(filepath.Join(dir, part.name), part.write); err != nil {
			for _, written := range parts[:i+1] {
				err = errors.Join(err, removeIfThere(filepath.Join(dir, written.name)))
			}
			return err
		}
	}
	return nil
}

func makeEmptyDir(dir string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%w: it holds %s; name a new folder", ErrNotEmpty, entries[0].Name())
	}
	return nil
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	return errors.Join(write(w), w.Flush(), f.Close())
}

func writeBytes(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}

func writeLines(w io.Writer, src iter.Seq2[Entry, error]) error {
	var line []byte
	for e, err := range src {
		if err != nil {
			return fmt.Errorf("read receipts: %w", err)
		}
		line = appendLine(line[:0], e)
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
