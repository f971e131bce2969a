package app_test

import (
	"fmt"
	"strings"
	"testing"

	"dw/internal/fakes/jira"
)

// TestTicketOpenedBeforeTheEnd: a ticket with fields of the team's own, or a
// request at the service desk, is told of each decision and of the end and has a
// true title. It is moved when the numbers are right; a move that is not offered
// comes back to the thread with those that are, and the ticket stands.
func TestTicketOpenedBeforeTheEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		kind, move string
		request    bool
		status     string
		says       []string
		receipts   string
	}{
		"request, moved": {
			"jira_request_type: Data question", "Resolve", true, "Done",
			[]string{"Jira: the ticket STRICT-1 is Done"},
			"[intent done]",
		},
		"issue, no such move": {
			"jira_issue_type: Bug", "Vanish", false, "To Do",
			[]string{"moving the ticket was not done", "there is no such move", "Start (to In Progress), Resolve (to Done)"},
			"[intent failed]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startControl(t, func(text string) string {
				return strings.Replace(text, "    jira_project: OPS\n    jira_issue_type: Bug\n    ticket: on_resolve\n",
					"    jira_project: STRICT\n    "+test.kind+"\n    jira_fields: {severity: high}\n    jira_resolve_transition: "+test.move+"\n    ticket: manual\n", 1)
			})
			c.asked()
			c.ask(owner, "ticket "+c.incident())
			c.see("Jira has the ticket STRICT-1")
			c.at("11:27") // what is decided comes after the ticket
			c.carriedOut()
			c.see(test.says...)
			var issue jira.Issue
			c.until("the ticket to be told of three decisions and the end", func() bool {
				issue = c.tracker.Issues()[0]
				return len(issue.Comments) >= 4 && strings.Contains(issue.Summary(), "(resolved): ")
			})
			if issue.Status != test.status || issue.Request != test.request || !strings.Contains(string(issue.Fields["customfield_10042"]), `"High"`) {
				t.Errorf("the issue is %+v", issue)
			}
			c.stop()
			c.ticketReceipts(test.receipts)
		})
	}
}

// ticketReceipts holds that the one ticket and its title have an intent and an
// outcome each, and the move what is wanted.
func (c *control) ticketReceipts(move string) {
	c.t.Helper()
	if n := len(c.tracker.Issues()); n != 1 {
		c.t.Errorf("%d tickets, want one", n)
	}
	for errand, want := range map[string]string{"ticket.open": "[intent done]", "ticket.title": "[intent done]", "ticket.resolve": move} {
		if got := fmt.Sprint(c.outcomes(errand)); got != want {
			c.t.Errorf("%s: receipts %s, want %s", errand, got, want)
		}
	}
	c.verify()
}
