package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dw/config"
)

const good = `instance: test-one
timezone: Europe/Berlin
slack:
  bot_token: ${BOT}
  app_token_file: app.token
domains:
  shop:
    owner: ann
    channel: C1
    settle: 90
    expire_after: 2h30m
people:
  ann: {slack: U1}
`

func sources(files map[string]string) config.Sources {
	return config.Sources{
		Getenv: func(name string) (string, bool) {
			value, ok := map[string]string{"BOT": "xoxb-canary"}[name]
			return value, ok
		},
		ReadFile: func(path string) ([]byte, error) {
			if content, ok := files[filepath.Base(path)]; ok {
				return []byte(content), nil
			}
			return nil, fmt.Errorf("open %s: %w", path, fs.ErrNotExist)
		},
	}
}

func TestParseReadsAGoodFile(t *testing.T) {
	t.Parallel()
	c, err := config.Parse("dir/config.yaml", []byte(good), sources(map[string]string{"app.token": "xapp-canary\n"}))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Slack.BotToken.Reveal() + " " + c.Slack.AppToken.Reveal(); got != "xoxb-canary xapp-canary" {
		t.Errorf("tokens = %q", got)
	}
	if d := c.Domains["shop"]; d.Settle.Std() != 90*time.Second || d.ExpireAfter.Std() != 150*time.Minute {
		t.Errorf("durations = %v, %v", d.Settle.Std(), d.ExpireAfter.Std())
	}
	if c.Slack.Connections != 2 {
		t.Errorf("slack.connections = %d, want two where the file says nothing", c.Slack.Connections)
	}
	if want := filepath.Join("dir", "dw.db"); c.Store.DSN.Reveal() != want {
		t.Errorf("store.dsn = %q, want %q: relative to the file's folder", c.Store.DSN.Reveal(), want)
	}
}

func TestParseReportsEveryProblemWithItsPlace(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, content, want string }{
		{"unknown key", strings.Replace(good, "timezone", "timezon", 1), "c.yaml:2:1 timezon: unknown key"},
		{"unknown nested key", strings.Replace(good, "settle", "setle", 1), "c.yaml:10:5 domains.shop.setle: unknown key"},
		{"missing token", strings.Replace(good, "  bot_token: ${BOT}\n", "", 1), "c.yaml:4:3 slack.bot_token: is missing"},
		{"environment not set", strings.Replace(good, "${BOT}", "${NOPE}", 1), "c.yaml:4:14 slack.bot_token: environment variable NOPE is not set"},
		{"unreadable secret file", strings.Replace(good, "app.token", "gone", 1), "c.yaml:5:19 slack.app_token_file: cannot read the secret"},
		{"bad duration", strings.Replace(good, "settle: 90", "settle: soon", 1), `c.yaml:10:13 domains.shop.settle: "soon" is no duration`},
		{"negative duration", strings.Replace(good, "settle: 90", "settle: -5s", 1), "is negative"},
		{"bad zone", strings.Replace(good, "Europe/Berlin", "Mars/One", 1), `c.yaml:2:11 timezone: "Mars/One" is no time zone`},
		{"twice", good + "instance: again\n", "instance: stands here twice"},
		{"list where a block belongs", strings.Replace(good, "{slack: U1}", "[U1]", 1), "people.ann: must be a block of keys, is a list"},
		{"unknown person", strings.Replace(good, "owner: ann", "owner: bob", 1), `domains.shop.owner: "bob" is not in people`},
		{"a team of one at L3", strings.Replace(good, "owner: ann", "owner: ann\n    solo: true\n    level: L3", 1), "c.yaml:9:11 domains.shop.solo: a team of one cannot exceed L2"},
		{"level not offered", strings.Replace(good, "owner: ann", "owner: ann\n    level: L4", 1), `"L4" is not one of`},
		{"quorum that cannot be met", strings.Replace(good, "owner: ann", "owner: ann\n    quorum: 2", 1), "c.yaml:9:13 domains.shop.quorum: 2 cannot be met: different people in the chain (owner, deputy, escalation): 1"},
		{"missing warehouse file", good + "connections: {w: {kind: sqlite, path: /nowhere/w.db}}\n", "connections.w.path: cannot be read"},
		{"empty", "", "c.yaml: is empty"},
		{"no YAML", "a: [1,\n", "is no valid YAML"},
		{"two documents", good + "---\na: 1\n", "more than one YAML document"},
		{"alias", "instance: &a test\ntimezone: *a\n", "aliases are not supported"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Parse("c.yaml", []byte(c.content), sources(map[string]string{"app.token": "xapp-canary"}))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error = %v\nwant it to say %q", err, c.want)
			}
		})
	}
}

