package config

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"
)

// applyDefaults fills what the file may leave out and makes paths absolute to
// the file's folder.
func (c *Config) applyDefaults(folder string) {
	setDefault(&c.Timezone, "UTC")
	setDefault(&c.Slack.APIURL, "https://slack.com/api/")
	setDefault(&c.Slack.Command, "/dw")
	if c.Slack.Connections == 0 {
		c.Slack.Connections = 2
	}
	if c.Store.DSN.Empty() {
		c.Store.DSN = NewSecret("dw.db")
	}
	setDefault(&c.Receipts.KeyFile, "receipts.key")
	setDefault(&c.Server.Listen, "127.0.0.1:8470")
	setDefault(&c.Log.Level, "info")
	setDefault(&c.Log.Format, "json")
	c.Receipts.KeyFile = resolve(folder, c.Receipts.KeyFile)
	c.Receipts.Anchors.applyDefaults(folder)
	c.Store.DSN = NewSecret(resolveDSN(folder, c.Store.DSN.Reveal()))
	c.Clock.File = resolve(folder, c.Clock.File)
	for name, connection := range c.Connections {
		connection.Path = resolve(folder, connection.Path)
		c.Connections[name] = connection
	}
	for i := range c.Lineage.Manifests {
		m := &c.Lineage.Manifests[i]
		m.Path, m.Root = resolve(folder, m.Path), resolve(folder, m.Root)
		m.Catalog, m.RunResults, m.CodeOwners = resolve(folder, m.Catalog), resolve(folder, m.RunResults), resolve(folder, m.CodeOwners)
	}
	for i := range c.Lineage.Sources {
		c.Lineage.Sources[i].Path = resolve(folder, c.Lineage.Sources[i].Path)
	}
	for i := range c.Lineage.Assets {
		c.Lineage.Assets[i].Root = resolve(folder, c.Lineage.Assets[i].Root)
	}
	for i, file := range c.Signals.Files {
		c.Signals.Files[i].Path = resolve(folder, file.Path)
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

var schemePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+:`)

func resolveDSN(folder, dsn string) string {
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		return resolve(folder, path)
	}
	if schemePattern.MatchString(dsn) {
		return dsn
	}
	return resolve(folder, dsn)
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
	checkZone(add, "timezone", c.Timezone)
	c.checkSlack(add)
	c.checkStore(add)
	c.checkAnchors(add)
	checkListen(add, "server.listen", c.Server.Listen)
	oneOf(add, "log.level", c.Log.Level, "debug", "info", "warn", "error")
	oneOf(add, "log.format", c.Log.Format, "json", "text")
	c.checkOrder(add, "jobs", span{"timeout", c.Jobs.Timeout, defaultTimeout}, span{"rescue_after", c.Jobs.RescueAfter, defaultRescueAfter},
		"a delivery that is still going would be made a second time")
	for _, name := range sortedKeys(c.Connections) {
		c.Connections[name].check(add, "connections."+name)
	}
	for _, name := range sortedKeys(c.Domains) {
		c.checkDomain(add, "domains."+name, c.Domains[name])
	}
	c.checkPeople(add)
	c.checkOperators(add)
	c.checkDagster(add)
	c.checkPagerDuty(add)
	c.checkJira(add)
	c.checkLineage(add)
	c.checkSignals(add)
	return out
}

type adder func(key, format string, args ...any)

// maxConnections is Slack's limit for one app.
const maxConnections = 10

func (c *Config) checkSlack(add adder) {
	checkURL(add, "slack.api_url", c.Slack.APIURL)
	if n := c.Slack.Connections; n < 1 || n > maxConnections {
		add("slack.connections", "is %d, must be 1 to %d: Slack allows an app that many connections at once, over all its processes", n, maxConnections)
	}
	if c.Slack.BotToken.Empty() {
		add("slack.bot_token", "is missing: the bot token (xoxb-…) of the Slack app, as ${SLACK_BOT_TOKEN} or bot_token_file")
	}
	if c.Slack.AppToken.Empty() {
		add("slack.app_token", "is missing: the app-level token (xapp-…) with connections:write, as ${SLACK_APP_TOKEN} or app_token_file")
	}
}

// checkStore names the scheme only: the rest of a DSN may hold a password.
func (c *Config) checkStore(add adder) {
	dsn := c.Store.DSN.Reveal()
	switch scheme := schemePattern.FindString(dsn); {
	case dsn == "":
		add("store.dsn", "names no file after sqlite:")
	case scheme == "postgres:" || scheme == "postgresql:":
		if !strings.HasPrefix(dsn, scheme+"//") {
			add("store.dsn", "must go on with // after %s, as in postgres://USER:PASSWORD@HOST:PORT/DATABASE", scheme)
		}
	case scheme != "":
		add("store.dsn", "%s is no kind of database that dw keeps its state in: write a file, sqlite:FILE or postgres://…", scheme)
	}
}

func checkZone(add adder, key, zone string) {
	if zone == "" {
		return
	}
	// Local loads, and means another zone on every machine.
	if _, err := time.LoadLocation(zone); err != nil || zone == "Local" {
		add(key, "%q is no time zone: write an IANA name such as Europe/Berlin", zone)
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
