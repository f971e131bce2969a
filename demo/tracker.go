package demo

import (
	"context"
	"fmt"

	"dw/internal/fakes/jira"
)

// The tracker's project, and dw's account there.
const (
	trackerEmail   = "dw@demo.example"
	trackerProject = "DATA"
	trackerType    = "Task"
)

// openTracker starts Jira's stand-in.
func (c *conductor) openTracker() (url string, stop func() error, err error) {
	c.tracker, err = jira.New(jira.Options{
		Cloud: true, Email: trackerEmail, Token: c.tokens.tracker, Now: c.clock.now,
		Projects: []jira.Project{{ID: "10001", Key: trackerProject, Name: "Data", Types: []jira.IssueType{{
			ID: "10100", Name: trackerType, Fields: []jira.Field{
				{ID: "summary", Name: "Summary", Type: "string", Required: true},
				{ID: "description", Name: "Description", Type: "string"},
				{ID: "labels", Name: "Labels", Type: "array", Items: "string"},
			},
		}}}},
	})
	if err != nil {
		return "", nil, err
	}
	return listen("Jira's stand-in", c.tracker)
}

// seeTicket waits for the ticket and its link in Jira.
func (c *conductor) seeTicket(ctx context.Context) error {
	var issue jira.Issue
	err := c.untilWhile(ctx, "a ticket with a remote link in Jira", func() bool {
		issues := c.tracker.Issues()
		if len(issues) > 0 {
			issue = issues[0]
		}
		return len(issue.Links) > 0
	})
	if err != nil {
		return err
	}
	c.line.event(issue.Created, "Jira", "ticket opened", fmt.Sprintf("%s %s; remote link %q %s",
		issue.Key, issue.Summary(), issue.Links[0].Title, issue.Links[0].URL))
	return nil
}
