package app_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dw/blocks"
	"dw/internal/fakes/jira"
	"dw/internal/fakes/pagerduty"
	"dw/receipts"
	"dw/slackdev"
)

const (
	pagerKey   = "canary-pager-77aa"
	routeKey   = "canary-route-0000000000000000000"
	hookKey    = "canary-hook-8812-secret"
	trackerKey = "canary-tracker-1f"
)

// control is a pager and a tracker beside the estate.
type control struct {
	*rig
	pager   *pagerduty.Server
	tracker *jira.Server
	now     atomic.Pointer[clock]
}

func (c *control) Now() time.Time {
	if clock := c.now.Load(); clock != nil {
		return clock.Now()
	}
	return storyStart
}

// startControl runs dw on a new estate with both; edits change the configuration.
func startControl(t *testing.T, edits ...func(string) string) *control {
	t.Helper()
	c := &control{}
	pager, tracker := c.startPager(t), c.startTracker(t)
	c.rig = start(t, append([]func(string) string{func(text string) string {
		return strings.NewReplacer("olga: {slack: U0OWNER}", "olga: {slack: U0OWNER, email: olga@grid.example}",
			"    channel: C0GRID\n", "    channel: C0GRID\n    pagerduty_service: grid\n    page: auto\n    jira_project: OPS\n    jira_issue_type: Bug\n    ticket: on_resolve\n",
			"people:\n", fmt.Sprintf(`pagerduty:
  api_key: %s
  api_url: %s
  events_url: %s
  routing_keys: {grid: %s}
  webhook_secrets: [%s]
  timeout: 3
jira: {url: %s, cloud: true, email: dw@grid.example, token: %s, timeout: 3}
people:
`, pagerKey, pager, pager, routeKey, hookKey, tracker, trackerKey)).Replace(text)
	}}, edits...)...)
	c.now.Store(c.clock)
	c.pager.Subscribe(pagerduty.Hook{ID: "PHOOK", URL: "http://" + c.address + "/intake/pagerduty", Secrets: []string{hookKey}})
	return c
}

