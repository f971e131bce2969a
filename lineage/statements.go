package lineage

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Statements is what one source states: assets, and edges between them.
type Statements struct {
	Assets []Asset `json:"assets"`
	Edges  []Edge  `json:"edges"`
}

// Add puts the statements into a builder.
func (s Statements) Add(b *Builder) {
	for _, a := range s.Assets {
		b.AddAsset(a)
	}
	for _, e := range s.Edges {
		b.AddEdge(e)
	}
}

// Folded returns one statement for each asset and for each pair of assets,
// ordered by id: see FoldAsset and FoldEdge. All must come from one source.
func (s Statements) Folded() Statements {
	assets := slices.Clone(s.Assets)
	slices.SortStableFunc(assets, func(a, b Asset) int { return cmp.Compare(a.ID, b.ID) })
	edges := slices.Clone(s.Edges)
	slices.SortStableFunc(edges, compareEnds)
	return Statements{
		Assets: foldRuns(assets, func(a, b Asset) bool { return a.ID == b.ID }, FoldAsset),
		Edges:  foldRuns(edges, func(a, b Edge) bool { return compareEnds(a, b) == 0 }, FoldEdge),
	}
}

func compareEnds(a, b Edge) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
}

// foldRuns folds neighbours that are the same.
func foldRuns[T any](sorted []T, same func(a, b T) bool, fold func(a, b T) T) []T {
	out := sorted[:0:0]
	for _, v := range sorted {
		if last := len(out) - 1; last >= 0 && same(out[last], v) {
			out[last] = fold(out[last], v)
			continue
		}
		out = append(out, v)
	}
	return out
}

// FoldAsset makes one statement of two that the same source made about the same
// asset. What the newer says replaces what the older said, and what it leaves out
// stays: an event names the columns of a table only now and then. Each has its
// source in From[0].
func FoldAsset(a, b Asset) Asset {
	older, out := a, b
	if b.From[0].SeenAt.Before(a.From[0].SeenAt) {
		older, out = b, a
	}
	out.From = []Provenance{foldSeen(older.From[0], out.From[0])}
	out.Kind, out.Name = cmp.Or(out.Kind, older.Kind), cmp.Or(out.Name, older.Name)
	out.Description = cmp.Or(out.Description, older.Description)
	out.Aliases = appendNew(out.Aliases, older.Aliases...)
	if len(out.Columns) == 0 {
		out.Columns = older.Columns
	}
	if len(out.Owners) == 0 {
		out.Owners = older.Owners
	}
	if len(older.Properties) > 0 {
		properties := make(map[string]string, len(older.Properties)+len(out.Properties))
		maps.Copy(properties, older.Properties)
		maps.Copy(properties, out.Properties)
		out.Properties = properties
	}
	return out
}

// FoldEdge makes one statement of two that the same source made about the same
// pair of assets: the newer one, with the time at which the pair was first seen.
// Columns that only the older one knew stay.
func FoldEdge(a, b Edge) Edge {
	older, out := a, b
	if b.Seen.SeenAt.Before(a.Seen.SeenAt) {
		older, out = b, a
	}
	out.Seen = foldSeen(older.Seen, out.Seen)
	out.Use = strongerUse(out.Use, older.Use)
	if len(out.Columns) == 0 {
		out.Columns = older.Columns
	}
	return out
}

// foldSeen is the newer sight with the time of the first. Two sights of one
// moment are as sure as the surer.
func foldSeen(older, newer Provenance) Provenance {
	if older.SeenAt.Equal(newer.SeenAt) && older.How == HowObserved {
		newer.How = HowObserved
	}
	newer.FirstAt = earliest(older.first(), newer.first())
	return newer
}

// first is when the source first stated it, as far as it is known.
func (p Provenance) first() time.Time {
	if p.FirstAt.IsZero() {
		return p.SeenAt
	}
	return p.FirstAt
}

func earliest(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}
