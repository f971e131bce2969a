package app

import (
	"errors"
	"fmt"
	"os"

	"dw/config"
	"dw/lineage"
)

// testedNodes tells for each test of the configured manifests what it is about,
// by unique ids of dbt.
func testedNodes(manifests []config.Manifest) (map[string]string, error) {
	out := map[string]string{}
	for _, m := range manifests {
		tests, err := loadTests(m.Path)
		if err != nil {
			return nil, err
		}
		for _, t := range tests {
			if t.Node != "" {
				out[t.UniqueID] = t.Node
			}
		}
	}
	return out, nil
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
