package lineage

import (
	"fmt"
	"strings"
	"time"
)

// Answer is the answer to one question about one asset, line by line, each with its
// source and age.
type Answer struct {
	Asset AssetID   `json:"asset"`
	Name  string    `json:"name"`
	At    time.Time `json:"at"`
	Lines []Line    `json:"lines"`
}

// OwnersOf answers who owns an asset: the first is the one to ask. Where nobody is
// named it says who owns what lies directly beside it, who may know. An id that the
// graph does not hold is an *UnknownAssetError.
func (g *Graph) OwnersOf(id AssetID, now time.Time) (Answer, error) {
	n, err := g.node(id)
	if err != nil {
		return Answer{}, err
	}
	a := g.assets[n]
	out := answerOf(a, now)
	out.Lines = ownerLines(a, now)
	if len(a.Owners) == 0 {
		out.Lines = append(out.Lines, g.besideOwners("may know, owns what it feeds", n, g.down, now)...)
		out.Lines = append(out.Lines, g.besideOwners("may know, owns what feeds it", n, g.up, now)...)
	}
	disagree := func(c Conflict) bool { return c.Field == "owner" }
	for _, c := range a.Conflicts() {
		if disagree(c) {
			out.Lines = append(out.Lines, conflictLines([]Conflict{c}, now)...)
		}
	}
	return out, nil
}

func answerOf(a Asset, now time.Time) Answer {
	return Answer{Asset: a.ID, Name: a.Name, At: now.UTC(), Lines: []Line{}}
}

// shownBeside is how many neighbours an answer names.
const shownBeside = 5

// besideOwners lists the first owners of neighbours in one direction.
func (g *Graph) besideOwners(label string, n int32, adj adjacency, now time.Time) []Line {
	var lines []Line
	for next := range adj.neighbours(n) {
		a := g.assets[next]
		if len(a.Owners) > 0 && len(lines) < shownBeside {
			lines = append(lines, sourced(label, a.Owners[0].Value+" ("+a.Name+")", a.Owners[0].From, now))
		}
	}
	return lines
}

// SLAOf answers by when an asset must be right: its own promise, those of what lies
// below it, and the first harm. opts as for BlastRadius.
func (g *Graph) SLAOf(id AssetID, opts BlastOptions) (Answer, error) {
	radius, err := g.BlastRadius(id, opts)
	if err != nil {
		return Answer{}, err
	}
	n, err := g.node(id)
	if err != nil {
		return Answer{}, err
	}
	a := g.assets[n]
	out := answerOf(a, opts.Now)
	out.Lines = append(out.Lines, a.line("SLA", "sla", a.SLA.String(), opts.Now))
	if a.SLA != nil {
		out.Lines = append(out.Lines, nextDue(*a.SLA, opts))
	}
	out.Lines = append(out.Lines, g.promisedBelow(radius, opts.Now)...)
	out.Lines = append(out.Lines, Line{Label: "first harm", Value: strings.TrimSuffix(harmText(radius, opts.Now.UTC()), ".")})
	return out, nil
}

func nextDue(s SLA, opts BlastOptions) Line {
	daily, err := s.daily()
	if err != nil {
		return Line{Label: "next due", Value: "not known: " + err.Error()}
	}
	at, err := opts.Due.first(daily, opts.Now.UTC())
	if err != nil {
		return Line{Label: "next due", Value: "not known: " + err.Error()}
	}
	return Line{Label: "next due", Value: fmt.Sprintf("%s (in %s)", clockText(at, opts.Now, s.Zone), spanText(at.Sub(opts.Now)))}
}

// promisedBelow lists the SLAs of the consumers, those harmed first before others.
func (g *Graph) promisedBelow(radius BlastRadius, now time.Time) []Line {
	var lines []Line
	more := 0
	for _, c := range radius.Consumers {
		a, ok := g.Asset(c.ID)
		switch {
		case !ok || a.SLA == nil:
		case len(lines) == shownBeside:
			more++
		default:
			lines = append(lines, a.line("promised below", "sla", fmt.Sprintf("%s (%s) by %s", a.Name, a.Kind, a.SLA), now))
		}
	}
	switch {
	case len(lines) == 0:
		return []Line{{Label: "promised below", Value: "nothing that a source states"}}
	case more > 0:
		lines = append(lines, Line{Label: "promised below", Value: fmt.Sprintf("%d more", more)})
	}
	return lines
}

// FreshOf answers whether an asset is fresh. seen are the lines of whoever looked
// (a check of freshness); the graph adds how its last run went, when it runs, and
// when it was last seen to be fed.
func (g *Graph) FreshOf(id AssetID, now time.Time, seen ...Line) (Answer, error) {
	n, err := g.node(id)
	if err != nil {
		return Answer{}, err
	}
	a := g.assets[n]
	out := answerOf(a, now)
	out.Lines = append(out.Lines, seen...)
	if run := a.Properties[lastRun]; run != "" {
		out.Lines = append(out.Lines, a.line("last run", "property "+lastRun, run, now))
	}
	out.Lines = append(out.Lines, a.line("schedule", "schedule", a.Schedule.String(), now), g.lastFed(n, now))
	return out, nil
}

// lastFed is the newest sight of a run that fed the asset.
func (g *Graph) lastFed(n int32, now time.Time) Line {
	var last Provenance
	from := ""
	for next, edge := range g.up.neighbours(n) {
		for _, p := range append([]Provenance{g.edges[edge].Seen}, g.edges[edge].Also...) {
			if p.How == HowObserved && p.SeenAt.After(last.SeenAt) {
				last, from = p, g.assets[next].Name
			}
		}
	}
	if from == "" {
		return Line{Label: "last fed", Value: "not known: no source has seen a run"}
	}
	return sourced("last fed", "by "+from+", "+last.Age(now)+" ago", last, now)
}
