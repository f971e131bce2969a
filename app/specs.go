package app

import (
	"fmt"
	"strings"
	"time"

	"dw/checks"
	"dw/config"
	"dw/lineage"
)

// buildSpecs turns the configured checks into specs, each tied to the asset
// that it is about.
func buildSpecs(c *config.Config, graph *lineage.Graph) ([]checks.Spec, config.Problems) {
	var problems config.Problems
	specs := make([]checks.Spec, 0, len(c.Checks))
	seen := map[string]bool{}
	for i, declared := range c.Checks {
		key := fmt.Sprintf("checks[%d]", i)
		spec, found := specOf(c, graph, declared, key)
		if seen[spec.Name] {
			found = append(found, c.Problem(key+".name", "%q stands here twice", spec.Name))
		}
		seen[spec.Name] = true
		for _, wrong := range spec.Validate() {
			found = append(found, c.Problem(key+"."+wrong.Path, "%s", wrong.Problem))
		}
		specs, problems = append(specs, spec), append(problems, found...)
	}
	return specs, problems
}

func specOf(c *config.Config, graph *lineage.Graph, d config.Check, key string) (checks.Spec, config.Problems) {
	var problems config.Problems
	spec := checks.Spec{
		Name: d.Name, Kind: d.Kind, Domain: d.Domain, Connection: d.Connection, Table: d.Table,
		MainTable: d.MainTable, MainTime: d.MainTime, Where: d.Where, TimeColumn: d.TimeColumn, TimeFormat: d.TimeFormat,
		Bucket: d.Bucket, Zone: d.Zone, Columns: d.Columns, Dimensions: d.Dimensions, MinChange: d.MinChange,
		MinRows: d.MinRows, Delay: d.Delay.Std(), Weeks: d.Weeks, Judge: d.Judge, FalseAlarms: d.FalseAlarms, Holidays: d.Holidays, MaxAge: d.MaxAge.Std(), Share: d.Share,
		Query: d.Query, Severity: d.Severity, Owner: d.Owner, Schedule: d.Schedule, Timeout: d.Timeout.Std(), Description: d.Description,
	}
	// A wrong timezone is one problem, not one of every check.
	if _, err := time.LoadLocation(c.Timezone); err == nil && c.Timezone != "Local" && spec.Zone == "" {
		spec.Zone = c.Timezone
	}
	threshold := func(name, text string, into *checks.Threshold) {
		if text == "" {
			return
		}
		parsed, err := checks.ParseThreshold(text)
		if err != nil {
			problems = append(problems, c.Problem(key+"."+name, "%v", err))
		}
		*into = parsed
	}
	threshold("length", d.Length, &spec.Length)
	threshold("threshold", d.Threshold, &spec.Threshold)
	threshold("warn", d.Warn, &spec.Warn)
	threshold("fail", d.Fail, &spec.Fail)
	problems = append(problems, specRules(c, d, key, &spec)...)
	problems = append(problems, specReferences(c, graph, d, key, &spec)...)
	return spec, problems
}

// propPrivate is the property of an asset that names its columns with data about
// people, whose values are never shown.
const propPrivate = "private"

// specReferences resolves the connection, the asset and the domain.
func specReferences(c *config.Config, graph *lineage.Graph, d config.Check, key string, spec *checks.Spec) config.Problems {
	var problems config.Problems
	if _, known := c.Connections[d.Connection]; !known {
		problems = append(problems, c.Problem(key+".connection", "%q is not in connections", d.Connection))
	}
	if d.Schedule == "" {
		problems = append(problems, c.Problem(key+".schedule", "is missing: cron (\"20 * * * *\") or an interval (\"@every 5m\")"))
	}
	name := d.Asset
	if name == "" {
		name = d.Table
	}
	resolved := false
	if graph != nil {
		asset, err := graph.Resolve(name)
		if err != nil {
			problems = append(problems, c.Problem(key+".asset", "what the check is about is not in lineage: %v", err))
		}
		resolved = err == nil
		spec.Asset = asset.ID
		spec.Private = append(spec.Private, strings.FieldsFunc(asset.Properties[propPrivate], func(r rune) bool { return r == ',' || r == ' ' })...)
		if spec.Domain == "" {
			spec.Domain = asset.Domain
		}
	}
	// Without its asset a check's domain is not known, which is said there already.
	if _, known := c.Domains[spec.Domain]; !known && (resolved || spec.Domain != "") {
		problems = append(problems, c.Problem(key+".domain", "%q is not in domains", spec.Domain))
	}
	return problems
}
