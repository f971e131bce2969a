package openlineage

import (
	"fmt"
	"strings"

	"dw/lineage"
)

// deepest bounds how far nested columns are followed.
const deepest = 8

// dataset states what an event says of a dataset and returns its id.
func (r *reader) dataset(d dataset) (lineage.AssetID, error) {
	if err := d.check(); err != nil {
		return "", err
	}
	id := DatasetID(*d.Namespace, *d.Name)
	a := lineage.Asset{
		ID: id, Kind: kindOf(id, d.Facets), From: []lineage.Provenance{r.from},
		Properties: map[string]string{"openlineage.namespace": *d.Namespace},
	}
	a.Name, a.Aliases = names(id, *d.Name)
	if f := d.Facets.Documentation; f != nil {
		a.Description = f.Description
	}
	if f := d.Facets.Schema; f != nil {
		a.Columns = columns(nil, "", f.Fields, 0)
	}
	if f := d.Facets.Storage; f != nil {
		put(a.Properties, "openlineage.storage", strings.TrimSpace(f.Layer+" "+f.Format))
	}
	var err error
	if a.Owners, err = r.owners(d.Facets.Ownership); err != nil {
		return "", err
	}
	if err := r.otherNames(&a, d.Facets); err != nil {
		return "", err
	}
	r.out.Assets = append(r.out.Assets, a)
	if f := d.Facets.ColumnLineage; f != nil {
		if err := r.columnLineage(id, *f); err != nil {
			return "", fmt.Errorf("facets.columnLineage.%w", err)
		}
	}
	if f := d.Facets.Lineage; f != nil {
		if err := r.fed(id, f.Inputs, f.Fields); err != nil {
			return "", fmt.Errorf("facets.lineage.%w", err)
		}
	}
	return id, nil
}

// kindOf goes by what the event says, then by the system.
func kindOf(id lineage.AssetID, facets datasetFacets) lineage.Kind {
	if t := facets.DatasetType; t != nil {
		switch strings.ToUpper(t.DatasetType) {
		case "VIEW":
			return lineage.KindView
		case "TOPIC", "STREAM":
			return lineage.KindTopic
		case "DASHBOARD":
			return lineage.KindDashboard
		}
	}
	if id.System() == "kafka" {
		return lineage.KindTopic
	}
	return lineage.KindTable
}

// otherNames reads the symlinks, and what became of the dataset. The id of a
// symlink is an alias: the two names are one thing.
func (r *reader) otherNames(a *lineage.Asset, facets datasetFacets) error {
	if f := facets.Symlinks; f != nil {
		for i, link := range f.Identifiers {
			if err := link.check(); err != nil {
				return fmt.Errorf("facets.symlinks.identifiers[%d].%w", i, err)
			}
			if other := DatasetID(*link.Namespace, *link.Name); other != a.ID {
				a.Aliases = append(a.Aliases, string(other))
			}
		}
	}
	f := facets.Lifecycle
	if f == nil {
		return nil
	}
	change := strings.ToLower(f.Change)
	if f.Previous != nil && f.Previous.check() == nil {
		change += " from " + string(DatasetID(*f.Previous.Namespace, *f.Previous.Name))
	}
	put(a.Properties, "openlineage.last_change", change)
	return nil
}

// columns lists the columns of a schema; a nested one has the names of those
// around it in front.
func columns(out []string, before string, fields []field, depth int) []string {
	for _, f := range fields {
		if f.Name == "" {
			continue
		}
		out = append(out, before+f.Name)
		if depth < deepest {
			out = columns(out, before+f.Name+".", f.Fields, depth+1)
		}
	}
	return out
}