// chained is a domain with a chain of three people.
const chained = `instance: test-one
slack: {bot_token: x, app_token: y}
people:
  ann: {slack: U1}
  bob: {email: bob@example.com}
  cleo: {slack: W3}
domains:
  shop:
    owner: ann
    deputy: bob
    escalation: [cleo]
    channel: C1
`

// TestOneFaultIsOneProblemAtItsPlace: what could only go wrong at run time is
// found at load; each fault is one problem, at its own line and column.
func TestOneFaultIsOneProblemAtItsPlace(t *testing.T) {
	t.Parallel()
	deputy := func(with string) string { return strings.Replace(chained, "deputy: bob", with, 1) }
	slack := func(with string) string { return strings.Replace(chained, "app_token: y", "app_token: y, "+with, 1) }
	asset := func(keys string) string {
		return chained + "lineage: {assets: [{id: a://b, kind: table, " + keys + "}]}\n"
	}
	cases := []struct {
		name, content string
		want          []string
	}{
		{"good", chained, nil},
		{"quorum of all", chained + "    quorum: 3\n", nil},
		{"quorum of more", chained + "    quorum: 4\n", []string{"c.yaml:13:13 domains.shop.quorum: 4 cannot be met"}},
		{"quorum by class", chained + "    quorum_by: {hold: 1, change: 2, recover: 2, rerun: 3}\n", nil},
		{"quorum by class of more", chained + "    quorum_by: {hold: 1, rerun: 4}\n", []string{"c.yaml:13:33 domains.shop.quorum_by.rerun: 4 cannot be met: different people in the chain (owner, deputy, escalation): 3"}},
		{"quorum by class of none", chained + "    quorum_by: {hold: 0}\n", []string{"c.yaml:13:23 domains.shop.quorum_by.hold: 0 is less than 1"}},
		{"quorum by no class", chained + "    quorum_by: {verify: 1}\n", []string{"c.yaml:13:25 domains.shop.quorum_by.verify: is no class of action; they are [hold change recover rerun]"}},
		{"expires before the reminder", chained + "    escalate_after: 4m\n    expire_after: 10m\n", []string{"c.yaml:14:19 domains.shop.expire_after: 10m0s is not longer than remind_after (15m0s): the request ends before anybody is reminded"}},
		{"level of acting", chained + "    level: L3\n    playbooks: [a/b]\n", nil},
		{"policy quorum of the others", chained + "    policy_quorum: 2\n", nil},
		{"policy quorum of all", chained + "    policy_quorum: 3\n", []string{"c.yaml:13:20 domains.shop.policy_quorum: 3 cannot be met: of 3 different people"}},
		{"policy quorum without the operator", chained + "    policy_quorum: 2\nagent_operators: [cleo]\n", []string{"c.yaml:13:20 domains.shop.policy_quorum: 2 cannot be met: of 2 different people"}},
		{"negative policy quorum", chained + "    policy_quorum: -1\n", []string{"c.yaml:13:20 domains.shop.policy_quorum: -1 is less than 1"}},
		{"operator who is nobody", chained + "agent_operators: [robot]\n", []string{`c.yaml:13:19 agent_operators[0]: "robot" is not in people`}},
		{"operator twice", chained + "agent_operators: [ann, ann]\n", []string{`c.yaml:13:24 agent_operators[1]: "ann" stands here already`}},
		{"negative quorum", chained + "    quorum: -1\n", []string{"c.yaml:13:13 domains.shop.quorum: -1 is less than 1"}},
		{"quorum by one name twice", strings.Replace(chained, "[cleo]", "[bob]\n    quorum: 3", 1), []string{
			"c.yaml:11:18 domains.shop.escalation[0]: \"bob\" stands here already, as deputy", "c.yaml:12:13 domains.shop.quorum: 3 cannot be met",
		}},
		{"quorum by one Slack id twice", strings.Replace(chained, "W3", "U1", 1) + "    quorum: 3\n", []string{
			"c.yaml:6:9 people.cleo: is U1, as is people.ann", "c.yaml:13:13 domains.shop.quorum: 3 cannot be met",
		}},
		{"quorum by one e-mail twice", strings.Replace(chained, "slack: W3", "email: Bob@Example.com", 1) + "    quorum: 3\n", []string{
			"c.yaml:6:9 people.cleo: is bob@example.com, as is people.bob", "c.yaml:13:13 domains.shop.quorum: 3 cannot be met",
		}},
		{"quorum of a chain that cannot be read", deputy("deputi: bob\n    quorum: 3"), []string{"c.yaml:10:5 domains.shop.deputi: unknown key"}},
		{"owner is deputy", deputy("deputy: ann"), []string{`c.yaml:10:13 domains.shop.deputy: "ann" stands here already, as owner`}},
		{"approver in cc", chained + "    cc: [cleo]\n", []string{`c.yaml:13:10 domains.shop.cc[0]: "cleo" approves already, as escalation[0]`}},
		{"twice in cc", deputy("cc: [bob, bob]"), []string{`c.yaml:10:15 domains.shop.cc[1]: "bob" stands here already, as cc[0]`}},
		{"rota without PagerDuty", strings.Replace(chained, "slack: W3", "pagerduty_policy: PX13", 1), []string{"c.yaml:6:28 people.cleo.pagerduty_policy: needs the block pagerduty"}},
		{"no user id", strings.Replace(chained, "W3", "cleo", 1), []string{`c.yaml:6:17 people.cleo.slack: "cleo" is no user id`}},
		{"no channel id", strings.Replace(chained, "C1", "'#data'", 1), []string{`c.yaml:12:14 domains.shop.channel: "#data" is no channel id`}},
		{"private channel", strings.Replace(chained, "C1", "G1", 1), nil},
		{"escalates at expiry", chained + "    escalate_after: 4h\n", []string{"c.yaml:13:21 domains.shop.escalate_after: 4h0m0s is not shorter than expire_after (4h0m0s)"}},
		{"escalates before expiry", chained + "    escalate_after: 3h59m\n", nil},
		{"expires before the default escalation", chained + "    expire_after: 45m\n", []string{"c.yaml:13:19 domains.shop.expire_after: 45m0s is not longer than escalate_after (45m0s)"}},
		{"expires before nobody is asked", strings.NewReplacer("    deputy: bob\n", "", "    escalation: [cleo]\n", "").Replace(chained) + "    expire_after: 45m\n", nil},
		{"escalation that cannot be read", chained + "    expire_after: 30m\n    escalate_after: soon\n", []string{"c.yaml:14:21 domains.shop.escalate_after: \"soon\" is no duration"}},
		{"rescued in time", chained + "jobs: {timeout: 2m, rescue_after: 121s}\n", nil},
		{"rescued while it goes", chained + "jobs: {timeout: 60s, rescue_after: 60s}\n", []string{"c.yaml:13:36 jobs.rescue_after: 1m0s is not longer than timeout (1m0s)"}},
		{"rescued before the default timeout", chained + "jobs: {rescue_after: 30s}\n", []string{"c.yaml:13:22 jobs.rescue_after: 30s is not longer than timeout (1m0s)"}},
		{"timeout after the default rescue", chained + "jobs: {timeout: 2m}\n", []string{"c.yaml:13:17 jobs.timeout: 2m0s is not shorter than rescue_after (2m0s)"}},
		{"store in SQLite", chained + "store: {dsn: 'sqlite:dw.db'}\n", nil},
		{"store in PostgreSQL", chained + "store: {dsn: 'postgres://dw:hunter2@db/dw'}\n", nil},
		{"store in PostgreSQL, cut", chained + "store: {dsn: 'postgres:hunter2'}\n", []string{"c.yaml:13:14 store.dsn: must go on with //"}},
		{"store in MySQL", chained + "store: {dsn: 'mysql://dw:hunter2@db/dw'}\n", []string{"c.yaml:13:14 store.dsn: mysql: is no kind"}},
		{"store without a file", chained + "store: {dsn: 'sqlite:'}\n", []string{"c.yaml:13:14 store.dsn: names no file"}},
		{"API of another scheme", slack("api_url: 'ftp://slack.com/api/'"), []string{"c.yaml:2:46 slack.api_url: is no http or https URL"}},
		{"API without a host", slack("api_url: 'https:///api/'"), []string{"c.yaml:2:46 slack.api_url: is no http or https URL"}},
		{"API without a scheme", slack("api_url: slack.com/api/"), []string{"c.yaml:2:46 slack.api_url: is no http or https URL"}},
		{"connections of Slack's limit", slack("connections: 10"), nil},
		{"more connections than Slack takes", slack("connections: 11"), []string{"c.yaml:2:50 slack.connections: is 11, must be 1 to 10"}},
		{"less than no connection", slack("connections: -1"), []string{"c.yaml:2:50 slack.connections: is -1, must be 1 to 10"}},
		{"API at home", slack("api_url: 'http://127.0.0.1:8065/api/'"), nil},
		{"listener without a port", chained + "server: {listen: 127.0.0.1}\n", []string{`c.yaml:13:18 server.listen: "127.0.0.1" is no address to listen on`}},
		{"listener with a wrong port", chained + "server: {listen: 'localhost:65536'}\n", []string{`c.yaml:13:18 server.listen: "localhost:65536" is no address`}},
		{"listener on every address", chained + "server: {listen: ':8470'}\n", nil},
		{"sla at midnight", asset("sla: 00:00"), nil},
		{"sla at the end of a day", asset("sla: '23:59'"), nil},
		{"sla after the end of a day", asset("sla: '24:00'"), []string{`c.yaml:13:50 lineage.assets[0].sla: "24:00" is no time of day`}},
		{"sla of one digit", asset("sla: 7:00"), []string{`c.yaml:13:50 lineage.assets[0].sla: "7:00" is no time of day`}},
		{"zone of the machine", asset("zone: Local"), []string{`c.yaml:13:51 lineage.assets[0].zone: "Local" is no time zone`}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Parse("c.yaml", []byte(c.content), sources(nil))
			problems, _ := errors.AsType[config.Problems](err)
			if len(problems) != len(c.want) || (err != nil) != (len(c.want) > 0) {
				t.Fatalf("%d problems, want %d:\n%v", len(problems), len(c.want), err)
			}
			for i, want := range c.want {
				if got := problems[i].Error(); !strings.HasPrefix(got, want) {
					t.Errorf("problem %q\nwant it to begin %q", got, want)
				}
			}
			if strings.Contains(fmt.Sprint(err), "hunter2") {
				t.Errorf("a password shows in %v", err)
			}
		})
	}
}

