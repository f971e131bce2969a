package app

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"dw/config"
	"dw/lineage"
)

// dbtTests tells what each test of the configured manifests is about, by unique
// ids of dbt. It reads the manifests again when a file has changed.
type dbtTests struct {
	manifests []config.Manifest

	mu    sync.Mutex
	stamp string // of the files that nodes was read from
	nodes map[string]string
}

// about returns what a test is about, or the name itself for what is no test
// that is known.
func (d *dbtTests) about(name string) (string, error) {
	if d == nil || !strings.HasPrefix(name, "test.") {
		return name, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.refresh(); err != nil {
		return "", err
	}
	if node := d.nodes[name]; node != "" {
		return node, nil
	}
	return name, nil
}

func (d *dbtTests) refresh() error {
	var stamp strings.Builder
	for _, m := range d.manifests {
		info, err := os.Stat(m.Path)
		if err != nil {
			return fmt.Errorf("read the tests of a dbt manifest: %w", err)
		}
		fmt.Fprintf(&stamp, "%s %d %s\n", m.Path, info.Size(), info.ModTime().Format(time.RFC3339Nano))
	}
	if d.nodes != nil && stamp.String() == d.stamp {
		return nil
	}
	nodes := map[string]string{}
	for _, m := range d.manifests {
		tests, err := loadTests(m.Path)
		if err != nil {
			return err
		}
		for _, t := range tests {
			nodes[t.UniqueID] = t.Node
		}
	}
	d.stamp, d.nodes = stamp.String(), nodes
	return nil
}

func loadTests(path string) (tests []lineage.ManifestTest, err error) {
	file, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("read the tests of a dbt manifest: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	tests, err = lineage.LoadManifestTests(file, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tests, nil
}
