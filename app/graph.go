package app

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"time"

	"dw/config"
	"dw/lineage"
)

// buildGraph joins the manifests and the configured assets. now is the age of
// what the configuration says: it is read now.
func buildGraph(c *config.Config, now time.Time) (*lineage.Graph, config.Problems) {
	g := graphBuilder{c: c, now: now, builder: lineage.NewBuilder()}
	for i := range c.Lineage.Manifests {
		g.manifest(i)
	}
	for i := range c.Lineage.Assets {
		g.asset(i)
	}
	if len(g.problems) > 0 {
		return nil, g.problems
	}
	graph, err := g.builder.Build()
	if err != nil {
		return nil, config.Problems{c.Problem("lineage", "%v", err)}
	}
	return graph, nil
}

type graphBuilder struct {
	c        *config.Config
	now      time.Time
	builder  *lineage.Builder
	problems config.Problems
}

func (g *graphBuilder) manifest(i int) {
	m, key := g.c.Lineage.Manifests[i], fmt.Sprintf("lineage.manifests[%d].path", i)
	content, err := os.ReadFile(m.Path)
	if err != nil {
		g.problems = append(g.problems, g.c.Problem(key, "cannot be read: %v", err))
		return
	}
	assets, edges, err := lineage.LoadManifest(bytes.NewReader(content), lineage.ManifestOptions{Project: m.Project, Root: m.Root, SeenAt: g.now})
	if err != nil {
		g.problems = append(g.problems, g.c.Problem(key, "%v", err))
		return
	}
	for _, a := range assets {
		if a.Domain == "" {
			a.Domain = m.Domain
		}
		g.builder.AddAsset(a)
	}
	for _, e := range edges {
		g.builder.AddEdge(e)
	}
}

func (g *graphBuilder) asset(i int) {
	a := g.c.Lineage.Assets[i]
	from := lineage.Provenance{Source: lineage.SourceConfig, SeenAt: g.now}
	asset := lineage.Asset{
		ID: lineage.AssetID(a.ID), Kind: lineage.Kind(a.Kind), Name: a.Name, Aliases: a.Aliases,
		Description: a.Description, Domain: a.Domain, Moves: a.Moves, Readers: a.Readers, Paused: a.Paused,
		File: a.File, Root: a.Root, Properties: a.Properties, From: []lineage.Provenance{from},
	}
	for _, owner := range a.Owners {
		asset.Owners = append(asset.Owners, lineage.Fact{Value: owner, From: from})
	}
	zone := a.Zone
	if zone == "" {
		zone = g.c.Timezone
	}
	if a.Schedule != "" {
		asset.Schedule = &lineage.Schedule{Spec: a.Schedule, Zone: zone}
	}
	if a.SLA != "" {
		asset.SLA = &lineage.SLA{By: a.SLA, Zone: zone}
	}
	if a.Harm != nil {
		asset.Harm = &lineage.Harm{Connection: a.Harm.Connection, Query: strings.TrimSpace(a.Harm.Query), Unit: a.Harm.Unit}
	}
	g.builder.AddAsset(asset)
	for _, to := range a.Feeds {
		g.builder.AddEdge(lineage.Edge{From: asset.ID, To: lineage.AssetID(to), Seen: from})
	}
	for _, source := range a.FedBy {
		g.builder.AddEdge(lineage.Edge{From: lineage.AssetID(source), To: asset.ID, Seen: from})
	}
}
