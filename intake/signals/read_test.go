package signals_test

import (
	"os"
	"path/filepath"
	"testing"
)

func readPayload(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}
