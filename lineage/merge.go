package lineage

import (
	"cmp"
	"maps"
	"slices"
)

// merge makes one asset of what several sources state about the same id. The
// configuration is trusted first, then the newest source; every claim stays.
func merge(statements []Asset) Asset {
	slices.SortStableFunc(statements, func(a, b Asset) int {
		return compareTrust(a.From[0], b.From[0])
	})
	var out Asset
	for _, s := range statements {
		mergeScalars(&out, s)
		mergeSpans(&out, s)
		mergeLists(&out, s)
	}
	if out.Name == "" {
		out.Name = shortName(out.ID)
	}
	return out
}

// compareTrust orders provenances, the most trusted first. It looks at nothing
// but the provenances, so that the order of loading does not matter.
func compareTrust(a, b Provenance) int {
	return cmp.Or(
		cmp.Compare(sourceRank(a), sourceRank(b)),
		b.SeenAt.Compare(a.SeenAt),
		cmp.Compare(a.Source, b.Source),
	)
}

func sourceRank(p Provenance) int {
	switch p.Source {
	case SourceConfig:
		return 0
	case SourceCodeOwners:
		return 2
	}
	return 1
}

func mergeScalars(out *Asset, s Asset) {
	out.ID = cmp.Or(out.ID, s.ID)
	out.Kind = cmp.Or(out.Kind, s.Kind)
	if s.Name != "" && out.Name != "" && s.Name != out.Name {
		out.Aliases = appendNew(out.Aliases, s.Name)
	}
	out.Name = cmp.Or(out.Name, s.Name)
	out.Relation = cmp.Or(out.Relation, s.Relation)
	out.Description = cmp.Or(out.Description, s.Description)
	out.Domain = cmp.Or(out.Domain, s.Domain)
	out.Moves = cmp.Or(out.Moves, s.Moves)
	out.Readers = cmp.Or(out.Readers, s.Readers)
	out.Paused = out.Paused || s.Paused
	if out.File == "" {
		out.File, out.Root = s.File, s.Root // a file means nothing under another root
	}
}

func mergeSpans(out *Asset, s Asset) {
	out.Schedule = cmp.Or(out.Schedule, s.Schedule)
	out.SLA = cmp.Or(out.SLA, s.SLA)
	out.Harm = cmp.Or(out.Harm, s.Harm)
}

func mergeLists(out *Asset, s Asset) {
	out.Aliases = appendNew(out.Aliases, s.Aliases...)
	out.Columns = appendNew(out.Columns, s.Columns...)
	out.From = appendNew(out.From, s.From...)
	out.Claims = appendNew(out.Claims, claimsOf(s)...)
	for _, owner := range s.Owners {
		if owner.From.Source == "" {
			owner.From = s.From[0]
		}
		same := func(f Fact) bool { return f.Value == owner.Value }
		if !slices.ContainsFunc(out.Owners, same) {
			out.Owners = append(out.Owners, owner)
		}
	}
	for key, value := range s.Properties {
		if out.Properties == nil {
			out.Properties = map[string]string{}
		}
		if _, stated := out.Properties[key]; !stated {
			out.Properties[key] = value
		}
	}
}

// mergeEdges makes one edge of several statements of the same pair. Seen is
// the newest, because an edge is as sure as the last time it was seen.
func mergeEdges(same []Edge) Edge {
	out := Edge{From: same[0].From, To: same[0].To}
	var all []Provenance
	for _, e := range same {
		all = appendNew(all, e.Seen)
		all = appendNew(all, e.Also...)
		out.Use = strongerUse(out.Use, e.Use)
		out.Columns = appendNew(out.Columns, e.Columns...)
	}
	slices.SortStableFunc(all, func(a, b Provenance) int {
		return cmp.Or(b.SeenAt.Compare(a.SeenAt), compareTrust(a, b), cmp.Compare(a.How, b.How))
	})
	out.Seen, out.Also = all[0], all[1:]
	return out
}

func strongerUse(a, b string) string {
	if a == UseValue || b == UseValue {
		return UseValue
	}
	return cmp.Or(a, b)
}

// appendNew appends the values that list does not hold yet. It never writes
// into the array behind the caller's list.
func appendNew[T comparable](list []T, values ...T) []T {
	if len(values) == 0 {
		return list
	}
	out := slices.Clip(list)
	if len(out)+len(values) > 32 {
		return appendNewMany(out, values)
	}
	for _, v := range values {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// appendNewMany is appendNew for long lists, such as the columns of a table.
func appendNewMany[T comparable](list, values []T) []T {
	seen := make(map[T]bool, len(list)+len(values))
	for _, v := range list {
		seen[v] = true
	}
	for _, v := range values {
		if !seen[v] {
			seen[v] = true
			list = append(list, v)
		}
	}
	return list
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}
