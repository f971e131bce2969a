package lineage

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"
)

// Model is what a dbt project builds or reads under a relation name, with the SQL
// that builds it.
type Model struct {
	ID        AssetID
	Relation  string // quoted as dbt writes it; "" for an ephemeral model
	SQL       string // compiled; "" where the manifest does not have it
	Dialect   string // the adapter's name
	DependsOn []AssetID
	SeenAt    time.Time
}

// LoadModels reads the models, snapshots, seeds and sources of a dbt manifest with
// their SQL, ordered by id. It reads what LoadManifest reads, with the same ids
// and errors.
func LoadModels(r io.Reader, opts ManifestOptions) ([]Model, error) {
	text, err := openManifest(r, opts.SizeLimit)
	if err != nil {
		return nil, fmt.Errorf("read dbt manifest: %w", err)
	}
	m, err := decodeManifest(text)
	if err != nil {
		return nil, fmt.Errorf("read dbt manifest: %w", err)
	}
	reader, err := newManifestReader(m, opts)
	if err != nil {
		return nil, fmt.Errorf("read dbt manifest: %w", err)
	}
	return reader.models(), nil
}

func (r *manifestReader) models() []Model {
	var out []Model
	for _, id := range sortedKeys(r.byID) {
		e := r.byID[id]
		if !e.isAsset() || e.resource() == "exposure" {
			continue
		}
		model := Model{
			ID: r.id(id), Relation: string(e.RelationName), Dialect: string(r.manifest.metadata.AdapterType), SeenAt: r.from.SeenAt,
		}
		if e.resource() == "model" || e.resource() == "snapshot" {
			model.SQL = string(cmp.Or(e.CompiledCode, e.CompiledSQL))
		}
		for _, from := range r.feeds(e) {
			model.DependsOn = append(model.DependsOn, r.id(from))
		}
		out = append(out, model)
	}
	slices.SortFunc(out, func(a, b Model) int { return cmp.Compare(a.ID, b.ID) })
	return out
}