// control is a file with a pager and a tracker.
const control = `instance: test-one
slack:
  bot_token: ${BOT}
  app_token: ${BOT}
pagerduty:
  api_key: ${BOT}
  routing_keys: {shop: route}
  webhook_secrets: [0123456789abcdef]
jira:
  url: https://acme.example
  token: ${BOT}
people:
  ann: {slack: U1, email: ann@example.com}
domains:
  shop:
    owner: ann
    channel: C1
    pagerduty_service: shop
    page: auto
    jira_project: OPS
    ticket: on_resolve
`

func TestControlIsChecked(t *testing.T) {
	t.Parallel()
	c, err := config.Parse("c.yaml", []byte(control), sources(nil))
	if err != nil || c.PagerDuty.RoutingKeys["shop"].Reveal() != "route" || c.People["ann"].Email != "ann@example.com" {
		t.Fatalf("the good file: %v, %+v", err, c)
	}
	for _, test := range []struct{ name, old, with, want string }{
		{"no API key", "  api_key: ${BOT}\n", "", "c.yaml:6:3 pagerduty.api_key: is missing"},
		{"no routing key", "  routing_keys: {shop: route}\n", "", "c.yaml:6:3 pagerduty.routing_keys: is missing"},
		{"empty routing key", "shop: route", "shop: ''", "c.yaml:7:24 pagerduty.routing_keys.shop: is empty"},
		{"short secret", "0123456789abcdef", "short", "c.yaml:8:21 pagerduty.webhook_secrets[0]: is shorter than 16"},
		{"odd URL", "https://acme.example", "acme.example", "c.yaml:10:8 jira.url: is no http"},
		{"no URL", "  url: https://acme.example\n", "", "jira.url: is missing"},
		{"no token", "  token: ${BOT}\n", "", "jira.token: is missing"},
		{"unknown service", "pagerduty_service: shop", "pagerduty_service: shoop", `c.yaml:18:24 domains.shop.pagerduty_service: "shoop" is not in`},
		{"page without service", "    pagerduty_service: shop\n", "", "c.yaml:18:11 domains.shop.page: needs pagerduty_service"},
		{"odd page", "page: auto", "page: always", `c.yaml:19:11 domains.shop.page: "always" is not one of`},
		{"odd ticket", "ticket: on_resolve", "ticket: each", `c.yaml:21:13 domains.shop.ticket: "each" is not one of`},
		{"ticket without project", "    jira_project: OPS\n", "", "domains.shop.ticket: needs jira_project"},
		{"odd project", "jira_project: OPS", "jira_project: ops", `domains.shop.jira_project: "ops" is no project key`},
		{"page_wait of no page", "page: auto", "page: manual\n    page_wait: 10s", `c.yaml:20:16 domains.shop.page_wait: needs page: auto`},
		{"request and issue type", "jira_project: OPS", "jira_project: OPS\n    jira_issue_type: Bug\n    jira_request_type: Help", `domains.shop.jira_request_type: a service request has its own`},
		{"fields without project", "    jira_project: OPS\n    ticket: on_resolve\n", "    jira_fields: {Severity: High}\n", `c.yaml:20:18 domains.shop.jira_fields: needs jira_project`},
		{"move without project", "    jira_project: OPS\n    ticket: on_resolve\n", "    jira_resolve_transition: Done\n", `domains.shop.jira_resolve_transition: needs jira_project`},
		{"empty field", "jira_project: OPS", "jira_project: OPS\n    jira_fields: {Severity: ' '}", `c.yaml:21:29 domains.shop.jira_fields.Severity: has no value`},
		{"rota as escalation", "people:\n", "people:\n  night: {pagerduty_schedule: PX12}\n", ""},
		{"rota of nothing", "people:\n", "people:\n  night: {pagerduty_schedule: nights}\n", `c.yaml:13:31 people.night.pagerduty_schedule: "nights" is no id of PagerDuty`},
		{"rota twice", "people:\n", "people:\n  night: {pagerduty_schedule: PX12, pagerduty_policy: PX13}\n", "c.yaml:13:10 people.night: has pagerduty_schedule and pagerduty_policy"},
		{"rota and person", "{slack: U1, email: ann@example.com}", "{slack: U1, pagerduty_policy: PX13}", "people.ann: is a person and a rota"},
		{"rota in cc", "people:\n  ann: {slack: U1, email: ann@example.com}\ndomains:\n  shop:\n", "people:\n  ann: {slack: U1}\n  night: {pagerduty_policy: PX13}\ndomains:\n  shop:\n    cc: [night]\n", `domains.shop.cc[0]: "night" is whoever is on call`},
		{"nobody's person", "{slack: U1, email: ann@example.com}", "{}", "people.ann: needs slack"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Parse("c.yaml", []byte(strings.Replace(control, test.old, test.with, 1)), sources(nil))
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v\nwant it to say %q", err, test.want)
			}
		})
	}
}

