package config

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"sort"
	"time"
)

// applyDefaults fills what the file may leave out and makes paths absolute to
// the file's folder.
func (c *Config) applyDefaults(folder string) {
	setDefault(&c.Timezone, "UTC")
	setDefault(&c.Slack.APIURL, "https://slack.com/api/")
	setDefault(&c.Slack.Command, "/dw")
	setDefault(&c.Store.DSN, "dw.db")
	setDefault(&c.Receipts.KeyFile, "receipts.key")
	setDefault(&c.Server.Listen, "127.0.0.1:8470")
	setDefault(&c.Log.Level, "info")
	setDefault(&c.Log.Format, "json")
	c.Receipts.KeyFile = resolve(folder, c.Receipts.KeyFile)
	c.Store.DSN = resolveDSN(folder, c.Store.DSN)
	c.Clock.File = resolve(folder, c.Clock.File)
	for name, connection := range c.Connections {
		connection.Path = resolve(folder, connection.Path)
		c.Connections[name] = connection
	}
	for i := range c.Lineage.Manifests {
		m := &c.Lineage.Manifests[i]
		m.Path, m.Root = resolve(folder, m.Path), resolve(folder, m.Root)
	}
	for i := range c.Lineage.Assets {
		c.Lineage.Assets[i].Root = resolve(folder, c.Lineage.Assets[i].Root)
	}
	for i, file := range c.Changes.Files {
		c.Changes.Files[i] = resolve(folder, file)
	}
}

func setDefault(s *string, value string) {
	if *s == "" {
		*s = value
	}
}

var schemePattern = regexp.MustCompile(`^[a-z]+:`)

func resolveDSN(folder, dsn string) string {
	if path, ok := cutPrefix(dsn, "sqlite:"); ok {
		return resolve(folder, path)
	}
	if schemePattern.MatchString(dsn) {
		return dsn
	}
	return resolve(folder, dsn)
}

func cutPrefix(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && s[:len(prefix)] == prefix {
		return s[len(prefix):], true
	}
	return s, false
}

// instancePattern keeps the name usable as a note's origin.
var instancePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`)

// validate checks what belongs to no domain package.
func (c *Config) validate() Problems {
	var out Problems
	add := func(key, format string, args ...any) { out = append(out, c.Problem(key, format, args...)) }
	if !instancePattern.MatchString(c.Instance) {
		add("instance", "must be 1 to 63 of a-z, 0-9, dot, dash, underscore; it names this dw in every receipt")
	}
	c.checkZone(add, "timezone", c.Timezone)
	if c.Slack.BotToken.Empty() {
		add("slack.bot_token", "is missing: the bot token (xoxb-…) of the Slack app, as ${SLACK_BOT_TOKEN} or bot_token_file")
	}
	if c.Slack.AppToken.Empty() {
		add("slack.app_token", "is missing: the app-level token (xapp-…) with connections:write, as ${SLACK_APP_TOKEN} or app_token_file")
	}
	oneOf(add, "log.level", c.Log.Level, "debug", "info", "warn", "error")
	oneOf(add, "log.format", c.Log.Format, "json", "text")
	for _, name := range sortedKeys(c.Connections) {
		c.checkConnection(add, "connections."+name, c.Connections[name])
	}
	for _, name := range sortedKeys(c.Domains) {
		c.checkDomain(add, "domains."+name, c.Domains[name])
	}
	for _, name := range sortedKeys(c.People) {
		if p := c.People[name]; p.Slack == "" && p.Email == "" {
			add("people."+name, "needs slack (a user id), or email, or both")
		}
	}
	c.checkPagerDuty(add)
	c.checkJira(add)
	c.checkLineage(add)
	return out
}

type adder func(key, format string, args ...any)

func (c *Config) checkZone(add adder, key, zone string) {
	if zone == "" {
		return
	}
	if _, err := time.LoadLocation(zone); err != nil {
		add(key, "%q is no time zone: write an IANA name such as Europe/Berlin", zone)
	}
}

func (c *Config) checkConnection(add adder, key string, connection Connection) {
	oneOf(add, key+".kind", connection.Kind, "sqlite")
	if connection.Path == "" {
		add(key+".path", "is missing: the database file")
		return
	}
	if _, err := os.Stat(connection.Path); err != nil {
		add(key+".path", "cannot be read: %v", err)
	}
}

func (c *Config) checkDomain(add adder, key string, d Domain) {
	if d.Level != "" {
		oneOf(add, key+".level", d.Level, "L0", "L1", "L2")
	}
	if d.Channel == "" {
		add(key+".channel", "is missing: the id of the Slack channel (C…) for this domain's incidents")
	}
	if d.Owner == "" {
		add(key+".owner", "is missing: a name from people")
	}
	for _, named := range d.named() {
		if _, known := c.People[named.who]; !known {
			add(key+"."+named.key, "%q is not in people", named.who)
		}
	}
	if d.Solo && d.Level == "L3" {
		add(key+".solo", "a one-person team cannot exceed L2")
	}
	c.checkPage(add, key, d)
	c.checkTicket(add, key, d)
	approvers := 1 + len(d.Escalation)
	if d.Deputy != "" {
		approvers++
	}
	if d.Quorum < 0 || d.Quorum > approvers {
		add(key+".quorum", "%d cannot be met by the %d people of the chain", d.Quorum, approvers)
	}
}

type namedPerson struct{ key, who string }

// named lists the people a domain names, with the key that names each.
func (d Domain) named() []namedPerson {
	var out []namedPerson
	if d.Owner != "" {
		out = append(out, namedPerson{"owner", d.Owner})
	}
	if d.Deputy != "" {
		out = append(out, namedPerson{"deputy", d.Deputy})
	}
	for i, who := range d.Escalation {
		out = append(out, namedPerson{fmt.Sprintf("escalation[%d]", i), who})
	}
	for i, who := range d.CC {
		out = append(out, namedPerson{fmt.Sprintf("cc[%d]", i), who})
	}
	return out
}

func (c *Config) checkLineage(add adder) {
	for i, m := range c.Lineage.Manifests {
		if m.Path == "" {
			add(fmt.Sprintf("lineage.manifests[%d].path", i), "is missing: the manifest.json of dbt")
		}
		c.checkDomainName(add, fmt.Sprintf("lineage.manifests[%d].domain", i), m.Domain)
	}
	for i, a := range c.Lineage.Assets {
		key := fmt.Sprintf("lineage.assets[%d]", i)
		if a.ID == "" {
			add(key+".id", "is missing: system://path")
		}
		c.checkDomainName(add, key+".domain", a.Domain)
		c.checkZone(add, key+".zone", a.Zone)
		if a.Moves != "" {
			oneOf(add, key+".moves", a.Moves, "money", "customer", "executive", "internal")
		}
		if a.Harm != nil {
			if _, known := c.Connections[a.Harm.Connection]; !known {
				add(key+".harm.connection", "%q is not in connections", a.Harm.Connection)
			}
		}
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

func oneOf(add adder, key, value string, allowed ...string) {
	if slices.Contains(allowed, value) {
		return
	}
	if value == "" {
		add(key, "is missing: one of %v", allowed)
		return
	}
	add(key, "%q is not one of %v", value, allowed)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
