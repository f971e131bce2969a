package main_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRotateKey: after a rotation the log verifies with the old public key and with
// the new one, also once the old private key is retired; an interrupted rotation
// keeps dw from starting until it is finished.
func TestRotateKey(t *testing.T) {
	t.Parallel()
	dir := ran(t)
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	rename := func(from, to string) {
		if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, "old.pub", read("receipts.pub"))
	dw(t, dir, "backup", "before.db").want(t, 0)
	dw(t, dir, "receipts", "rotate-key", "--by", "olga").want(t, 0, "both sign now")
	if read("old.pub") == read("receipts.pub") || read("receipts.key") == read("receipts.key.previous") {
		t.Error("the key is still the old one")
	}
	both := func() {
		t.Helper()
		for _, key := range []string{"old.pub", "receipts.pub"} {
			dw(t, dir, "receipts", "verify", "--key", key).want(t, 0, "signature checked")
		}
	}
	both()
	dw(t, dir, "receipts", "list").want(t, 0, "key.rotated")
	dw(t, dir, "receipts", "rotate-key").want(t, 2, "not over")

	// As if the process had ended between the receipt and the renaming.
	rename("receipts.key", "receipts.key.next")
	rename("receipts.key.previous", "receipts.key")
	dw(t, dir, "run").want(t, 1, "rotation of the signing key was cut off")
	dw(t, dir, "receipts", "rotate-key").want(t, 0, "both sign now")
	both()

	dw(t, dir, "receipts", "rotate-key", "--retire").want(t, 0, "deleted")
	dw(t, dir, "receipts", "rotate-key", "--retire").want(t, 2, "retire")
	if _, err := os.Stat(filepath.Join(dir, "receipts.key.previous")); err == nil {
		t.Error("the old private key is still there")
	}
	dw(t, dir, "receipts", "export", "--out", "out").want(t, 0)
	for _, key := range []string{"old.pub", "receipts.pub"} {
		dw(t, dir, "receipts", "verify", "--export", "out", "--key", key).want(t, 0)
	}
	// A backup from before is not lost with its key.
	dw(t, dir, "restore", "before.db", "--replace").want(t, 2, "decisions or changes would be lost")
	dw(t, dir, "restore", "before.db", "--replace", "--shorter").want(t, 0)
}