func TestParseCollectsProblems(t *testing.T) {
	t.Parallel()
	_, err := config.Parse("c.yaml", []byte("instance: X\nnope: 1\nslack: {bot_tok: a}\ntimezone: Mars/One\n"), sources(nil))
	var problems config.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("error = %T", err)
	}
	if len(problems) != 6 {
		t.Errorf("%d problems, want 6 at once:\n%v", len(problems), err)
	}
	for i := 1; i < len(problems); i++ {
		if problems[i].Line < problems[i-1].Line {
			t.Errorf("problems are not in the file's order:\n%v", err)
		}
	}
}

func TestOneFaultIsOneProblem(t *testing.T) {
	t.Parallel()
	for _, content := range []string{strings.Replace(good, "${BOT}", "${NOPE}", 1), strings.Replace(good, "app.token", "gone", 1)} {
		_, err := config.Parse("c.yaml", []byte(content), sources(map[string]string{"app.token": "xapp-canary"}))
		if problems, ok := errors.AsType[config.Problems](err); !ok || len(problems) != 1 {
			t.Errorf("want one problem, got:\n%v", err)
		}
	}
}

func TestSecretNeverPrints(t *testing.T) {
	t.Parallel()
	secret := config.NewSecret("xoxb-canary")
	wrapped := struct{ S config.Secret }{secret}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "s", secret, "w", wrapped)
	asJSON, err := json.Marshal(wrapped)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(secret), fmt.Sprintf("%#v %+v %q %x", wrapped, wrapped, secret, secret), log.String(), string(asJSON)} {
		if strings.Contains(text, "canary") || strings.Contains(text, fmt.Sprintf("%x", "canary")) {
			t.Errorf("the secret shows in %q", text)
		}
	}
}

func TestLoadNamesAMissingFile(t *testing.T) {
	t.Parallel()
	_, err := config.Load(filepath.Join(t.TempDir(), "none.yaml"), config.OS())
	if err == nil || !strings.Contains(err.Error(), "none.yaml: cannot be read") {
		t.Errorf("error = %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Add("a: &x [*x]\n")
	f.Add("? {a: b}\n: c\n")
	f.Add("<<: {instance: a}\n")
	f.Fuzz(func(t *testing.T, content string) {
		c, err := config.Parse("c.yaml", []byte(content), sources(nil))
		if err == nil && c.Instance == "" {
			t.Error("a configuration without an instance passed")
		}
	})
}
