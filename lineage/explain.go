package lineage

import (
	"strconv"
	"time"
)

// notDeclared is the value of a line that no source states. dw says so rather
// than guess.
const notDeclared = "not declared"

// Line is one answer about an asset with the source that gave it. Source and
// Age are empty where no source states anything.
type Line struct {
	Label  string `json:"label"`
	Value  string `json:"value"`
	Source string `json:"source"`
	Age    string `json:"age"`           // "3 h 20 m", or "unknown"
	Old    bool   `json:"old,omitempty"` // the source has not stated it for oldAfter
}

// Sourced writes where a line comes from and how old that is, and "" where no
// source states it.
func (l Line) Sourced() string {
	switch {
	case l.Source == "":
		return ""
	case l.Old:
		return l.Source + ", " + l.Age + " old: may be gone"
	}
	return l.Source + ", " + l.Age + " old"
}

// Explanation is what dw knows of one asset: what it is, what feeds it, what it
// feeds, whom to ask.
type Explanation struct {
	Asset      Asset      `json:"asset"`
	At         time.Time  `json:"at"`
	Upstream   []Asset    `json:"upstream"`   // the direct neighbours, by id
	Downstream []Asset    `json:"downstream"` // the direct neighbours, by id
	Owners     []Fact     `json:"owners"`     // the first is the one to ask
	Conflicts  []Conflict `json:"conflicts"`
	Facts      []Line     `json:"lines"`
}

// Lines returns the explanation line by line, ready to print.
func (e Explanation) Lines() []Line { return e.Facts }

// Explain answers what an asset is. Ages are as of now; more are lines of the
// caller, such as the last check, that stand right behind the owners, because they
// are what the person on call asks for. An id
// that the graph does not hold is an *UnknownAssetError.
func (g *Graph) Explain(id AssetID, now time.Time, more ...Line) (Explanation, error) {
	n, err := g.node(id)
	if err != nil {
		return Explanation{}, err
	}
	a := g.assets[n]
	e := Explanation{
		Asset: a, At: now.UTC(), Upstream: []Asset{}, Downstream: []Asset{},
		Owners: append([]Fact{}, a.Owners...), Conflicts: append([]Conflict{}, a.Conflicts()...),
	}
	e.Facts = append(e.Facts, assetLines(a, now, more)...)
	e.Facts = append(e.Facts, conflictLines(e.Conflicts, now)...)
	e.Facts = append(e.Facts, g.edgeLines("fed by", n, g.up, now, &e.Upstream)...)
	e.Facts = append(e.Facts, g.edgeLines("feeds", n, g.down, now, &e.Downstream)...)
	e.Facts = append(e.Facts, g.reachLine(n, now))
	return e, nil
}

// assetLines answers the questions that are asked of every asset, also where
// the answer is that nobody declared it.
func assetLines(a Asset, now time.Time, seen []Line) []Line {
	lines := []Line{
		a.line("what", "kind", string(a.Kind), now),
		a.line("description", "description", a.Description, now),
	}
	lines = append(lines, ownerLines(a, now)...)
	lines = append(lines, seen...)
	lines = append(lines,
		a.line("domain", "domain", a.Domain, now),
		a.line("schedule", "schedule", a.Schedule.String(), now),
		a.line("SLA", "sla", a.SLA.String(), now),
		a.line("moves", "moves", a.Moves, now),
	)
	if a.Readers > 0 {
		lines = append(lines, a.line("readers", "readers", strconv.Itoa(a.Readers), now))
	}
	if a.Paused {
		lines = append(lines, a.line("paused", "paused", "yes", now))
	}
	if a.File != "" {
		lines = append(lines, a.line("file", "file", a.File, now))
	}
	lines = append(lines, a.claimLines("columns", "columns", now)...)
	lines = append(lines, a.claimLines("also called", "aliases", now)...)
	for _, key := range sortedKeys(a.Properties) {
		if key != checksum {
			lines = append(lines, a.line(key, "property "+key, a.Properties[key], now))
		}
	}
	return lines
}

// line is one field with the source whose value the asset shows.
func (a Asset) line(label, field, value string, now time.Time) Line {
	if value == "" {
		return Line{Label: label, Value: notDeclared}
	}
	if c, ok := a.claim(field); ok {
		return sourced(label, value, c.From, now)
	}
	return sourced(label, value, a.From[0], now)
}

// claimLines lists what each source adds to a field.
func (a Asset) claimLines(label, field string, now time.Time) []Line {
	var lines []Line
	for _, c := range a.Claims {
		if c.Field == field {
			lines = append(lines, sourced(label, c.Value, c.From, now))
		}
	}
	return lines
}

func sourced(label, value string, from Provenance, now time.Time) Line {
	return Line{Label: label, Value: value, Source: from.Source, Age: from.Age(now), Old: from.Old(now)}
}

func ownerLines(a Asset, now time.Time) []Line {
	if len(a.Owners) == 0 {
		return []Line{{Label: "owner", Value: notDeclared}}
	}
	var lines []Line
	for _, owner := range a.Owners {
		lines = append(lines, sourced("owner", owner.Value, owner.From, now))
	}
	return lines
}

// conflictLines shows what the sources state that the asset does not show.
func conflictLines(conflicts []Conflict, now time.Time) []Line {
	var lines []Line
	for _, conflict := range conflicts {
		for _, c := range conflict.Claims {
			if c.Value != conflict.Claims[0].Value {
				lines = append(lines, sourced("another source states "+c.Field, c.Value, c.From, now))
			}
		}
	}
	return lines
}

// edgeLines lists the direct neighbours in one direction and collects them.
func (g *Graph) edgeLines(label string, n int32, adj adjacency, now time.Time, into *[]Asset) []Line {
	var lines []Line
	for next, edge := range adj.neighbours(n) {
		a := g.assets[next]
		*into = append(*into, a)
		lines = append(lines, sourced(label, a.Name+" ("+string(a.Kind)+") "+string(a.ID), g.edges[edge].Seen, now))
	}
	if len(lines) == 0 {
		return []Line{{Label: label, Value: "nothing that a source states"}}
	}
	return lines
}

// reachLine counts everything below. It is as old as the oldest edge that it
// counts, because one stale edge may hide or invent what lies behind it.
func (g *Graph) reachLine(n int32, now time.Time) Line {
	below := g.closure(n, g.down)
	oldest := int32(-1)
	for _, node := range append([]int32{n}, below...) {
		for _, edge := range g.down.edge[g.down.start[node]:g.down.start[node+1]] {
			if oldest < 0 || g.seen[edge] < g.seen[oldest] {
				oldest = edge
			}
		}
	}
	value := plural(len(below), "asset") + " in all"
	if oldest < 0 {
		return Line{Label: "below it", Value: value}
	}
	return sourced("below it", value, g.edges[oldest].Seen, now)
}
