package workflows

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"dw/checks"
	"dw/lineage"
)

const labelFresh = "fresh"

// FreshLines keeps those of AssetLines that say whether the asset is fresh.
func FreshLines(lines []lineage.Line) []lineage.Line {
	return slices.DeleteFunc(lines, func(l lineage.Line) bool { return l.Label != labelFresh })
}

// AssetLines says what dw has itself seen of an asset: whether it is fresh, how its
// checks went, and which incidents are open on it; each line with its source and
// its age as of now. same tells whether an id is another name of the asset. checked
// are the names of the checks that watch it, results the newest of every check.
func AssetLines(same func(lineage.AssetID) bool, checked []string, results []checks.Result, open []Incident, now time.Time) []lineage.Line {
	own := resultsOf(same, results)
	lines := append(freshLines(own, now), checkLines(checked, own, now)...)
	return append(lines, incidentLines(same, open, now)...)
}

// resultsOf keeps the results on the asset, in the order of their checks' names.
func resultsOf(same func(lineage.AssetID) bool, results []checks.Result) []checks.Result {
	var own []checks.Result
	for _, r := range results {
		if same(r.Asset) {
			own = append(own, r)
		}
	}
	slices.SortFunc(own, func(a, b checks.Result) int { return cmp.Compare(a.Check, b.Check) })
	return own
}

// freshLines answers whether the newest rows are new enough. Without a check of
// freshness the answer is that nobody looks.
func freshLines(own []checks.Result, now time.Time) []lineage.Line {
	var lines []lineage.Line
	for _, r := range own {
		if r.Kind == checks.KindFreshness {
			lines = append(lines, seen(labelFresh, freshText(r), r, now))
		}
	}
	if len(lines) == 0 {
		return []lineage.Line{{Label: labelFresh, Value: "not known: no check of freshness has looked at it"}}
	}
	return lines
}

func freshText(r checks.Result) string {
	switch r.Status {
	case checks.Pass:
		return "yes: " + r.Message
	case checks.Warn, checks.Fail:
		return "no: " + r.Message
	}
	return "not known: " + cmp.Or(r.Problem, r.Message)
}

// checkLines is one line for each check, also for one that has not run.
func checkLines(checked []string, own []checks.Result, now time.Time) []lineage.Line {
	var lines []lineage.Line
	for _, r := range own {
		lines = append(lines, seen("check", fmt.Sprintf("%s: %s. %s", r.Check, r.Status, cmp.Or(r.Problem, r.Message)), r, now))
	}
	for _, name := range checked {
		if !slices.ContainsFunc(own, func(r checks.Result) bool { return r.Check == name }) {
			lines = append(lines, lineage.Line{Label: "check", Value: name + ": has not run yet"})
		}
	}
	if len(lines) == 0 {
		return []lineage.Line{{Label: "check", Value: "no check watches it"}}
	}
	return lines
}

func seen(label, value string, r checks.Result, now time.Time) lineage.Line {
	source := "check " + r.Check
	if r.Tool != "" {
		source = r.Tool
	}
	return lineage.Line{Label: label, Value: strings.TrimSpace(value), Source: source, Age: lineage.Provenance{SeenAt: r.At}.Age(now)}
}

// incidentLines lists the open incidents whose subject the asset is, or one of
// whose signals is on it.
func incidentLines(same func(lineage.AssetID) bool, open []Incident, now time.Time) []lineage.Line {
	var lines []lineage.Line
	for _, i := range open {
		if i.State == Resolved || !i.concerns(same) {
			continue
		}
		lines = append(lines, lineage.Line{
			Label: "incident", Value: fmt.Sprintf("%s is open (%s)", i.ID, i.State),
			Source: "dw", Age: lineage.Provenance{SeenAt: i.OpenedAt}.Age(now),
		})
	}
	if len(lines) == 0 {
		return []lineage.Line{{Label: "incident", Value: "none is open"}}
	}
	return lines
}

func (i Incident) concerns(same func(lineage.AssetID) bool) bool {
	diagnosed := i.Diagnosis != nil && same(i.Diagnosis.Subject)
	return same(i.Subject) || diagnosed || slices.ContainsFunc(i.Signals, func(s Signal) bool { return same(s.Result.Asset) })
}
