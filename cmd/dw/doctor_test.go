package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/bot"
	"dw/slackdev"
)

// clinic is a farm with a workspace that is as it should be, and what a test
// made worse.
type clinic struct {
	options slackdev.Options
	edits   []string
}

// neededScopes are those that dw asks for.
func neededScopes() []string {
	var names []string
	for _, scope := range bot.Scopes() {
		names = append(names, scope.Name)
	}
	return names
}

// open starts the workspace and makes the folder.
func (c *clinic) open(t *testing.T) string {
	t.Helper()
	server, err := slackdev.New(c.options)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return farm(t, append(c.edits, "http://127.0.0.1:1/api/", server.APIURL())...)
}

func newClinic() *clinic {
	workspace := farmWorkspace()
	workspace.Scopes = neededScopes()
	workspace.Users = append(workspace.Users,
		slackdev.User{ID: "U0GUS", Name: "gus", Restricted: true},
		slackdev.User{ID: "U0GONE", Name: "gone", Deleted: true},
		slackdev.User{ID: "U0ROBOT", Name: "robot", Bot: true},
		slackdev.User{ID: "U0FAR", Name: "far", TeamID: "T0OTHER", Stranger: true})
	workspace.Channels = append(workspace.Channels,
		slackdev.Channel{ID: "C0AWAY", Name: "away", Members: []string{"U0FERN"}},
		slackdev.Channel{ID: "G0SECRET", Name: "secret", Private: true, Members: []string{"U0FERN"}},
		slackdev.Channel{ID: "C0BOTH", Name: "both", ExtShared: true, Members: []string{"U0DW", "U0FERN"}})
	return &clinic{
		options: slackdev.Options{Unlimited: true, Workspace: workspace},
		// A farm whose every check can be asked, and whose manifest is new.
		edits: []string{"table: soyl", "table: soil", "manifest.json", "fresh.json"},
	}
}

// group makes a user group of these members the owner of the farm.
func (c *clinic) group(members ...string) {
	c.options.Workspace.Groups = []slackdev.Group{{ID: "S0LEADS", Handle: "leads", Users: members}}
	c.edits = append(c.edits, "people:", "people:\n  leads: {slack_group: S0LEADS}", "owner: fern", "owner: leads")
}

// fresh writes a manifest as dbt does now.
func fresh(t *testing.T, dir string) {
	t.Helper()
	write(t, dir, "fresh.json", strings.Replace(farmManifest, "2026-06-10T03:00:00Z", time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), 1))
}

func without(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
}

