package app

import (
	"os"
	"path/filepath"
	"testing"

	"dw/config"
)

// TestTestsOfAChangedManifest: a test that dbt got while dw runs is known.
func TestTestsOfAChangedManifest(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "manifest.json")
	put := func(tests string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(`{"nodes":{`+tests+`}}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	one := `"test.a":{"unique_id":"test.a","resource_type":"test","attached_node":"model.x"}`
	put(one)
	d := &dbtTests{manifests: []config.Manifest{{Path: path}}}
	want := func(name, node string) {
		t.Helper()
		if got, err := d.about(name); err != nil || got != node {
			t.Errorf("%s is about %q, %v, want %q", name, got, err, node)
		}
	}
	want("test.a", "model.x")
	want("test.b", "test.b")
	want("model.y", "model.y")
	put(one + `,"test.b":{"unique_id":"test.b","resource_type":"test","attached_node":"model.y"}`)
	want("test.b", "model.y")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := d.about("test.a"); err == nil {
		t.Error("a manifest that is gone is not said")
	}
	if got, err := (*dbtTests)(nil).about("test.a"); err != nil || got != "test.a" {
		t.Errorf("without manifests: %q, %v", got, err)
	}
}