func (c *control) startPager(t *testing.T) string {
	t.Helper()
	var ids atomic.Int64
	server, err := pagerduty.New(pagerduty.Options{
		APIKey: pagerKey,
		Users: []pagerduty.User{
			{ID: "POLGA", Name: "Olga Owner", Email: "olga@grid.example"},
			{ID: "PNIA", Name: "Nia Night", Email: "nia@grid.example"},
			{ID: "PDAN", Name: "Dan Deputy", Email: "dan@grid.example"},
			{ID: "PGUS", Name: "Gus Guest", Email: "gus@grid.example"},
		},
		Services:  []pagerduty.Service{{ID: "PGRID", Name: "Grid", RoutingKey: routeKey, Policy: "PPOL"}},
		Policies:  []pagerduty.Policy{{ID: "PPOL", Name: "Grid", Schedules: []string{"PDAY", "PNIGHT"}}},
		Schedules: []pagerduty.Schedule{{ID: "PDAY", Name: "Day", User: "POLGA"}, {ID: "PNIGHT", Name: "Night", User: "PNIA"}},
		Now:       c.Now, NewID: func() string { return fmt.Sprintf("PX%d", ids.Add(1)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	c.pager = server
	listener := httptest.NewServer(server)
	t.Cleanup(func() {
		server.Close()
		listener.CloseClientConnections()
		listener.Close()
	})
	return listener.URL
}

func (c *control) startTracker(t *testing.T) string {
	t.Helper()
	screen := []jira.Field{
		{ID: "summary", Name: "Summary", Type: "string", Required: true},
		{ID: "description", Name: "Description", Type: "string"},
		{ID: "labels", Name: "Labels", Type: "array", Items: "string"},
	}
	strict := append(slices.Clone(screen), jira.Field{ID: "customfield_10042", Name: "Severity", Type: "option", Required: true, Allowed: []string{"High"}})
	server, err := jira.New(jira.Options{
		Cloud: true, Email: "dw@grid.example", Token: trackerKey, Now: c.Now,
		Projects: []jira.Project{
			{ID: "10001", Key: "OPS", Name: "Operations", Types: []jira.IssueType{{ID: "1", Name: "Bug", Fields: screen}}},
			{ID: "10002", Key: "STRICT", Name: "Strict", Types: []jira.IssueType{{ID: "2", Name: "Bug", Fields: strict}}},
		},
		Desks: []jira.Desk{{ID: "1", Project: "STRICT", Types: []jira.RequestType{{ID: "7", Name: "Data question", IssueType: "2", Fields: strict}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.tracker = server
	listener := httptest.NewServer(server)
	t.Cleanup(func() {
		server.Close()
		listener.CloseClientConnections()
		listener.Close()
	})
	return listener.URL
}

// until waits for a state of the stand-ins, which tell nobody of a change.
func (c *control) until(what string, done func() bool) {
	c.t.Helper()
	for end := time.Now().Add(patience); !done(); {
		if time.Now().After(end) {
			c.t.Fatalf("waited for %s\npages %+v\nissues %+v\n%s\n--- log\n%s", what, c.pager.Incidents(), c.tracker.Issues(), c.screen(), tail(c.log.String(), 6000))
		}
		c.askOnce()
	}
}

// askOnce gives dw the time of one answer.
func (c *control) askOnce() { c.ask(owner, "status") }

// page waits for the one page and returns it.
func (c *control) page() pagerduty.Incident {
	c.t.Helper()
	c.until("a page", func() bool { return len(c.pager.Incidents()) > 0 })
	return c.pager.Incidents()[0]
}

// notes returns the notes of the one page whose mark has a part.
func (c *control) notes(part string) []string {
	var out []string
	for _, i := range c.pager.Incidents() {
		for _, n := range i.Notes {
			lines := strings.Split(n.Content, "\n")
			if strings.Contains(lines[len(lines)-1], part) {
				out = append(out, n.Content)
			}
		}
	}
	return out
}

// outcomes lists the states that the receipts say of an errand.
func (c *control) outcomes(errand string) []string {
	c.t.Helper()
	var out []string
	for _, r := range c.receipts("") {
		named := fmt.Sprint(r.Predicate.Body["errand"])
		if named != errand && !strings.HasPrefix(named, errand+"/") {
			continue
		}
		switch r.Predicate.Kind {
		case receipts.KindErrandIntent:
			out = append(out, "intent")
		case receipts.KindErrandOutcome:
			out = append(out, fmt.Sprint(r.Predicate.Body["state"]))
		}
	}
	return out
}

// incident is the id of the one incident.
func (c *control) incident() string {
	c.t.Helper()
	return c.receipts(receipts.KindIncidentOpened)[0].Predicate.Incident
}

// TestPageNoteAndTicket: the page carries the diagnosis, is told of the decision
// and of the end, and is closed; the ticket is opened once and links the thread.
func TestPageNoteAndTicket(t *testing.T) {
	t.Parallel()
	c := startControl(t)
	c.asked()
	c.see("PagerDuty was paged", "PX")
	c.carriedOut()
	c.until("the page to be closed and told", func() bool {
		return c.page().Status == pagerduty.Resolved && len(c.notes(":resolved")) == 1 && len(c.notes(":decided-")) == 3
	})
	c.until("the ticket and its link", func() bool { issues := c.tracker.Issues(); return len(issues) == 1 && len(issues[0].Links) == 1 })
	c.see("Jira has the ticket OPS-")
	c.see("Resolved: ", "Page: ", "Ticket: ")

	if pages := c.pager.Incidents(); len(pages) != 1 || pages[0].Key != c.incident() {
		t.Errorf("pages %+v, want one of %s", pages, c.incident())
	}
	c.carriesDiagnosis(c.page())
	if repeated := c.notes(":cause-"); len(repeated) != 0 {
		t.Errorf("a note repeats the cause that the page carries: %s", repeated)
	}
	for _, note := range c.notes(":decided-") {
		if !strings.Contains(note, "approve by Olga Owner") {
			t.Errorf("a note of a decision does not name who decided: %s", note)
		}
	}
	issue := c.tracker.Issues()[0]
	if link := issue.Links[0]; link.GlobalID != "dw:"+c.incident() || !strings.Contains(link.URL, "/archives/"+channel+"/p") {
		t.Errorf("link %+v", link)
	}
	if text := issue.Description(); !strings.Contains(text, "Cause: ") || !strings.Contains(text, c.incident()) {
		t.Errorf("the ticket says %q", text)
	}
	c.stop()
	c.verify()
	for _, errand := range []string{"page.trigger", "page.resolve", "ticket.open", "ticket.link"} {
		if got := fmt.Sprint(c.outcomes(errand)); got != "[intent done]" {
			t.Errorf("%s: receipts %s, want an intent and its outcome", errand, got)
		}
	}
}

// carriesDiagnosis holds that who is woken by a page sees why, with what evidence,
// who is harmed first, and where to go.
func (c *control) carriesDiagnosis(page pagerduty.Incident) {
	c.t.Helper()
	for label, text := range map[string]string{
		"Cause": "without the schema registry", "Evidence": " facts, of which here", "Blast radius": "bill_meters", "Incident": c.incident(),
	} {
		if said, _ := page.Details[label].(string); !strings.Contains(said, text) {
			c.t.Errorf("the page's %s is %q, without %q", label, said, text)
		}
	}
	if page.Severity != "critical" || !strings.Contains(page.Title, "without the schema registry") {
		c.t.Errorf("severity %q, title %q", page.Severity, page.Title)
	}
	if len(page.Links) != 1 || !strings.Contains(page.Links[0], "/archives/"+channel+"/p") {
		c.t.Errorf("the page links %v, want the thread", page.Links)
	}
}

// TestAcknowledgedOnEitherSide: an acknowledgement in Slack is one in PagerDuty,
// in the person's name, and the other way round, said on the card.
func TestAcknowledgedOnEitherSide(t *testing.T) {
	t.Parallel()
	t.Run("in Slack", func(t *testing.T) {
		t.Parallel()
		c := startControl(t)
		c.at("11:15")
		card := c.see("new dead-letter rows", "Page: ", "triggered", blocks.ActionAcknowledge)
		c.told(owner, c.click(owner, card, blocks.ActionAcknowledge), "Acknowledged at")
		c.until("the page to be acknowledged", func() bool { return c.page().Status == pagerduty.Acknowledged })
		c.see("In work by: ", "acknowledged by Olga Owner")
		c.there(nil) // PagerDuty tells dw of what dw did in her name
		c.askOnce()
		for _, r := range c.receipts(receipts.KindIncidentUpdated) {
			if what := fmt.Sprint(r.Predicate.Body["what"]); strings.HasPrefix(what, "page ") {
				t.Errorf("dw's own call is recorded as a person's act: %s", r.Bytes)
			}
		}
		if log := c.page().Log; !slices.ContainsFunc(log, func(e pagerduty.Entry) bool { return e.What == "acknowledge" && e.Who == "olga@grid.example" }) {
			t.Errorf("the page's log does not name who acknowledged: %+v", log)
		}
	})
	for name, test := range map[string]struct{ user, shown string }{
		"in PagerDuty":                        {"POLGA", "Olga Owner"},
		"in PagerDuty by somebody of no mail": {"PNIA", "Nia Night"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startControl(t)
			c.at("11:15")
			c.see("new dead-letter rows", "Page: ", "triggered")
			c.there(c.pager.Acknowledge(c.page().ID, test.user))
			c.see("In work by: ", test.shown, "acknowledged by "+test.shown)
			c.see(test.shown + " acknowledged the page in PagerDuty")

			c.there(c.pager.Resolve(c.page().ID, test.user))
			c.see(test.shown+" resolved the page in PagerDuty", "does not say that the numbers are right")
			c.see("In work by: ", "resolved by "+test.shown)
			if err := c.pager.Repeat(context.Background()); err != nil {
				t.Error(err)
			}
			c.askOnce()
			c.stop()
			acted := 0
			for _, r := range c.receipts(receipts.KindIncidentUpdated) {
				if strings.HasPrefix(fmt.Sprint(r.Predicate.Body["what"]), "page ") && r.Predicate.Actor["name"] == test.shown {
					acted++
				}
			}
			if acted != 2 || len(c.receipts(receipts.KindIncidentResolved)) != 0 {
				t.Errorf("%d receipts of the person's acts, want 2, and no incident resolved by them", acted)
			}
		})
	}
}

// there sends what a person did in PagerDuty to dw.
func (c *control) there(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.pager.Deliver(context.Background()); err != nil {
		c.t.Fatalf("deliver: %v\n%s", err, tail(c.log.String(), 3000))
	}
}

// TestUnclearOnce: the answer is lost after the effect, and there is one effect
// and a receipt that said so.
func TestUnclearOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fail     func(*control)
		errand   string
		receipts string
	}{
		"trigger": {func(c *control) {
			for range 4 { // it is repeated within one call
				c.pager.Fail(pagerduty.Fault{Operation: "createV2Event", Kind: pagerduty.CutAfterEffect})
			}
		}, "page.trigger", "[intent unclear intent done]"},
		"note": {func(c *control) {
			c.pager.Fail(pagerduty.Fault{Operation: "createIncidentNote", Kind: pagerduty.HangAfterEffect})
		}, "page.note", "[intent unclear done]"},
		"create": {func(c *control) { c.tracker.Fail(jira.Fault{Call: "createIssue", Kind: jira.HangAfterEffect}) }, "ticket.open", "[intent unclear done]"},
		"link": {func(c *control) {
			c.tracker.Fail(jira.Fault{Call: "createOrUpdateRemoteIssueLink", Kind: jira.CutAfterEffect})
		}, "ticket.link", "[intent done]"}, // the connector reads back where no answer came
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startControl(t)
			test.fail(c)
			c.asked()
			c.ask(owner, "ticket "+c.incident())
			minute := 27
			c.until(test.errand+" to be done", func() bool {
				if minute < 30 && slices.Contains(c.outcomes(test.errand), "unclear") {
					c.at(fmt.Sprintf("11:%d", minute)) // dw looks again
					minute++
				}
				issues := c.tracker.Issues()
				return slices.Contains(c.outcomes(test.errand), "done") && !slices.Contains(c.last(test.errand), "unclear") &&
					len(issues) == 1 && len(issues[0].Links) == 1 && len(c.notes(":asked-")) > 0
			})
			c.stop()
			if got := fmt.Sprint(c.outcomes(test.errand)); got != test.receipts {
				t.Errorf("receipts of %s: %s, want %s", test.errand, got, test.receipts)
			}
			if n := len(c.pager.Incidents()); n != 1 {
				t.Errorf("%d pages, want one", n)
			}
			marks := map[string]int{}
			for _, note := range c.notes("dw:") {
				marks[note[strings.LastIndexByte(note, '\n')+1:]]++
			}
			for mark, n := range marks {
				if n != 1 {
					t.Errorf("%d notes %s, want one", n, mark)
				}
			}
			if issues := c.tracker.Issues(); len(issues) != 1 || len(issues[0].Links) != 1 {
				t.Errorf("issues %+v, want one with one link", issues)
			}
			c.verify()
		})
	}
}

// last is the newest state that a receipt says of each errand of a kind.
func (c *control) last(errand string) []string {
	newest := map[string]string{}
	for _, r := range c.receipts(receipts.KindErrandOutcome) {
		if named := fmt.Sprint(r.Predicate.Body["errand"]); strings.HasPrefix(named, errand) {
			newest[named] = fmt.Sprint(r.Predicate.Body["state"])
		}
	}
	var out []string
	for _, state := range newest {
		out = append(out, state)
	}
	return out
}

// TestRefusedByPagerAndTracker: a wrong key or a field that is missing is said to
// who asked, and the receipt says that nothing was done.
func TestRefusedByPagerAndTracker(t *testing.T) {
	t.Parallel()
	replace := func(old, with string) func(string) string {
		return func(text string) string { return strings.ReplaceAll(text, old, with) }
	}
	for name, test := range map[string]struct {
		edits   []func(string) string
		command string
		errand  string
		says    []string
	}{
		"routing key": {
			[]func(string) string{replace(routeKey, "wrong"), replace("page: auto", "page: manual")},
			"page", "page.trigger",
			[]string{"PagerDuty: the page was not done", "routing key"},
		},
		"tracker's token": {
			[]func(string) string{replace(trackerKey, "wrong")},
			"ticket", "ticket.open",
			[]string{"Jira: the ticket was not done", "token"},
		},
		"unknown project": {
			[]func(string) string{replace("jira_project: OPS", "jira_project: OOPS")},
			"ticket", "ticket.open",
			[]string{"Jira: the ticket was not done", "OOPS"},
		},
		"required field": {
			[]func(string) string{replace("jira_project: OPS", "jira_project: STRICT")},
			"ticket", "ticket.open",
			[]string{"Jira: the ticket was not done", "Severity (customfield_10042"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startControl(t, test.edits...)
			c.at("11:15")
			c.see("without the schema registry", blocks.ActionAcknowledge)
			if answer := c.ask(owner, test.command+" "+c.incident()); !strings.Contains(answer, "is on its way") {
				t.Errorf("the answer to %s: %s", test.command, answer)
			}
			c.see(test.says...)
			c.stop()
			if got := fmt.Sprint(c.outcomes(test.errand)); got != "[intent failed]" {
				t.Errorf("receipts %s, want an intent and that it failed", got)
			}
			if test.errand == "page.trigger" && len(c.pager.Incidents()) != 0 || len(c.tracker.Issues()) != 0 {
				t.Errorf("something was done: %+v %+v", c.pager.Incidents(), c.tracker.Issues())
			}
			for _, secret := range []string{pagerKey, routeKey, trackerKey, hookKey} {
				if strings.Contains(c.log.String(), secret) {
					t.Errorf("the log holds a secret")
				}
			}
		})
	}
}

// TestWrongKeyOfTheAPI: the page is sent, and that it cannot be read back is
// tried for a bounded time and then said to a person, with what to do.
func TestWrongKeyOfTheAPI(t *testing.T) {
	t.Parallel()
	c := startControl(t, func(text string) string { return strings.ReplaceAll(text, pagerKey, "wrong") })
	c.at("11:15")
	c.see("without the schema registry", blocks.ActionAcknowledge)
	minute, asked, looks := 15, 0, 0
	c.until("a person to be asked", func() bool {
		// A look that was written down after the clock moved is due only after the next move.
		calls := c.pager.Calls()["listIncidents"]
		if asked++; (calls != looks || asked%20 == 0) && minute < 200 {
			minute, looks = minute+1, calls
			c.at(fmt.Sprintf("%d:%02d", 11+minute/60, minute%60))
		}
		return slices.Contains(c.outcomes("page.trigger"), "asked")
	})
	c.see("it is unclear whether the page was done", "put a valid REST API key")
	c.stop()
	if n := len(c.pager.Incidents()); n != 1 {
		t.Errorf("%d pages, want one", n)
	}
	if got := c.outcomes("page.trigger"); slices.Contains(got, "done") || slices.Contains(got, "failed") {
		t.Errorf("receipts %v say more than is known", got)
	}
}

// TestAskedByHand: the buttons of the card page and open the ticket once, and
// go when that is done.
func TestAskedByHand(t *testing.T) {
	t.Parallel()
	c := startControl(t, func(text string) string {
		return strings.NewReplacer("page: auto", "page: manual", "ticket: on_resolve", "ticket: manual").Replace(text)
	})
	c.at("11:15")
	card := c.see("without the schema registry", blocks.ActionPage, blocks.ActionTicket)
	c.told(owner, c.click(owner, card, blocks.ActionPage), "the page is on its way")
	c.see("PagerDuty was paged", "asked for by Olga Owner")
	c.told(owner, c.click(owner, card, blocks.ActionTicket), "the ticket is on its way")
	c.see("Jira has the ticket OPS-", "asked for by Olga Owner")
	c.wait("a card without the buttons", func(s slackdev.Snapshot) bool {
		m, ok := find(s, channel, "without the schema registry", "Page: ", "Ticket: ", blocks.ActionAcknowledge)
		return ok && !said(m, blocks.ActionPage) && !said(m, blocks.ActionTicket)
	})
	for command, says := range map[string]string{
		"page " + c.incident(): "has a page", "ticket " + c.incident(): "has a ticket", "ticket INC-NONE": "no incident",
		"page": "rite /dw page INCIDENT", "ticket " + c.incident() + " a!": "no project key", "help": "ticket INCIDENT [PROJECT]",
	} {
		if answer := c.ask(owner, command); !strings.Contains(answer, says) {
			t.Errorf("/dw %s: %s, want %q", command, answer, says)
		}
	}
	c.stop()
	if len(c.pager.Incidents()) != 1 || len(c.tracker.Issues()) != 1 {
		t.Errorf("%d pages and %d tickets, want one each", len(c.pager.Incidents()), len(c.tracker.Issues()))
	}
}

// TestExpiryPages: where nobody decides, the page goes to the next level.
func TestExpiryPages(t *testing.T) {
	t.Parallel()
	c := startControl(t)
	c.asked()
	c.until("a page", func() bool { return slices.Contains(c.outcomes("page.trigger"), "done") })
	c.at("15:40")
	c.see("The page PX", "was escalated in PagerDuty")
	if page := c.page(); page.Level != 2 {
		t.Errorf("the page is at level %d, want 2", page.Level)
	}
	c.stop()
	if got := fmt.Sprint(c.outcomes("page.escalate")); got != "[intent done]" {
		t.Errorf("receipts of the escalation: %s", got)
	}
}
