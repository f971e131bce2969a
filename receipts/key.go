package receipts

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// maxKeyFile is far above the size of any key file dw writes.
const maxKeyFile = 4096

// originPrefix and the instance's name make a key's name and a checkpoint's
// origin.
const originPrefix = "dw/"

// ErrKeyMode reports a private key that others than its owner could read.
var ErrKeyMode = errors.New("private key is readable by others")

// Signer signs checkpoints with an instance's private key. It prints as its
// verifier key, never as the key itself.
type Signer struct {
	signer   note.Signer
	verifier string
	previous note.Signer // nil but for the time in which two keys sign
}

// CreateKey makes an Ed25519 key for the instance called name from rand and
// writes it to path with mode 0600. It never overwrites: an existing file is
// an error that wraps fs.ErrExist.
func CreateKey(path, name string, rand io.Reader) (Signer, error) {
	s, text, err := newKey(name, rand)
	if err != nil {
		return Signer{}, fmt.Errorf("create key %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return Signer{}, fmt.Errorf("create key: %w", err)
	}
	if err := writeAndSync(f, text+"\n"); err != nil {
		// The file is ours, and half a key must not be mistaken for one.
		return Signer{}, errors.Join(fmt.Errorf("create key %s: %w", path, err), os.Remove(path))
	}
	return s, nil
}

func newKey(name string, rand io.Reader) (Signer, string, error) {
	if err := CheckInstance(name); err != nil {
		return Signer{}, "", err
	}
	text, verifier, err := note.GenerateKey(rand, originPrefix+name)
	if err != nil {
		return Signer{}, "", err
	}
	signer, err := note.NewSigner(text)
	return Signer{signer: signer, verifier: verifier}, text, err
}

func writeAndSync(f *os.File, text string) error {
	_, err := f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// LoadKey reads the private key at path. It refuses, with ErrKeyMode, a file
// that group or others may access, and never prints what it read.
func LoadKey(path string) (Signer, error) {
	text, err := readKeyFile(path)
	if err != nil {
		return Signer{}, fmt.Errorf("load key: %w", err)
	}
	s, err := parseKey(strings.TrimSpace(text))
	if err != nil {
		return Signer{}, fmt.Errorf("load key %s: %w", path, err)
	}
	return s, nil
}

func readKeyFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if err := checkKeyMode(path, info.Mode()); err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
	return string(b), err
}

func checkKeyMode(path string, mode fs.FileMode) error {
	if !mode.IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	if perm := mode.Perm(); perm&0o077 != 0 {
		return fmt.Errorf("%w: %s has mode %04o; run chmod 600 %s, and make a new key if someone may have read it",
			ErrKeyMode, path, perm, path)
	}
	return nil
}

// errKeyText says nothing of the text: it may be most of a key.
var errKeyText = errors.New("the file does not hold a key made by dw")

func parseKey(text string) (Signer, error) {
	signer, err := note.NewSigner(text)
	if err != nil || !strings.HasPrefix(signer.Name(), originPrefix) {
		return Signer{}, errKeyText
	}
	// PRIVATE+KEY+<name>+<id>+<base64>; the last part may hold a plus itself.
	parts := strings.SplitN(text, "+", 5)
	key, err := base64.StdEncoding.DecodeString(parts[len(parts)-1])
	if err != nil || len(key) != 1+ed25519.SeedSize {
		return Signer{}, errKeyText
	}
	public, ok := ed25519.NewKeyFromSeed(key[1:]).Public().(ed25519.PublicKey)
	if !ok {
		return Signer{}, errKeyText
	}
	verifier, err := note.NewEd25519VerifierKey(signer.Name(), public)
	if err != nil {
		return Signer{}, errKeyText
	}
	return Signer{signer: signer, verifier: verifier}, nil
}

// VerifierKey returns the public key in the form "dw/<instance>+<id>+<base64>".
func (s Signer) VerifierKey() string { return s.verifier }

// String returns the verifier key, so that a Signer may be logged.
func (s Signer) String() string { return s.verifier }

// Checkpoint returns a signed note, by both keys of WithPrevious, that says: the log of this instance had
// size receipts and this root.
func (s Signer) Checkpoint(size int64, root tlog.Hash) ([]byte, error) {
	if s.signer == nil {
		return nil, errors.New("sign checkpoint: no key; create or load one first")
	}
	if size < 0 {
		return nil, fmt.Errorf("sign checkpoint: negative size %d", size)
	}
	signers := []note.Signer{s.signer}
	if s.previous != nil {
		signers = append(signers, s.previous)
	}
	signed, err := note.Sign(&note.Note{Text: checkpointText(s.signer.Name(), size, root)}, signers...)
	if err != nil {
		return nil, fmt.Errorf("sign checkpoint of %d receipts: %w", size, err)
	}
	return signed, nil
}
