package openlineage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dw/lineage"
)

// columnLineage adds the edges that the facet states: for each dataset that is
// read, which of its columns feed which column of to.
func (r *reader) columnLineage(to lineage.AssetID, facet columnLineage) error {
	links := newLinks()
	for _, name := range slices.Sorted(maps.Keys(facet.Fields)) {
		for i, input := range facet.Fields[name].InputFields {
			from, err := r.refer(input.identifier, "DATASET")
			if err != nil {
				return fmt.Errorf("fields[%q].inputFields[%d].%w", name, i, err)
			}
			links.add(from, lineage.ColumnLink{From: input.Field, To: name, Use: use(input.Transformations)})
		}
	}
	for i, input := range facet.Dataset {
		from, err := r.refer(input.identifier, "DATASET")
		if err != nil {
			return fmt.Errorf("dataset[%d].%w", i, err)
		}
		links.add(from, lineage.ColumnLink{From: input.Field, Use: use(input.Transformations)})
	}
	links.edges(r, to)
	return nil
}

// jobLineage adds what the newer lineage facet of a job states, target by
// target.
func (r *reader) jobLineage(facet jobLineage) error {
	for i, entry := range facet.Entries {
		to, err := r.target(entry)
		if err != nil {
			return fmt.Errorf("entries[%d]: %w", i, err)
		}
		if err := r.fed(to, entry.Inputs, entry.Fields); err != nil {
			return fmt.Errorf("entries[%d].%w", i, err)
		}
	}
	return nil
}

func (r *reader) target(entry lineageEntry) (lineage.AssetID, error) {
	switch kind := strings.ToUpper(entry.Type); kind {
	case "DATASET":
	case "JOB":
		if own, err := entry.own(); own || err != nil {
			return r.job, err
		}
	default:
		return "", fmt.Errorf("type %q is neither DATASET nor JOB", entry.Type)
	}
	return r.refer(entry.identifier, entry.Type)
}

// fed adds the edges to one target.
func (r *reader) fed(to lineage.AssetID, inputs []lineageInput, fields map[string]lineageField) error {
	links := newLinks()
	for i, input := range inputs {
		if err := r.input(links, input, ""); err != nil {
			return fmt.Errorf("inputs[%d]: %w", i, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		for i, input := range fields[name].Inputs {
			if err := r.input(links, input, name); err != nil {
				return fmt.Errorf("fields[%q].inputs[%d]: %w", name, i, err)
			}
		}
	}
	links.edges(r, to)
	return nil
}

// input adds one source of a target, or of one of its columns.
func (r *reader) input(links *links, input lineageInput, to string) error {
	from := r.job
	switch kind := strings.ToUpper(input.Type); kind {
	case "DATASET", "JOB":
		own, err := input.own()
		switch {
		case err != nil:
			return err
		case own && (kind == "DATASET" || r.job == ""):
			return input.check()
		case own:
		default:
			if from, err = r.refer(input.identifier, kind); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("type %q is neither DATASET nor JOB", input.Type)
	}
	if input.Field == "" {
		links.add(from)
		return nil
	}
	links.add(from, lineage.ColumnLink{From: input.Field, To: to, Use: use(input.Transformations)})
	return nil
}

// links collects the columns of the edges to one asset, in the order in which
// the edges were first named.
type links struct {
	order []lineage.AssetID
	from  map[lineage.AssetID][]lineage.ColumnLink
}

func newLinks() *links { return &links{from: map[lineage.AssetID][]lineage.ColumnLink{}} }

func (l *links) add(from lineage.AssetID, more ...lineage.ColumnLink) {
	if _, known := l.from[from]; !known {
		l.order = append(l.order, from)
	}
	l.from[from] = append(l.from[from], more...)
}

func (l *links) edges(r *reader, to lineage.AssetID) {
	for _, from := range l.order {
		r.edge(from, to, l.from[from]...)
	}
}
