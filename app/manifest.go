package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"dw/checks"
	"dw/diagnosis"
	"dw/lineage"
)

// GraphOfManifest builds a graph of one dbt manifest and, where a path is given,
// the catalog beside it.
func GraphOfManifest(path, catalog string) (*lineage.Graph, error) {
	builder, err := builderOfManifest(path, catalog)
	if err != nil {
		return nil, err
	}
	return builder.Build()
}

func builderOfManifest(path, catalog string) (*lineage.Builder, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	assets, edges, err := lineage.LoadManifest(bytes.NewReader(content), lineage.ManifestOptions{SeenAt: info.ModTime()})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if catalog != "" {
		found, err := loadBeside(catalog, assets, lineage.LoadCatalog)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", catalog, err)
		}
		assets = append(assets, found...)
	}
	builder := lineage.NewBuilder()
	for _, a := range assets {
		builder.AddAsset(a)
	}
	for _, e := range edges {
		builder.AddEdge(e)
	}
	return builder, nil
}

// forgetful is the memory of a one-off run: no earlier result is known.
type forgetful struct{}

// Last meets checks.Memory.
func (forgetful) Last(context.Context, string) (checks.Result, bool, error) {
	return checks.Result{}, false, nil
}

// RunChecks asks the named checks, or all, as of now. Nothing is recorded.
func (p *Project) RunChecks(ctx context.Context, names []string) ([]checks.Result, error) {
	specs := p.Specs
	if len(names) > 0 {
		specs = nil
		for _, name := range names {
			spec, err := p.Spec(name)
			if err != nil {
				return nil, err
			}
			specs = append(specs, spec)
		}
	}
	if len(specs) == 0 {
		return nil, errors.New("no check is configured")
	}
	now := p.Now()
	return p.RunTogether(ctx, specs, forgetful{}, now, nil), nil
}

// fileChanges reads the configured change files. A file that is not there yet
// holds no change; one that cannot be read is an error.
func (p *Project) fileChanges() ([]diagnosis.ChangeEvent, error) {
	var out []diagnosis.ChangeEvent
	for _, path := range p.Config.Changes.Files {
		found, err := readChanges(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return out, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, found...)
	}
	return out, nil
}
