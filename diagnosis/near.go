package diagnosis

import (
	"slices"
	"strings"

	"dw/lineage"
)

// nearby is an asset with its distance from the subject.
type nearby struct {
	lineage.Asset
	hops int // edges upstream of the subject, 0 for the subject itself
}

// upstream lists the subject and all that feeds it, nearest first. A subject
// that the graph does not hold is returned alone, so that the rest of the
// evidence can still be weighed.
func upstream(g Graph, subject lineage.AssetID) []nearby {
	self, ok := g.Asset(subject)
	if !ok {
		return []nearby{{Asset: lineage.Asset{ID: subject, Name: shortName(subject)}}}
	}
	out := []nearby{{Asset: self}}
	steps, err := g.Trace(subject, true, 0)
	if err != nil {
		return out
	}
	for _, s := range steps {
		if a, ok := g.Asset(s.Asset); ok {
			out = append(out, nearby{Asset: a, hops: s.Depth})
		}
	}
	return out
}

// neighbours lists the assets of one kind that directly feed, or are fed by, an
// asset.
func neighbours(g Graph, id lineage.AssetID, up bool, kind lineage.Kind) []lineage.Asset {
	steps, err := g.Trace(id, up, 1)
	if err != nil {
		return nil
	}
	var out []lineage.Asset
	for _, s := range steps {
		if a, ok := g.Asset(s.Asset); ok && a.Kind == kind {
			out = append(out, a)
		}
	}
	return out
}

// named reports whether name is one of the names of an asset.
func named(a lineage.Asset, name string) bool {
	if name == "" {
		return false
	}
	return string(a.ID) == name || strings.EqualFold(a.Name, name) || shortName(a.ID) == name ||
		slices.ContainsFunc(a.Aliases, func(alias string) bool { return strings.EqualFold(alias, name) })
}

// shortName is the last part of an id: "b.c" of "system://a/b.c".
func shortName(id lineage.AssetID) string {
	_, path, found := strings.Cut(string(id), "://")
	if !found {
		path = string(id)
	}
	return path[strings.LastIndex(path, "/")+1:]
}

// label is the name to show for an asset.
func label(a lineage.Asset) string {
	if a.Name != "" {
		return a.Name
	}
	return shortName(a.ID)
}