// TestDoctorFindsWhatIsWrong: each thing that an operator gets wrong is named
// with what to do, and decides the exit code; the rest is examined all the same.
func TestDoctorFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		worse func(*clinic)
		code  int
		says  []string
	}{
		"all is well": {func(*clinic) {}, 0, []string{
			"next: start dw: dw run -c", "all 11 scopes", "may open Socket Mode connections", "domains.farm.channel C0FARM is #farm", "people.fern (U0FERN) is fern",
			"4 checks find their tables", "written 1h", "agrees with Slack's", "0 warnings, 0 failed",
		}},
		"a needed scope is missing": {func(c *clinic) { c.options.Workspace.Scopes = without(neededScopes(), "users:read") }, 1, []string{
			"lacks users:read, which dw needs to see whether who clicked is a full member", "next: add the scope users:read",
		}},
		"an optional scope is missing": {func(c *clinic) { c.options.Workspace.Scopes = without(neededScopes(), "channels:history") }, 0, []string{
			"lacks channels:history", "may be sent twice", "1 warnings, 0 failed", "next: add the scope channels:history",
		}},
		"a scope too many": {func(c *clinic) { c.options.Workspace.Scopes = append(neededScopes(), "admin") }, 0, []string{"does not use: admin"}},
		"a wrong bot token": {func(c *clinic) { c.edits = append(c.edits, "xoxb-farm-bot", "xoxb-of-yesterday") }, 1, []string{
			"slack.bot_token: Slack does not accept the bot token (invalid_auth)", "next: install the app again", "may open Socket Mode connections",
		}},
		"the tokens changed places": {func(c *clinic) {
			c.edits = append(c.edits, "xoxb-farm-bot", "xapp-farm-app", "xapp-farm-app", "xoxb-farm-bot")
		}, 1, []string{
			"not_allowed_token_type", "it must begin with xapp-",
		}},
		"not in the channel":     {func(c *clinic) { c.edits = append(c.edits, "C0FARM", "C0AWAY") }, 1, []string{"(#away): dw is not a member", "next: in the channel #away, type /invite @dw"}},
		"a private channel":      {func(c *clinic) { c.edits = append(c.edits, "C0FARM", "G0SECRET") }, 1, []string{"it is private and dw is not in it", "type /invite @dw in it"}},
		"a channel that is not":  {func(c *clinic) { c.edits = append(c.edits, "C0FARM", "C0NONE") }, 1, []string{"domains.farm.channel C0NONE: there is no such channel"}},
		"a shared channel":       {func(c *clinic) { c.edits = append(c.edits, "C0FARM", "C0BOTH") }, 1, []string{"shared with another company"}},
		"a guest approves":       {func(c *clinic) { c.edits = append(c.edits, "U0FERN", "U0GUS") }, 1, []string{"people.fern (U0GUS) cannot decide: the account is a guest", "nobody of fern can decide"}},
		"a deactivated approver": {func(c *clinic) { c.edits = append(c.edits, "U0FERN", "U0GONE") }, 1, []string{"the account is deactivated"}},
		"a bot approves":         {func(c *clinic) { c.edits = append(c.edits, "U0FERN", "U0ROBOT") }, 1, []string{"the account is a bot"}},
		"a stranger approves":    {func(c *clinic) { c.edits = append(c.edits, "U0FERN", "U0FAR") }, 1, []string{"belongs to another workspace"}},
		"an id that is not":      {func(c *clinic) { c.edits = append(c.edits, "U0FERN", "U0NOBODY") }, 1, []string{"Slack does not know this person"}},
		"an unknown e-mail":      {func(c *clinic) { c.edits = append(c.edits, "slack: U0FERN", "email: fern@elsewhere.example") }, 1, []string{"people.fern (fern@elsewhere.example): no member of this workspace has the e-mail"}},
		"one person, two names": {func(c *clinic) {
			c.edits = append(c.edits, "fern: {slack: U0FERN}", "fern: {slack: U0FERN}\n  f2: {email: fern@farm.example}")
		}, 1, []string{"people.f2 and people.fern are the same person"}},
		"a group approves": {func(c *clinic) { c.group("U0FERN", "U0GUS") }, 0, []string{
			"people.leads (S0LEADS) has now: Fern Field (U0FERN)", "people.leads (S0LEADS): gus (U0GUS) is deactivated, a guest or a bot", "1 warnings, 0 failed",
		}},
		"a group of guests": {func(c *clinic) { c.group("U0GUS") }, 1, []string{"people.leads (S0LEADS): nobody in it can decide", "nobody of leads can decide, and dw does not start"}},
		"a group that is not": {func(c *clinic) {
			c.group("U0FERN")
			c.edits[len(c.edits)-3] = "people:\n  leads: {slack_group: S0GONE}"
		}, 1, []string{"people.leads (S0GONE) cannot be read: Slack knows no such group", "next: correct people.leads.slack_group"}},
		"a group too small for its quorum": {func(c *clinic) {
			c.group("U0FERN")
			c.edits[len(c.edits)-1] = "owner: leads, quorum: 2"
		}, 1, []string{"domains.farm: 2 must approve and only 1 can"}},
		"a group that may not be read": {func(c *clinic) {
			c.group("U0FERN")
			c.options.Workspace.Scopes = without(neededScopes(), "usergroups:read")
		}, 1, []string{"lacks usergroups:read", "people.leads (S0LEADS) cannot be read", "usergroups:read"}},
		"a clock that is ahead": {func(c *clinic) { c.options.Wall = slow }, 1, []string{"this machine's clock is 10m", "by NTP"}},
		"a table that is not": {func(c *clinic) {
			c.edits = append(c.edits, "table: soil, threshold: \"> 100\"", "table: soyl, threshold: \"> 100\"")
		}, 1, []string{`check "fails": table soyl does not exist`, "is it soil?"}},
		"a column that is not":      {func(c *clinic) { c.edits = append(c.edits, "columns: [probe]", "columns: [prob]") }, 1, []string{`check "passes too": table soil has no column prob`, "is it probe?"}},
		"a database that is not":    {func(c *clinic) { c.edits = append(c.edits, "path: farm.db", "path: manifest.json") }, 1, []string{"connections.farm", "not a database"}},
		"a problem of the file":     {func(c *clinic) { c.edits = append(c.edits, "owner: fern", "owner: fred") }, 1, []string{"config.yaml:13:", `"fred" is not in people`, "the bot token is dw's"}},
		"a manifest of last summer": {func(c *clinic) { c.edits = c.edits[:2] }, 0, []string{"days old", "copy the manifest of the newest dbt run"}},
		"no orchestrator": {func(c *clinic) {
			c.edits = append(c.edits, "people:", "dagster: {url: \"http://127.0.0.1:1\"}\npeople:")
		}, 1, []string{"let this machine reach dagster.url"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClinic()
			tc.worse(c)
			dir := c.open(t)
			fresh(t, dir)
			before := listing(t, dir)
			dw(t, dir, "doctor").want(t, tc.code, tc.says...)
			if after := listing(t, dir); after != before {
				t.Errorf("doctor changed the folder:\n%s\nbefore:\n%s", after, before)
			}
		})
	}
}

// slow is a clock ten minutes behind.
func slow() time.Time { return time.Now().Add(-10 * time.Minute) }

