package app

import (
	"math"
	"slices"
	"time"

	"dw/checks"
	"dw/config"
)

// specRules fills in the keys that only some kinds take.
func specRules(c *config.Config, d config.Check, key string, spec *checks.Spec) config.Problems {
	var problems config.Problems
	add := func(name, format string, args ...any) {
		problems = append(problems, c.Problem(key+"."+name, format, args...))
	}
	spec.Private, spec.Values, spec.Regex, spec.Low, spec.Expression = slices.Clone(d.Private), d.Values, d.Regex, d.Min, d.Expression
	spec.To, spec.ToColumns, spec.ToConnection, spec.ToWhere, spec.ToTime = d.To, d.ToColumns, d.ToConnection, d.ToWhere, d.ToTime
	spec.MinShare, spec.AllowNew, spec.Forbidden, spec.Types = d.MinShare, d.AllowNew, d.Forbidden, d.Types
	spec.GroupBy, spec.By, spec.Lateness, spec.Anomaly = d.GroupBy, d.By, d.Lateness.Std(), d.Anomaly
	if d.Partition != nil {
		spec.PartitionColumn, spec.PartitionLast = d.Partition.Column, d.Partition.Last.Std()
	}
	switch {
	case d.Column != "" && len(d.Columns) > 0:
		add("column", "stands beside columns; write one of the two")
	case d.Column != "":
		spec.Columns = []string{d.Column}
	}
	specMost(d, spec, add)
	if _, known := c.Connections[d.ToConnection]; d.ToConnection != "" && !known {
		add("to_connection", "%q is not in connections", d.ToConnection)
	}
	if d.Regex != "" && c.Connections[d.Connection].Kind != config.KindPostgres && c.Connections[d.Connection].Kind != "" {
		add("regex", "SQLite has no regular expressions; use values, length or a check of kind sql")
	}
	if d.AcceptedAt != "" {
		at, err := time.Parse(time.RFC3339, d.AcceptedAt)
		if err != nil {
			add("accepted_at", "%q is not a time such as 2026-10-01T12:00:00Z", d.AcceptedAt)
		}
		spec.AcceptedAt = at.UTC()
	}
	return problems
}

// specMost reads max: a number of a range, or a count of dead letters.
func specMost(d config.Check, spec *checks.Spec, add func(name, format string, args ...any)) {
	if d.Max == nil {
		return
	}
	if kind, _ := checks.KindOf(d.Kind); kind == checks.KindRange {
		spec.High = d.Max
		return
	}
	if *d.Max != math.Trunc(*d.Max) || math.Abs(*d.Max) > 1e9 {
		add("max", "%v is not a whole number of rows", *d.Max)
		return
	}
	spec.Max = int(*d.Max)
}
