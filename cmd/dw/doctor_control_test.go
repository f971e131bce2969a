package main_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dw/internal/fakes/jira"
	"dw/internal/fakes/pagerduty"
)

const (
	farmPagerKey = "farm-pager-key"
	farmRouteKey = "farm-route-key-0123456789abcdef0"
	farmToken    = "farm-jira-token"
)

// control is a farm that pages and opens tickets, and what a test made worse.
type control struct {
	clinic  *clinic
	edits   []string
	pager   *pagerduty.Server
	tracker *jira.Server
}

// worsen applies the edits, which concern what was put into the file.
func (c *control) worsen(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "config.yaml", strings.NewReplacer(c.edits...).Replace(string(text)))
}

// standIn is a vendor's stand-in; Close ends answers that hang.
type standIn interface {
	http.Handler
	Close()
}

func serveStandIn(t *testing.T, s standIn) string {
	t.Helper()
	listener := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Close()
		listener.CloseClientConnections()
		listener.Close()
	})
	return listener.URL
}

func farmPager(t *testing.T) *pagerduty.Server {
	t.Helper()
	var ids atomic.Int64
	server, err := pagerduty.New(pagerduty.Options{
		APIKey: farmPagerKey, Now: time.Now, NewID: func() string { return fmt.Sprintf("PX%d", ids.Add(1)) },
		Users:     []pagerduty.User{{ID: "PFERN", Name: "Fern Field", Email: "fern@farm.example"}, {ID: "PNIA", Name: "Nia Night", Email: "nia@farm.example"}},
		Services:  []pagerduty.Service{{ID: "PFARM", Name: "Farm data", RoutingKey: farmRouteKey, Policy: "PPOL"}, {ID: "POFF", Name: "Old farm", RoutingKey: "farm-route-off", Policy: "PPOL", Status: "disabled"}},
		Policies:  []pagerduty.Policy{{ID: "PPOL", Name: "Farm", Schedules: []string{"PDAY", "PNIGHT"}}, {ID: "PPOLB", Name: "Idle", Schedules: []string{"PIDLE"}}},
		Schedules: []pagerduty.Schedule{{ID: "PDAY", Name: "Day", User: "PFERN"}, {ID: "PNIGHT", Name: "Night", User: "PNIA"}, {ID: "PIDLE", Name: "Idle"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return server
}

func farmTracker(t *testing.T) *jira.Server {
	t.Helper()
	screen := []jira.Field{
		{ID: "summary", Name: "Summary", Type: "string", Required: true},
		{ID: "description", Name: "Description", Type: "string"},
		{ID: "customfield_10042", Name: "Severity", Type: "option", Custom: "x:select", Required: true, Allowed: []string{"High", "Low"}},
	}
	server, err := jira.New(jira.Options{
		Cloud: true, Email: "dw@farm.example", Token: farmToken, Now: time.Now,
		Projects: []jira.Project{{ID: "10001", Key: "OPS", Name: "Operations", Types: []jira.IssueType{{ID: "1", Name: "Task", Fields: screen}}}},
		Desks:    []jira.Desk{{ID: "1", Project: "OPS", Types: []jira.RequestType{{ID: "7", Name: "Data question", IssueType: "1", Fields: screen}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// farmControl is what the farm's configuration says of both, before it is made worse.
const farmControl = `people:
  duty: {pagerduty_schedule: PDAY}
  fern: {slack: U0FERN, email: fern@farm.example}
pagerduty:
  api_key: farm-pager-key
  api_url: %[1]s
  events_url: %[1]s
  routing_keys: {farm: farm-route-key-0123456789abcdef0}
  webhook_secrets: [farm-hook-secret-16]
jira: {url: %[2]s, cloud: true, email: dw@farm.example, token: farm-jira-token}
domains:
  farm: {owner: fern, deputy: duty, channel: C0FARM, level: L1, pagerduty_service: farm, page: auto,
    jira_project: OPS, jira_fields: {Severity: high}, jira_resolve_transition: Done}
`

// TestDoctorExaminesPagerDutyAndJira: whatever of both is named in the file and is
// not there, or not allowed, is said with what to do before an incident needs it.
func TestDoctorExaminesPagerDutyAndJira(t *testing.T) {
	t.Parallel()
	edit := func(old, with string) func(*control) {
		return func(c *control) { c.edits = append(c.edits, old, with) }
	}
	for name, tc := range map[string]struct {
		worse func(*control)
		code  int
		says  []string
	}{
		"all is well": {func(*control) {}, 0, []string{
			"PagerDuty takes pagerduty.api_key", "pagerduty.routing_keys.farm is the service Farm data (PFARM), escalation policy Farm",
			"domains.farm: notes can be written in the name of Fern Field", "people.duty (schedule PDAY): Fern Field (U0FERN) is on call now",
			"Jira knows dw as dw", "domains.farm: OPS takes issues of type Task", "OPS shows no issue whose moves could be read",
		}},
		"a wrong API key":       {edit("api_key: farm-pager-key", "api_key: of-yesterday"), 1, []string{"refused with status 401", "next: put a valid REST API key into pagerduty's api_key", "Jira knows dw as dw"}},
		"a missing right":       {func(c *control) { c.pager.Forbid("listServices") }, 1, []string{"refused with status 403", "give dw a key with write access", "notes can be written"}},
		"a wrong routing key":   {edit("farm-route-key-0123456789abcdef0", "of-nobody"), 0, []string{"pagerduty.routing_keys.farm: no service has an integration with this key", "copy the integration key"}},
		"a disabled service":    {edit("farm-route-key-0123456789abcdef0", "farm-route-off"), 1, []string{"the service Old farm (POFF) is disabled and pages nobody"}},
		"no PagerDuty user":     {edit("email: fern@farm.example", "email: fern@elsewhere.example"), 1, []string{"people.fern: PagerDuty has no user fern@elsewhere.example", "domains.farm: nobody of the chain is a PagerDuty user"}},
		"an unknown schedule":   {edit("schedule: PDAY", "schedule: PGONE"), 1, []string{"people.duty (schedule PGONE): pagerduty: read schedule PGONE: refused with status 404"}},
		"nobody on call":        {edit("pagerduty_schedule: PDAY", "pagerduty_policy: PPOLB"), 0, []string{"people.duty (escalation policy PPOLB): nobody is on call now", "fill the rota"}},
		"on call, not in Slack": {edit("schedule: PDAY", "schedule: PNIGHT"), 0, []string{"Slack does not know Nia Night (nia@farm.example)", "give them the same e-mail"}},
		"no webhook":            {edit("  webhook_secrets: [farm-hook-secret-16]\n", ""), 0, []string{"what people do to a page in PagerDuty does not come back to dw"}},
		"PagerDuty is down":     {edit("api_url: http", "api_url: http://127.0.0.1:1 # http"), 1, []string{"let this machine reach pagerduty.api_url"}},
		"a wrong token":         {edit("token: farm-jira-token", "token: of-yesterday"), 1, []string{"refused with status 401", "make a new one"}},
		"an unknown project":    {edit("jira_project: OPS", "jira_project: OOPS"), 1, []string{`there is no project "OOPS"`, "Did you mean OPS (Operations)?", "correct the project in domains.farm"}},
		"an unknown type":       {edit("jira_project: OPS", "jira_project: OPS, jira_issue_type: Tusk"), 1, []string{`there is no issue type "Tusk"`, "Did you mean Task?"}},
		"a required field":      {edit("jira_fields: {Severity: high}, ", ""), 1, []string{"required and without a value: Severity (customfield_10042; one of: High, Low)", "set them in domains.farm.jira_fields"}},
		"a value that is none":  {edit("Severity: high", "Severity: huge"), 1, []string{`has no value "huge"`}},
		"an unknown field":      {edit("Severity: high", "Severity: high, Colour: red"), 1, []string{"Colour is not on the create screen"}},
		"a request type":        {edit("jira_project: OPS", "jira_project: OPS, jira_request_type: Data question"), 0, []string{"OPS takes requests of type Data question"}},
		"an unknown request":    {edit("jira_project: OPS", "jira_project: OPS, jira_request_type: Data answer"), 1, []string{`there is no request type "Data answer"`, "Did you mean Data question?"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &control{clinic: newClinic(), pager: farmPager(t), tracker: farmTracker(t)}
			c.clinic.edits = append(c.clinic.edits, "people:\n  fern: {slack: U0FERN}\ndomains:\n  farm: {owner: fern, channel: C0FARM, level: L1}\n",
				fmt.Sprintf(farmControl, serveStandIn(t, c.pager), serveStandIn(t, c.tracker)))
			tc.worse(c)
			dir := c.clinic.open(t)
			c.worsen(t, dir)
			fresh(t, dir)
			dw(t, dir, "doctor").want(t, tc.code, tc.says...)
			if calls := c.pager.Calls(); calls["createV2Event"]+calls["createIncidentNote"]+calls["updateIncidents"]+c.tracker.Calls("createIssue")+c.tracker.Calls("createCustomerRequest") != 0 {
				t.Errorf("doctor changed something: %v", calls)
			}
		})
	}
}
