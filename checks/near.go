package checks

import (
	"slices"
	"strings"
)

// Near returns up to three of names that are close to the one asked for,
// nearest first, for "did you mean" in an error.
func Near(asked string, names []string) []string {
	type scored struct {
		name string
		far  int
	}
	var near []scored
	for _, name := range names {
		far := distance(strings.ToLower(asked), strings.ToLower(name))
		if far <= max(2, len(asked)/3) {
			near = append(near, scored{name, far})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int {
		if a.far != b.far {
			return a.far - b.far
		}
		return strings.Compare(a.name, b.name)
	})
	out := make([]string, 0, 3)
	for _, n := range near[:min(3, len(near))] {
		out = append(out, n.name)
	}
	return out
}

// distance is the number of single-letter edits between two texts.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range to {
			cost := diagonal
			if r != s {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(to)]
}
