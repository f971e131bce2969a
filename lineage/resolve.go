package lineage

import (
	"fmt"
	"slices"
	"strings"
)

// UnknownAssetError says that no asset has the name, and which names are near.
type UnknownAssetError struct {
	Name string
	Near []string // at most five, the nearest first
}

// Error names the asset that is not known and what may have been meant.
func (e *UnknownAssetError) Error() string {
	if len(e.Near) == 0 {
		return fmt.Sprintf("unknown asset %q, and no name is near", e.Name)
	}
	return fmt.Sprintf("unknown asset %q; near names: %s", e.Name, strings.Join(e.Near, ", "))
}

// AmbiguousError says that several assets have the name.
type AmbiguousError struct {
	Name       string
	Candidates []AssetID // ordered
}

// Error names the candidates, so that one of their ids can be used.
func (e *AmbiguousError) Error() string {
	ids := make([]string, len(e.Candidates))
	for i, id := range e.Candidates {
		ids[i] = string(id)
	}
	return fmt.Sprintf("%q names %d assets; use one of these ids: %s", e.Name, len(ids), strings.Join(ids, ", "))
}

// names finds nodes by what people and tools call them.
type names struct {
	exact  map[string][]int32
	folded map[string][]int32 // without quotes and case; also the ends of dotted names
}

func newNames(assets []Asset) names {
	n := names{exact: map[string][]int32{}, folded: map[string][]int32{}}
	for i, a := range assets {
		node := int32(i)
		addName(n.folded, fold(string(a.ID)), node)
		for _, name := range append([]string{a.Name}, a.Aliases...) {
			addName(n.exact, name, node)
			for _, end := range dottedEnds(fold(name)) {
				addName(n.folded, end, node)
			}
		}
	}
	return n
}

func addName(index map[string][]int32, name string, node int32) {
	if name != "" && !slices.Contains(index[name], node) {
		index[name] = append(index[name], node)
	}
}

// dottedEnds returns a name and, for db.schema.table, also schema.table and
// table, because people leave off what is the same for all their tables. Other
// dotted names (a file, a version) have no end that means the same.
func dottedEnds(name string) []string {
	parts := strings.Split(name, ".")
	if len(parts) != 3 || slices.Contains(parts, "") {
		return []string{name}
	}
	return []string{name, parts[1] + "." + parts[2], parts[2]}
}

// fold takes the quotes of any SQL dialect and the case out of a name.
func fold(name string) string {
	unquoted := strings.Map(func(r rune) rune {
		switch r {
		case '"', '`', '[', ']':
			return -1
		}
		return r
	}, name)
	return strings.ToLower(strings.TrimSpace(unquoted))
}

// Resolve finds the asset that is called name: its id, its short name, an
// alias such as its relation name, and, where none fits exactly, any of these
// without quotes, without case, or with the first parts of a dotted name left
// off. The error is an *UnknownAssetError or an *AmbiguousError.
func (g *Graph) Resolve(name string) (Asset, error) {
	if n, ok := g.index[AssetID(name)]; ok {
		return g.assets[n], nil
	}
	found := g.names.exact[name]
	if len(found) == 0 {
		found = g.names.folded[fold(name)]
	}
	switch len(found) {
	case 0:
		return Asset{}, g.unknown(name)
	case 1:
		return g.assets[found[0]], nil
	}
	err := &AmbiguousError{Name: name}
	for _, n := range found {
		err.Candidates = append(err.Candidates, g.assets[n].ID)
	}
	return Asset{}, err
}

func (g *Graph) unknown(name string) *UnknownAssetError {
	return &UnknownAssetError{Name: name, Near: g.near(name)}
}
