package lineage_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dw/lineage"
)

var noon = time.Date(2026, time.November, 30, 12, 35, 0, 0, time.UTC)

// seen is the provenance of what a test declares, an hour before noon.
func seen(source string) lineage.Provenance {
	return lineage.Provenance{Source: source, SeenAt: noon.Add(-time.Hour)}
}

// asset declares one asset by config; change fills in the rest.
func asset(name string, kind lineage.Kind, change ...func(*lineage.Asset)) lineage.Asset {
	a := lineage.Asset{
		ID: id(name), Kind: kind, Name: name,
		From: []lineage.Provenance{seen(lineage.SourceConfig)},
	}
	for _, c := range change {
		c(&a)
	}
	return a
}

func id(name string) lineage.AssetID { return lineage.AssetID("test://" + name) }

func schedule(spec, zone string) func(*lineage.Asset) {
	return func(a *lineage.Asset) { a.Schedule = &lineage.Schedule{Spec: spec, Zone: zone} }
}

func moves(class string) func(*lineage.Asset) {
	return func(a *lineage.Asset) { a.Moves = class }
}

func paused(a *lineage.Asset) { a.Paused = true }

func owner(name string) func(*lineage.Asset) {
	return func(a *lineage.Asset) {
		a.Owners = append(a.Owners, lineage.Fact{Value: name, From: a.From[0]})
	}
}

// edges reads "a > b > c" as a chain.
func edges(chains ...string) []lineage.Edge {
	var out []lineage.Edge
	for _, chain := range chains {
		names := strings.Split(chain, " > ")
		for i := 1; i < len(names); i++ {
			out = append(out, lineage.Edge{From: id(names[i-1]), To: id(names[i]), Seen: seen(lineage.SourceManifest)})
		}
	}
	return out
}

func build(t testing.TB, assets []lineage.Asset, links []lineage.Edge) *lineage.Graph {
	t.Helper()
	b := lineage.NewBuilder()
	for _, a := range assets {
		b.AddAsset(a)
	}
	for _, e := range links {
		b.AddEdge(e)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	return g
}

// dailyDue is a DueFunc for "M H * * *", "M * * * *" and "@every D", in any
// zone, by walking the days of that zone.
func dailyDue(spec, zone string, from, to time.Time) ([]time.Time, error) {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return nil, err
	}
	var out []time.Time
	if every, ok := strings.CutPrefix(spec, "@every "); ok {
		d, err := time.ParseDuration(every)
		if err != nil {
			return nil, err
		}
		for at := from.Add(d); !at.After(to); at = at.Add(d) {
			out = append(out, at)
		}
		return out, nil
	}
	hours, minute := make([]int, 0, 24), 0
	var hour int
	if _, err := fmt.Sscanf(spec, "%d %d * * *", &minute, &hour); err == nil {
		hours = append(hours, hour)
	} else if _, err := fmt.Sscanf(spec, "%d * * * *", &minute); err == nil {
		for h := range 24 {
			hours = append(hours, h)
		}
	} else {
		return nil, fmt.Errorf("%q is no schedule", spec)
	}
	for day := from.In(loc).AddDate(0, 0, -1); !day.After(to.AddDate(0, 0, 1)); day = day.AddDate(0, 0, 1) {
		for _, h := range hours {
			at := time.Date(day.Year(), day.Month(), day.Day(), h, minute, 0, 0, loc)
			if at.After(from) && !at.After(to) {
				out = append(out, at)
			}
		}
	}
	return out, nil
}

func blast(t testing.TB, g *lineage.Graph, name string, opts lineage.BlastOptions) lineage.BlastRadius {
	t.Helper()
	if opts.Now.IsZero() {
		opts.Now = noon
	}
	if opts.Due == nil {
		opts.Due = dailyDue
	}
	b, err := g.BlastRadius(id(name), opts)
	if err != nil {
		t.Fatalf("blast radius of %s: %v", name, err)
	}
	return b
}

func consumer(t testing.TB, b lineage.BlastRadius, name string) lineage.Consumer {
	t.Helper()
	for _, c := range b.Consumers {
		if c.ID == id(name) {
			return c
		}
	}
	t.Fatalf("%s is not among the consumers", name)
	return lineage.Consumer{}
}

func at(t testing.TB, text string) time.Time {
	t.Helper()
	out, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
