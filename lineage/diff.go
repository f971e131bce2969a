package lineage

import (
	"cmp"
	"fmt"
	"slices"
)

// Difference is one thing that a newer state of a project changes, and what that
// does to what lies below it in the older one.
type Difference struct {
	Change Change       `json:"change"`
	Why    string       `json:"why"`
	Impact ChangeImpact `json:"impact"`
}

// Diff is what a newer state of a project changes.
type Diff struct {
	Differences []Difference   `json:"differences"` // by asset and column
	Worst       []Impact       `json:"worst"`       // of each asset below, the breaking ones first
	Counts      map[string]int `json:"counts"`      // of Worst, by outcome
	Added       []AssetID      `json:"added"`       // assets that are new; they break nobody
}

// Diff says what becomes of the assets of g where newer takes its place: an asset or
// a column that is gone is a drop, another relation a rename, another definition a
// change of values. Columns are compared where both state some. What the newer graph
// drops itself is not among those that are hurt.
func (g *Graph) Diff(newer *Graph) (Diff, error) {
	out := Diff{Differences: []Difference{}, Worst: []Impact{}, Counts: map[string]int{}, Added: []AssetID{}}
	for _, a := range g.assets {
		for _, d := range changesOf(a, newer) {
			impact, err := g.ChangeImpact(d.Change)
			if err != nil {
				return Diff{}, err
			}
			d.Impact = impact
			out.Differences = append(out.Differences, d)
		}
	}
	for _, a := range newer.assets {
		if _, known := g.index[a.ID]; !known {
			out.Added = append(out.Added, a.ID)
		}
	}
	out.rank(newer)
	return out, nil
}

// changesOf compares one asset with what it is in the newer graph.
func changesOf(a Asset, newer *Graph) []Difference {
	now, kept := newer.Asset(a.ID)
	if !kept {
		return []Difference{{Change: Change{Asset: a.ID, Kind: ChangeDrop}, Why: "it is gone"}}
	}
	var out []Difference
	if a.Relation != "" && now.Relation != "" && a.Relation != now.Relation {
		out = append(out, Difference{Change: Change{Asset: a.ID, Kind: ChangeRename}, Why: fmt.Sprintf("%s is called %s", a.Relation, now.Relation)})
	}
	if len(now.Columns) > 0 {
		for _, column := range a.Columns {
			same := func(c string) bool { return fold(c) == fold(column) }
			if !slices.ContainsFunc(now.Columns, same) {
				out = append(out, Difference{Change: Change{Asset: a.ID, Column: column, Kind: ChangeDrop}, Why: "the column is no longer stated"})
			}
		}
	}
	if before, after := a.Properties[checksum], now.Properties[checksum]; before != "" && after != "" && before != after {
		out = append(out, Difference{Change: Change{Asset: a.ID, Kind: ChangeValues}, Why: "its definition has changed"})
	}
	return out
}

// rank keeps the worst that happens to each asset that goes on to be there.
func (d *Diff) rank(newer *Graph) {
	worst := map[AssetID]Impact{}
	for _, difference := range d.Differences {
		for _, i := range difference.Impact.Impacts {
			_, kept := newer.index[i.Asset]
			before, seen := worst[i.Asset]
			if kept && (!seen || badness(i.Outcome) > badness(before.Outcome)) {
				worst[i.Asset] = i
			}
		}
	}
	for _, i := range worst {
		d.Worst = append(d.Worst, i)
		d.Counts[i.Outcome]++
	}
	slices.SortFunc(d.Worst, func(a, b Impact) int {
		return cmp.Or(cmp.Compare(badness(b.Outcome), badness(a.Outcome)), cmp.Compare(a.Asset, b.Asset))
	})
}

func badness(outcome string) int {
	switch outcome {
	case OutcomeBreaks:
		return 2
	case OutcomeChanges:
		return 1
	}
	return 0
}
