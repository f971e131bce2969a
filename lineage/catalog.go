package lineage

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// newestCatalog is the newest schema version of a dbt catalog that dw reads.
const newestCatalog = 1

// catalogFile is what dw reads of a dbt catalog.
type catalogFile struct {
	Metadata artifactMetadata         `json:"metadata"`
	Nodes    map[string]catalogObject `json:"nodes"`
	Sources  map[string]catalogObject `json:"sources"`
}

type catalogObject struct {
	Metadata struct {
		Type  looseText `json:"type"`
		Owner looseText `json:"owner"`
	} `json:"metadata"`
	Columns map[string]catalogColumn `json:"columns"`
	Stats   map[string]catalogStat   `json:"stats"`
}

type catalogColumn struct {
	Name  looseText `json:"name"`
	Type  looseText `json:"type"`
	Index int       `json:"index"`
}

type catalogStat struct {
	ID    looseText `json:"id"`
	Value looseText `json:"value"`
}

// LoadCatalog reads a dbt catalog (v1, plain or gzip): what `dbt docs generate`
// found in the warehouse. It returns statements about the assets of the manifest
// that it belongs to: columns in order, their types, the kind of relation, the
// role that owns it and the number of rows. An error says what is wrong;
// nothing is returned with it.
func LoadCatalog(r io.Reader, manifest []Asset, opts ManifestOptions) ([]Asset, error) {
	var file catalogFile
	if err := readArtifact(r, opts.SizeLimit, &file); err != nil {
		return nil, fmt.Errorf("read dbt catalog: %w", err)
	}
	at, err := file.Metadata.check("catalog", newestCatalog, opts.SeenAt)
	if err != nil {
		return nil, fmt.Errorf("read dbt catalog: %w", err)
	}
	b := newBeside(manifest, SourceCatalog, at)
	var out []Asset
	for _, objects := range []map[string]catalogObject{file.Nodes, file.Sources} {
		for unique, object := range objects {
			a, ok, err := b.statement(unique)
			if err != nil {
				return nil, fmt.Errorf("read dbt catalog: %w", err)
			}
			if ok {
				object.fill(&a)
				out = append(out, a)
			}
		}
	}
	return sortStatements(out), nil
}

// fill adds what the catalog says of an object.
func (o catalogObject) fill(a *Asset) {
	var types []string
	for _, name := range o.order() {
		column := o.Columns[name]
		if column.Name != "" {
			name = string(column.Name)
		}
		a.Columns = append(a.Columns, name)
		types = append(types, strings.TrimSpace(name+" "+string(column.Type)))
	}
	for key, value := range map[string]string{
		"catalog.types": strings.Join(types, ", "), "catalog.relation": string(o.Metadata.Type),
		"catalog.owner": string(o.Metadata.Owner), "catalog.rows": o.rows(),
	} {
		if value != "" {
			a.Properties[key] = value
		}
	}
}

// order returns the keys of the columns by their place in the table.
func (o catalogObject) order() []string {
	names := sortedKeys(o.Columns)
	slices.SortStableFunc(names, func(a, b string) int { return o.Columns[a].Index - o.Columns[b].Index })
	return names
}

// rows is the number of rows as the adapter wrote it, under the adapter's name.
func (o catalogObject) rows() string {
	for _, key := range []string{"row_count", "num_rows", "rows"} {
		if stat, ok := o.Stats[key]; ok && stat.Value != "" {
			return strings.TrimSuffix(string(stat.Value), ".0")
		}
	}
	return ""
}
