package lineage

import (
	"cmp"
	"slices"
	"strings"
)

// Found is an asset that a search found, and where it matched.
type Found struct {
	Asset AssetID `json:"asset"`
	Name  string  `json:"name"`
	Kind  Kind    `json:"kind"`
	Where string  `json:"where"` // "name", "name, nearly", "column", "description"
	rank  int
}

// Search finds assets by name, column and description, the best first, at most
// limit of them. A name that is a few letters off is found, too; 0 or less is no
// limit.
func (g *Graph) Search(text string, limit int) []Found {
	asked := fold(text)
	short := lastPart(asked)
	if asked == "" || len(short) == 0 {
		return []Found{}
	}
	out := []Found{}
	for _, a := range g.assets {
		if f, ok := searched(a, asked, short); ok {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(x, y Found) int {
		return cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(len(x.Name), len(y.Name)), cmp.Compare(x.Asset, y.Asset))
	})
	if limit > 0 && len(out) > limit {
		out = out[:limit]
	}
	return out
}

// searched looks for a text in one asset.
func searched(a Asset, asked string, short []rune) (Found, bool) {
	f := Found{Asset: a.ID, Name: a.Name, Kind: a.Kind}
	best := -1
	for _, name := range append([]string{a.Name, string(a.ID)}, a.Aliases...) {
		folded := fold(name)
		switch d, near := nameDistance(short, lastPart(folded)); {
		case folded == asked:
			f.Where, f.rank = "name", 0
			return f, true
		case strings.Contains(folded, asked):
			best = 0
		case near && (best < 0 || d < best):
			best = d
		}
	}
	switch {
	case best == 0:
		f.Where, f.rank = "name", 1
	case slices.ContainsFunc(a.Columns, func(c string) bool { return fold(c) == asked }):
		f.Where, f.rank = "column", 2
	case best > 0:
		f.Where, f.rank = "name, nearly", 2+best
	case strings.Contains(strings.ToLower(a.Description), asked):
		f.Where, f.rank = "description", 20
	default:
		return Found{}, false
	}
	return f, true
}

// Unowned returns the assets that no source names an owner of, those with most
// below them first: that is who is missed first. Below counts assets.
func (g *Graph) Unowned() []Orphan {
	out := []Orphan{}
	for n, a := range g.assets {
		if len(a.Owners) == 0 {
			out = append(out, Orphan{Asset: a.ID, Name: a.Name, Kind: a.Kind, Below: len(g.closure(int32(n), g.down))})
		}
	}
	slices.SortStableFunc(out, func(x, y Orphan) int {
		return cmp.Or(cmp.Compare(y.Below, x.Below), cmp.Compare(x.Asset, y.Asset))
	})
	return out
}

// Orphan is an asset without an owner.
type Orphan struct {
	Asset AssetID `json:"asset"`
	Name  string  `json:"name"`
	Kind  Kind    `json:"kind"`
	Below int     `json:"below"` // assets that it leads to
}

// Disagreement is an asset of which sources state different things.
type Disagreement struct {
	Asset     AssetID    `json:"asset"`
	Conflicts []Conflict `json:"conflicts"`
}

// Disagreements returns the assets of which sources state different things, by
// id.
func (g *Graph) Disagreements() []Disagreement {
	out := []Disagreement{}
	for _, a := range g.assets {
		if c := a.Conflicts(); len(c) > 0 {
			out = append(out, Disagreement{Asset: a.ID, Conflicts: c})
		}
	}
	return out
}
