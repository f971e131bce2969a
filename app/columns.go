package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"dw/lineage"
	"dw/lineage/columns"
)

// ReadColumns reads the columns of the models of every configured manifest out of
// their SQL and puts them into the graph. Without an engine each model says that
// its columns are not known. It takes as long as the engine does; what it has
// answered before is kept by the reader.
func (p *Project) ReadColumns(ctx context.Context, reader columns.Reader) error {
	var found lineage.Statements
	for i, m := range p.Config.Lineage.Manifests {
		stated, err := columnsOf(ctx, reader, m.Path, m.Catalog, lineage.ManifestOptions{Project: m.Project, SeenAt: p.Now()})
		if err != nil {
			return fmt.Errorf("lineage.manifests[%d]: %w", i, err)
		}
		found.Assets, found.Edges = append(found.Assets, stated.Assets...), append(found.Edges, stated.Edges...)
	}
	return p.setColumns(&found)
}

// setColumns draws the graph with what was read out of SQL. What does not fit is
// given up, so that it stands in no later graph's way.
func (p *Project) setColumns(found *lineage.Statements) error {
	p.drawing.Lock()
	defer p.drawing.Unlock()
	before := p.columns
	p.columns = found
	if err := p.draw(); err != nil {
		p.columns = before
		return err
	}
	return nil
}

// columnsOf reads one project.
func columnsOf(ctx context.Context, reader columns.Reader, path, catalog string, opts lineage.ManifestOptions) (lineage.Statements, error) {
	content, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if err != nil {
		return lineage.Statements{}, fmt.Errorf("read the manifest: %w", err)
	}
	models, err := lineage.LoadModels(bytes.NewReader(content), opts)
	if err != nil {
		return lineage.Statements{}, fmt.Errorf("%s: %w", path, err)
	}
	listed := map[lineage.AssetID][]string{}
	if catalog != "" {
		assets, _, err := lineage.LoadManifest(bytes.NewReader(content), opts)
		if err != nil {
			return lineage.Statements{}, fmt.Errorf("%s: %w", path, err)
		}
		found, err := loadBeside(catalog, assets, lineage.LoadCatalog)
		if err != nil {
			return lineage.Statements{}, fmt.Errorf("%s: %w", catalog, err)
		}
		for _, a := range found {
			listed[a.ID] = a.Columns
		}
	}
	stated, _, err := reader.Project(ctx, models, listed)
	return stated, err
}

// addColumns puts in what was read out of SQL, as far as the builder has its
// assets: a manifest may have changed since.
func addColumns(b *lineage.Builder, found lineage.Statements) {
	for _, a := range found.Assets {
		if b.Has(a.ID) {
			b.AddAsset(a)
		}
	}
	for _, e := range found.Edges {
		if b.Has(e.From) && b.Has(e.To) {
			b.AddEdge(e)
		}
	}
}

// keepColumns reads the columns at start and when a file of the graph has changed.
// It takes minutes for thousands of new models; until then the graph is that of
// tables.
func (a *App) keepColumns(ctx context.Context) error {
	if a.columns.Engine == nil {
		<-ctx.Done()
		return nil
	}
	ticks := time.NewTicker(a.project.Config.Lineage.Refresh.Or(5 * time.Minute))
	defer ticks.Stop()
	for read := ""; ; {
		if mark := filesMark(a.project.Config.Lineage); mark != read {
			if err := a.project.ReadColumns(ctx, a.columns); err != nil && ctx.Err() == nil {
				a.log.ErrorContext(ctx, "columns could not be read out of SQL; the graph before stays", "error", err)
			}
			read = mark
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
	}
}

// GraphOfModels is GraphOfManifest with the columns that are read out of SQL.
func GraphOfModels(ctx context.Context, path, catalog string, reader columns.Reader) (*lineage.Graph, error) {
	builder, err := builderOfManifest(path, catalog)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	found, err := columnsOf(ctx, reader, path, catalog, lineage.ManifestOptions{SeenAt: info.ModTime()})
	if err != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	addColumns(builder, found)
	return builder.Build()
}
