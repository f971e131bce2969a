package lineage

import (
	"cmp"
	"slices"
	"strings"
)

const (
	nearest     = 5   // names offered for one that is not known
	longestName = 128 // runes compared; a longer name is cut, so that the work is bounded
)

type nearName struct {
	name     string
	distance int
}

// near returns the short names that may have been meant by name: those few
// letters away, and those that contain it or are contained in it.
func (g *Graph) near(name string) []string {
	asked := lastPart(fold(name))
	if len(asked) == 0 {
		return nil
	}
	var found []nearName
	for _, a := range g.assets {
		best := -1
		for _, other := range append([]string{a.Name}, a.Aliases...) {
			if d, ok := nameDistance(asked, lastPart(fold(other))); ok && (best < 0 || d < best) {
				best = d
			}
		}
		if best >= 0 {
			found = append(found, nearName{a.Name, best})
		}
	}
	return firstNames(found)
}

// lastPart is what distinguishes an id or a dotted name from its neighbours.
func lastPart(name string) []rune {
	name = strings.TrimRight(name, "/.")
	name = name[strings.LastIndexAny(name, "/.")+1:]
	runes := []rune(name)
	return runes[:min(len(runes), longestName)]
}

func firstNames(found []nearName) []string {
	slices.SortFunc(found, func(a, b nearName) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var out []string
	for _, f := range found {
		if !slices.Contains(out, f.name) {
			out = append(out, f.name)
		}
		if len(out) == nearest {
			break
		}
	}
	return out
}

// nameDistance returns how far two folded names are apart, and false if they
// are too far to be meant for each other. A part of a name counts as one third
// of what is missing, so that "orders" is near "fct_orders".
func nameDistance(asked, name []rune) (int, bool) {
	longer, shorter := max(len(asked), len(name)), min(len(asked), len(name))
	allowed := max(1, len(asked)/3)
	if shorter >= 3 && containsRunes(asked, name) {
		return 1 + (longer-shorter)/3, true
	}
	if longer-shorter > allowed {
		return 0, false
	}
	d := editDistance(asked, name)
	return d, d <= allowed
}

func containsRunes(a, b []rune) bool {
	return strings.Contains(string(a), string(b)) || strings.Contains(string(b), string(a))
}

// editDistance counts the letters to insert, delete, replace or swap with the
// next one (optimal string alignment), because swaps are the commonest slip.
func editDistance(a, b []rune) int {
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+differ(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}

func differ(a, b rune) int {
	if a == b {
		return 0
	}
	return 1
}
