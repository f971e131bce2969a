package polyglot_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dw/lineage/columns/polyglot"
)

// TestChecksum: a module that is not the one dw was tested with is neither
// installed nor run.
func TestChecksum(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	other := filepath.Join(t.TempDir(), "polyglot_sql.wasm")
	if err := os.WriteFile(other, []byte("\x00asm\x01\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	var wrong *polyglot.ChecksumError
	if err := polyglot.Install(other, folder); !errors.As(err, &wrong) || !strings.Contains(err.Error(), other) {
		t.Errorf("install another module: %v", err)
	}
	if polyglot.Installed(folder) {
		t.Fatal("it was installed all the same")
	}
	if _, err := polyglot.Open(t.Context(), folder); !errors.Is(err, polyglot.ErrAbsent) {
		t.Errorf("open without a module: %v", err)
	}
	planted := filepath.Join(folder, "polyglot-"+polyglot.Version+".wasm")
	if err := os.WriteFile(planted, []byte("\x00asm\x01\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := polyglot.Open(t.Context(), folder); !errors.As(err, &wrong) || wrong.Path != planted {
		t.Errorf("open another module: %v", err)
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	got, err := polyglot.Folder(func(name string) string { return map[string]string{"DW_SQL_ENGINE": "/opt/x"}[name] })
	if err != nil || got != "/opt/x" {
		t.Errorf("%q, %v", got, err)
	}
}