// listing names every file of a folder with its mode, size and time.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && !entry.IsDir() {
			b.WriteString(path + " " + info.Mode().String() + " " + info.ModTime().String() + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestDoctorOfAnInstallation: after dw has run, doctor verifies the receipts and
// leaves no file beside the database; with a cut log, a lost or an open key it
// fails, and as JSON it says the same.
func TestDoctorOfAnInstallation(t *testing.T) {
	t.Parallel()
	dir := ran(t)
	write(t, dir, ".env", "FARM=1\n")
	before := listing(t, dir)
	dw(t, dir, "doctor").want(t, 1, "receipts: good: ", "signature checked", "the signing key is dw/farm-test+") // one check's table is not there
	if after := listing(t, dir); after != before {
		t.Errorf("doctor changed the folder:\n%s\nbefore:\n%s", after, before)
	}
	var report struct {
		Next     string
		Findings []struct{ Section, Status, What, Do string }
	}
	asJSON := dw(t, dir, "doctor", "--json")
	asJSON.want(t, 1)
	if err := json.Unmarshal([]byte(asJSON.stdout), &report); err != nil || report.Next == "" || len(report.Findings) < 10 {
		t.Errorf("--json: %v\n%s", err, asJSON.stdout)
	}
	chmod(t, dir, "receipts.key", 0o644)
	chmod(t, dir, "dw.db", 0o640)
	chmod(t, dir, ".env", 0o604)
	dw(t, dir, "doctor").want(t, 1, "chmod 600 receipts.key", "chmod 600 dw.db", "chmod 600 .env")
	chmod(t, dir, "receipts.key", 0o600)
	db := writable(t, dir)
	change(t, db, "DELETE FROM receipts WHERE seq = (SELECT max(seq) FROM receipts)")
	dw(t, dir, "doctor").want(t, 1, "TRUNCATED", "keep this database as it is")
	if err := os.Remove(filepath.Join(dir, "receipts.key")); err != nil {
		t.Fatal(err)
	}
	dw(t, dir, "doctor").want(t, 1, "put the key back from its copy")
}

func chmod(t *testing.T, dir, name string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
		t.Fatal(err)
	}
}

// TestDoctorSaysNothingAlive: a workspace that does not answer, names that steer
// a terminal, and a file that is not there are findings, not crashes.
func TestDoctorSaysNothingAlive(t *testing.T) {
	t.Parallel()
	dw(t, farm(t), "doctor").want(t, 1, "Slack could not be asked", "let this machine reach slack.api_url")
	dw(t, t.TempDir(), "doctor").want(t, 1, "cannot be read", "next: name the file with -c, or make one: dw init")
	c := newClinic()
	c.options.Workspace.Channels[0].Name = "farm\x1b[2J\nfail"
	dir := c.open(t)
	fresh(t, dir)
	report := dw(t, dir, "doctor")
	report.want(t, 0, "#farm\uFFFD[2J fail")
	if strings.ContainsRune(report.stdout, '\x1b') {
		t.Errorf("it writes escapes: %q", report.stdout)
	}
}

// TestEnvFile: the .env file beside the configuration fills in what the
// environment does not set, never overrides it, and a wrong line is named
// without its value.
func TestEnvFile(t *testing.T) {
	t.Parallel()
	edits := []string{"channel: C0FARM", "channel: '${DW_TEST_CHANNEL}'", "bot_token: xoxb-farm-bot", "bot_token: '${SLACK_BOT_TOKEN}'"}
	dir := farm(t, edits...)
	dw(t, dir, "config", "check", "config.yaml").want(t, 2, "DW_TEST_CHANNEL is not set")
	write(t, dir, ".env", "# tokens\n\nexport DW_TEST_CHANNEL='C0FARM'\nSLACK_BOT_TOKEN=xoxb-overridden\n")
	dw(t, dir, "config", "check", "config.yaml").want(t, 0)
	c := newClinic()
	c.options.Workspace.BotToken = "xoxb-example" // what the environment of dw() says
	c.edits = append(c.edits, edits...)
	dir = c.open(t)
	fresh(t, dir)
	write(t, dir, ".env", "DW_TEST_CHANNEL=C0FARM\nSLACK_BOT_TOKEN=xoxb-overridden\n")
	dw(t, dir, "doctor").want(t, 0, "only its owner can read it")
	write(t, dir, ".env", "DW_TEST_CHANNEL=C0FARM\nxoxb-secret\nA=\"half\nDW_TEST_CHANNEL=C1\n")
	for _, args := range [][]string{{"doctor"}, {"config", "check", "config.yaml"}, {"run"}} {
		wrong := dw(t, dir, args...)
		if wrong.code == 0 || strings.Contains(wrong.stdout+wrong.stderr, "xoxb-secret") {
			t.Errorf("%v: %+v", args, wrong)
		}
		wrong.want(t, wrong.code, ".env:2:1: is no line of the form NAME=VALUE", ".env:3:1: the quote around the value of A", ".env:4:1: DW_TEST_CHANNEL stands here twice")
	}
}
