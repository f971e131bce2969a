package app

import (
	"errors"
	"fmt"
	"io"
	"os"

	"dw/config"
	"dw/lineage"
)

// load reads one artifact beside the assets of its manifest.
type load func(io.Reader, []lineage.Asset, lineage.ManifestOptions) ([]lineage.Asset, error)

// loadBeside reads an artifact's file. What does not say when it was made is as
// old as its file.
func loadBeside(path string, manifest []lineage.Asset, with load) (assets []lineage.Asset, err error) {
	file, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return with(file, manifest, lineage.ManifestOptions{SeenAt: info.ModTime()})
}

// besides adds what the other artifacts of a project say of its assets.
func (g *graphBuilder) besides(m config.Manifest, key string, manifest []lineage.Asset) {
	for _, artifact := range []struct {
		key, path string
		with      load
	}{{"catalog", m.Catalog, lineage.LoadCatalog}, {"run_results", m.RunResults, lineage.LoadRunResults}} {
		if artifact.path == "" {
			continue
		}
		found, err := loadBeside(artifact.path, manifest, artifact.with)
		if err != nil {
			g.problem(key+"."+artifact.key, "%v", err)
			continue
		}
		for _, a := range found {
			if a.Kind != "" && a.Domain == "" {
				a.Domain = m.Domain
			}
			g.builder.AddAsset(a)
			g.places.asset(a.ID, key+"."+artifact.key)
		}
	}
	if m.CodeOwners != "" {
		g.codeOwners(m, key, manifest)
	}
}
