package config

import (
	"fmt"
	"regexp"
)

// slaPattern is a time of day; 24:00 and 7:00 are none.
var slaPattern = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)

func (c *Config) checkLineage(add adder) {
	for i, m := range c.Lineage.Manifests {
		key := fmt.Sprintf("lineage.manifests[%d]", i)
		if m.Path == "" {
			add(key+".path", "is missing: the manifest.json of dbt")
		}
		c.checkDomainName(add, key+".domain", m.Domain)
	}
	for i, source := range c.Lineage.Sources {
		c.checkSource(add, fmt.Sprintf("lineage.sources[%d]", i), source)
	}
	c.checkCatalogues(add)
	for i, a := range c.Lineage.Assets {
		c.checkAsset(add, fmt.Sprintf("lineage.assets[%d]", i), a)
	}
}

func (c *Config) checkAsset(add adder, key string, a Asset) {
	if a.ID == "" {
		add(key+".id", "is missing: system://path")
	}
	c.checkDomainName(add, key+".domain", a.Domain)
	checkZone(add, key+".zone", a.Zone)
	if a.SLA != "" && !slaPattern.MatchString(a.SLA) {
		add(key+".sla", "%q is no time of day from 00:00 to 23:59, such as \"07:00\"", a.SLA)
	}
	if a.Moves != "" {
		oneOf(add, key+".moves", a.Moves, "money", "customer", "executive", "internal")
	}
	if a.Harm == nil {
		return
	}
	if _, known := c.Connections[a.Harm.Connection]; !known {
		add(key+".harm.connection", "%q is not in connections", a.Harm.Connection)
	}
}

func (c *Config) checkDomainName(add adder, key, domain string) {
	if domain == "" {
		return
	}
	if _, known := c.Domains[domain]; !known {
		add(key, "%q is not in domains", domain)
	}
}
