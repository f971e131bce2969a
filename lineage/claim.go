package lineage

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Claim is the value that one source stated for one field of an asset.
type Claim struct {
	Field string     `json:"field"` // "owner", "schedule", "property iceberg.mode"
	Value string     `json:"value"`
	From  Provenance `json:"from"`
}

// Conflict is a field for which the sources of an asset state different
// values. The first claim is the one that the asset shows.
type Conflict struct {
	Field  string  `json:"field"`
	Claims []Claim `json:"claims"`
}

// Conflicts returns the fields whose sources disagree, in the order of the
// asset's claims. It is empty where every source agrees.
func (a Asset) Conflicts() []Conflict {
	var fields []string
	byField := map[string][]Claim{}
	for _, c := range a.Claims {
		if _, seen := byField[c.Field]; !seen {
			fields = append(fields, c.Field)
		}
		byField[c.Field] = append(byField[c.Field], c)
	}
	var out []Conflict
	for _, field := range fields {
		claims := byField[field]
		differs := func(c Claim) bool { return c.Value != claims[0].Value }
		if !adds(field) && slices.ContainsFunc(claims, differs) {
			out = append(out, Conflict{Field: field, Claims: claims})
		}
	}
	return out
}

// adds says that what several sources state for a field adds up: a second name
// is no conflict.
func adds(field string) bool { return field == "aliases" || field == "columns" }

// claim returns the most trusted claim of a field.
func (a Asset) claim(field string) (Claim, bool) {
	for _, c := range a.Claims {
		if c.Field == field {
			return c, true
		}
	}
	return Claim{}, false
}

// claimsOf lists what one statement about an asset says. A statement that was
// merged before (read back from a store) keeps the claims it has.
func claimsOf(a Asset) []Claim {
	if len(a.Claims) > 0 {
		return a.Claims
	}
	from := a.From[0]
	var out []Claim
	add := func(field, value string) {
		if value != "" {
			out = append(out, Claim{Field: field, Value: value, From: from})
		}
	}
	add("kind", string(a.Kind))
	add("name", a.Name)
	add("description", a.Description)
	add("domain", a.Domain)
	out = append(out, ownerClaims(a.Owners, from)...)
	add("schedule", a.Schedule.String())
	add("sla", a.SLA.String())
	add("moves", a.Moves)
	if a.Readers > 0 {
		add("readers", strconv.Itoa(a.Readers))
	}
	if a.Paused {
		add("paused", "yes")
	}
	if a.Harm != nil {
		add("harm", fmt.Sprintf("%s by %q on %s", a.Harm.Unit, a.Harm.Query, a.Harm.Connection))
	}
	add("file", a.File)
	add("columns", strings.Join(a.Columns, ", "))
	add("aliases", strings.Join(a.Aliases, ", "))
	for _, key := range sortedKeys(a.Properties) {
		add("property "+key, a.Properties[key])
	}
	return out
}

// ownerClaims makes one claim per source, the owners in that source's order,
// so that two sources which name different owners are seen to disagree.
func ownerClaims(owners []Fact, from Provenance) []Claim {
	var out []Claim
	for _, owner := range owners {
		if owner.From.Source == "" {
			owner.From = from
		}
		last := len(out) - 1
		if last >= 0 && out[last].From == owner.From {
			out[last].Value += ", " + owner.Value
			continue
		}
		out = append(out, Claim{Field: "owner", Value: owner.Value, From: owner.From})
	}
	return out
}

// String returns the spec and its zone, or "" for no schedule.
func (s *Schedule) String() string {
	if s == nil {
		return ""
	}
	return strings.TrimSpace(s.Spec + " " + zoneName(s.Zone))
}

// String returns the time of day and its zone, or "" for no SLA.
func (s *SLA) String() string {
	if s == nil {
		return ""
	}
	return strings.TrimSpace(s.By + " " + zoneName(s.Zone))
}

func zoneName(zone string) string {
	if zone == "" {
		return "UTC"
	}
	return zone
}
