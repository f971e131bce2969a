package receipts

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func seed() *bytes.Reader { return bytes.NewReader(bytes.Repeat([]byte{1}, 64)) }

func TestCreateKeyThenLoadKey(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "receipts.key")
	made, err := CreateKey(path, "acme", seed())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	loaded, err := LoadKey(path)
	if err != nil || loaded.VerifierKey() != made.VerifierKey() || !strings.HasPrefix(made.VerifierKey(), "dw/acme+") {
		t.Fatalf("LoadKey = %v, %v; made %v", loaded, err, made)
	}
	signed, err := loaded.Checkpoint(0, [32]byte{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCheckpoint(signed, made.VerifierKey()); err != nil {
		t.Errorf("the key made does not verify what the key loaded signed: %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	secret := string(text[bytes.LastIndexByte(text, '+')+1 : len(text)-1])
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if printed := fmt.Sprintf(format, loaded); strings.Contains(printed, secret) {
			t.Errorf("%s prints the private key", format)
		}
	}
}

// TestEveryKeyLoadsAgain: about half of all keys have a plus in their base64.
func TestEveryKeyLoadsAgain(t *testing.T) {
	t.Parallel()
	for n := range byte(64) {
		path := filepath.Join(t.TempDir(), "receipts.key")
		made, err := CreateKey(path, "acme", bytes.NewReader(bytes.Repeat([]byte{n}, 64)))
		if err != nil {
			t.Fatal(err)
		}
		if loaded, err := LoadKey(path); err != nil || loaded.VerifierKey() != made.VerifierKey() {
			t.Errorf("key %d: %v", n, err)
		}
	}
}

func TestCreateKeyNeverOverwrites(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "receipts.key")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := CreateKey(path, "acme", seed()); !errors.Is(err, fs.ErrExist) {
		t.Errorf("CreateKey over a file: %v, want fs.ErrExist", err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "precious" {
		t.Errorf("the file now holds %q, %v", b, err)
	}
}

func TestCreateKeyLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	for name, create := range map[string]func(path string) error{
		"bad name": func(path string) error { _, err := CreateKey(path, "a+b", seed()); return err },
		"no entropy": func(path string) error {
			_, err := CreateKey(path, "acme", bytes.NewReader([]byte{1, 2}))
			return err
		},
	} {
		path := filepath.Join(t.TempDir(), "receipts.key")
		if err := create(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want an error that names the file", name, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a file was left: %v", name, err)
		}
	}
}

func TestLoadKeyRefusesWhatOthersCanRead(t *testing.T) {
	t.Parallel()
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o620, 0o610, 0o602, 0o644, 0o660} {
		path := filepath.Join(t.TempDir(), "receipts.key")
		if _, err := CreateKey(path, "acme", seed()); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := LoadKey(path)
		if !errors.Is(err, ErrKeyMode) || !strings.Contains(err.Error(), "chmod 600 "+path) {
			t.Errorf("mode %04o: %v, want ErrKeyMode with what to do", mode, err)
		}
	}
	path := filepath.Join(t.TempDir(), "receipts.key")
	if _, err := CreateKey(path, "acme", seed()); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadKey(path); err != nil {
		t.Errorf("mode 0400: %v", err)
	}
}

func TestLoadKeyRefusesWhatIsNoKey(t *testing.T) {
	t.Parallel()
	_, text, err := newKey("acme", seed())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"empty":      "",
		"text":       "hello",
		"half a key": text[:len(text)-8],
		"other name": strings.Replace(text, "acme", "other", 1),
	} {
		path := filepath.Join(t.TempDir(), "receipts.key")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := LoadKey(path)
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want an error that names the file", name, err)
		} else if content != "" && strings.Contains(err.Error(), content) {
			t.Errorf("%s: the error shows the content: %v", name, err)
		}
	}
	if _, err := LoadKey(t.TempDir()); err == nil {
		t.Error("a directory was loaded")
	}
	if _, err := LoadKey(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestZeroSignerDoesNotSign(t *testing.T) {
	t.Parallel()
	if _, err := (Signer{}).Checkpoint(1, [32]byte{}); err == nil {
		t.Error("signed without a key")
	}
	s, _, err := newKey("acme", seed())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Checkpoint(-1, [32]byte{}); err == nil {
		t.Error("signed a negative size")
	}
}
