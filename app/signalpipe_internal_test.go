//go:build unix

package app

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dw/config"
)

// TestSignalFileIsNoPipe: opening a pipe into which nobody writes waits for ever,
// and with it every other file and the end of dw.
func TestSignalFileIsNoPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "scan.json")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no pipes here:", err)
	}
	said := make(chan error, 1)
	go func() {
		f := &signalFile{SignalFile: config.SignalFile{Path: path}}
		_, _, err := f.take(t.Context(), time.Time{})
		said <- err
	}()
	select {
	case err := <-said:
		if err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("got %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it waits for somebody to write")
	}
}
