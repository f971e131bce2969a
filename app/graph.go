package app

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"dw/checks"
	"dw/config"
	"dw/lineage"
)

// buildGraph joins the manifests and the configured assets. now is the age of
// what the configuration says: it is read now. said is what is known to be wrong
// already and is not said again; stored is what events have stated, read what was
// read out of SQL.
func buildGraph(c *config.Config, now time.Time, said config.Problems, stored lineage.Statements, read *lineage.Statements) (*lineage.Graph, config.Problems) {
	g := graphBuilder{c: c, now: now, builder: lineage.NewBuilder(), said: said, places: places{}}
	for i := range c.Lineage.Assets {
		g.asset(i)
	}
	whole := true
	for i := range c.Lineage.Manifests {
		whole = g.manifest(i) && whole
	}
	for i := range c.Lineage.Sources {
		whole = g.source(i) && whole
	}
	stored.Add(g.builder)
	if read != nil {
		addColumns(g.builder, *read)
	}
	// Without one of the manifests, edges to its assets would seem wrong.
	if !whole {
		return nil, g.problems
	}
	graph, err := g.builder.Build()
	if err != nil {
		return nil, append(g.problems, g.places.problems(c, err)...)
	}
	return graph, g.problems
}

type graphBuilder struct {
	c        *config.Config
	now      time.Time
	builder  *lineage.Builder
	said     config.Problems
	problems config.Problems
	places   places
}

func (g *graphBuilder) problem(key, format string, args ...any) {
	g.problems = append(g.problems, g.c.Problem(key, format, args...))
}

// refused reports whether the value of key is known to be wrong.
func (g *graphBuilder) refused(key string) bool {
	return slices.ContainsFunc(g.said, func(p config.Problem) bool { return p.Key == key })
}

// manifest reports whether the manifest could be read.
func (g *graphBuilder) manifest(i int) bool {
	m, key := g.c.Lineage.Manifests[i], fmt.Sprintf("lineage.manifests[%d].path", i)
	if g.refused(key) {
		return false
	}
	content, err := os.ReadFile(m.Path)
	if err != nil {
		g.problem(key, "cannot be read: %v", err)
		return false
	}
	assets, edges, err := lineage.LoadManifest(bytes.NewReader(content), lineage.ManifestOptions{Project: m.Project, Root: m.Root, SeenAt: g.now})
	if err != nil {
		g.problem(key, "%v", err)
		return false
	}
	for _, a := range assets {
		if a.Domain == "" {
			a.Domain = m.Domain
		}
		g.builder.AddAsset(a)
		g.places.asset(a.ID, key)
	}
	for _, e := range edges {
		g.addEdge(e, key)
	}
	g.besides(m, fmt.Sprintf("lineage.manifests[%d]", i), assets)
	return true
}

func (g *graphBuilder) asset(i int) {
	a, key := g.c.Lineage.Assets[i], fmt.Sprintf("lineage.assets[%d]", i)
	if g.refused(key + ".id") {
		return
	}
	from := lineage.Provenance{Source: lineage.SourceConfig, SeenAt: g.now}
	asset := lineage.Asset{
		ID: lineage.AssetID(a.ID), Kind: lineage.Kind(a.Kind), Name: a.Name, Aliases: a.Aliases,
		Description: a.Description, Domain: a.Domain, Readers: a.Readers, Paused: a.Paused,
		File: a.File, Root: a.Root, Properties: a.Properties, From: []lineage.Provenance{from},
	}
	if !g.refused(key + ".moves") {
		asset.Moves = a.Moves
	}
	for _, owner := range a.Owners {
		asset.Owners = append(asset.Owners, lineage.Fact{Value: owner, From: from})
	}
	g.times(a, key, &asset)
	g.harm(a.Harm, key+".harm", &asset)
	g.builder.AddAsset(asset)
	g.places.asset(asset.ID, key)
	if asset.ID.System() == "" {
		return // which the graph says; its edges are no second problem
	}
	for j, to := range a.Feeds {
		g.addEdge(lineage.Edge{From: asset.ID, To: lineage.AssetID(to), Seen: from}, fmt.Sprintf("%s.feeds[%d]", key, j))
	}
	for j, source := range a.FedBy {
		g.addEdge(lineage.Edge{From: lineage.AssetID(source), To: asset.ID, Seen: from}, fmt.Sprintf("%s.fed_by[%d]", key, j))
	}
}

// times fills in when an asset is read. The schedule is tried in UTC, because a
// wrong zone is a problem of its own.
func (g *graphBuilder) times(a config.Asset, key string, asset *lineage.Asset) {
	zone := a.Zone
	if zone == "" {
		zone = g.c.Timezone
	}
	if a.Schedule != "" {
		if _, err := checks.Next(a.Schedule, "", g.now); err != nil {
			g.problem(key+".schedule", "%v", err)
		}
		asset.Schedule = &lineage.Schedule{Spec: a.Schedule, Zone: zone}
	}
	if a.SLA != "" {
		asset.SLA = &lineage.SLA{By: a.SLA, Zone: zone}
	}
}

// harm holds the query to what every query of dw is held to.
func (g *graphBuilder) harm(h *config.Harm, key string, asset *lineage.Asset) {
	if h == nil {
		return
	}
	query := strings.TrimSpace(h.Query)
	if err := checks.Guard(query); err != nil {
		g.problem(key+".query", "%v", err)
	}
	asset.Harm = &lineage.Harm{Connection: h.Connection, Query: query, Unit: h.Unit}
}

func (g *graphBuilder) addEdge(e lineage.Edge, key string) {
	g.builder.AddEdge(e)
	g.places.edge(e, key)
}
