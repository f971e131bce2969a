package lineage

import (
	"fmt"
	"slices"
	"time"
)

// ColumnExplanation is what dw knows of one column: what it comes from, what it
// feeds, and how it knows.
type ColumnExplanation struct {
	Asset  AssetID      `json:"asset"`
	Column string       `json:"column"`
	At     time.Time    `json:"at"`
	Up     []ColumnStep `json:"up"`   // what feeds it, one edge away
	Down   []ColumnStep `json:"down"` // what it feeds, one edge away
	Facts  []Line       `json:"lines"`
}

// ExplainColumn answers what a column is, one line for each fact, with its source
// and age as of now. note is what is to be said of columns as such, such as that
// none are read out of SQL here; it may be empty.
func (g *Graph) ExplainColumn(id AssetID, column string, now time.Time, note string) (ColumnExplanation, error) {
	out := ColumnExplanation{Asset: id, Column: column, At: now.UTC()}
	var err error
	if out.Up, err = g.TraceColumn(id, column, true, 1); err != nil {
		return ColumnExplanation{}, err
	}
	if out.Down, err = g.TraceColumn(id, column, false, 1); err != nil {
		return ColumnExplanation{}, err
	}
	a := g.assets[g.index[id]]
	out.Facts = append(out.Facts, Line{Label: "what", Value: "column " + column + " of " + string(a.Kind) + " " + string(id)})
	out.Facts = append(out.Facts, ownerLines(a, now)...)
	out.Facts = append(out.Facts, columnLines("comes from", out.Up, now)...)
	out.Facts = append(out.Facts, columnLines("feeds", out.Down, now)...)
	if note != "" {
		out.Facts = append(out.Facts, Line{Label: "not known", Value: note})
	}
	out.Up, out.Down = append([]ColumnStep{}, out.Up...), append([]ColumnStep{}, out.Down...)
	return out, nil
}

func columnLines(label string, steps []ColumnStep, now time.Time) []Line {
	if len(steps) == 0 {
		return []Line{{Label: label, Value: "nothing that a source states"}}
	}
	var lines []Line
	for _, s := range steps {
		lines = append(lines, sourced(label, s.Text(), Provenance{Source: s.Source + ", " + s.By, SeenAt: s.Seen}, now))
	}
	return lines
}

// Text names the column and says how it is used and how sure that is.
func (s ColumnStep) Text() string {
	text := string(s.Asset)
	switch {
	case s.Column != "":
		text += "." + s.Column
	case s.Use == UseFilter:
		text += " (every row)"
	default:
		text += " (which columns is not known)"
	}
	if s.Use == UseFilter {
		text += ", filter or join"
	}
	if !s.Sure {
		text += ", maybe"
	}
	return text
}

// OnlyColumn leaves of a blast radius what may take in one column of its subject:
// it reads it, or no source says which columns it reads. The radius then says how
// many those are.
func (g *Graph) OnlyColumn(b BlastRadius, column string) (BlastRadius, error) {
	impact, err := g.ChangeImpact(Change{Asset: b.Subject, Column: column, Kind: ChangeValues})
	if err != nil {
		return BlastRadius{}, err
	}
	outcome := map[AssetID]Impact{}
	for _, i := range impact.Impacts {
		outcome[i.Asset] = i
	}
	keep := func(c Consumer) bool { return outcome[c.ID].Outcome != OutcomeUnaffected }
	out := b
	out.Name, out.Consumers, out.Counts = b.Name+"."+column, []Consumer{}, map[Kind]int{}
	out.First, out.Next, out.Score, out.ScoreLine, out.ScoreOf = nil, nil, 0, "", ""
	unsure := 0
	for _, c := range b.Consumers {
		if !keep(c) {
			continue
		}
		out.Consumers = append(out.Consumers, c)
		out.Counts[c.Kind]++
		if !outcome[c.ID].Sure {
			unsure++
		}
	}
	out.rank()
	out.Unknowns = slices.Concat([]string{}, unknowns(out.Consumers))
	if unsure > 0 {
		out.Unknowns = append(out.Unknowns, fmt.Sprintf("of %d no source says which columns they read; they, and all below them, are counted", unsure))
	}
	return out, nil
}
