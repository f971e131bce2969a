package jira

import (
	"cmp"
	"slices"
	"strings"
)

// shown is how many near names an error lists.
const shown = 5

// nearest sorts names by their distance to what was asked for and returns the
// first few. Of "OPS (Data operations)" both parts are compared.
func nearest(want string, names []string) []string {
	want = strings.ToLower(want)
	sorted := slices.Clone(names)
	slices.SortStableFunc(sorted, func(a, b string) int { return cmp.Compare(far(want, a), far(want, b)) })
	return sorted[:min(len(sorted), shown)]
}

func far(want, name string) int {
	name = strings.ToLower(name)
	key, rest, both := strings.Cut(name, " (")
	d := distance(want, key)
	if both {
		d = min(d, distance(want, strings.TrimSuffix(rest, ")")))
	}
	if want != "" && strings.Contains(name, want) {
		d = min(d, 1)
	}
	return d
}

// distance is the number of letters to change, add or take away.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range x {
		last := row[0]
		row[0] = i + 1
		for j, s := range y {
			change := last
			if r != s {
				change++
			}
			last = row[j+1]
			row[j+1] = min(change, last+1, row[j]+1)
		}
	}
	return row[len(y)]
}
