package jira

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Ticket is an issue to open.
type Ticket struct {
	Project     string // key
	IssueType   string // name or id
	Summary     string // one line; longer than 255 characters is cut
	Description Doc
	Labels      []string       // left out where the create screen has no labels
	Fields      map[string]any // by id or name; texts get the form that the field wants
	Incident    string
	Target      string // what the ticket is for; one incident has one ticket for each target
}

// Issue is an issue as Jira answers it. Create and Request fill Key, ID and URL.
type Issue struct {
	Key      string
	ID       string
	URL      string // of the page that people open
	Summary  string
	Status   string // the project's word
	Category string // "new", "indeterminate" or "done"
	Tag      Tag    // zero where the issue carries none
}

var (
	projectKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$|^[0-9]+$`)
	issueKey   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*-[0-9]+$|^[0-9]+$`)
)

// checkKey refuses what cannot be an issue's key or id.
func checkKey(key string) error {
	if !issueKey.MatchString(key) {
		return fmt.Errorf("jira: %q is no issue key; one looks like OPS-12", key)
	}
	return nil
}

func (t Ticket) check() error {
	switch {
	case !projectKey.MatchString(t.Project):
		return fmt.Errorf("jira: create issue: %q is no project key; one looks like OPS", t.Project)
	case t.IssueType == "":
		return errors.New("jira: create issue: an issue type is needed")
	case oneLine(t.Summary) == "":
		return errors.New("jira: create issue: a summary is needed")
	}
	return Tag{Incident: t.Incident, Target: t.Target}.check()
}

// maxSummary is Jira's limit, in characters.
const maxSummary = 255

// oneLine makes a summary that Jira takes.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	if r := []rune(s); len(r) > maxSummary {
		return string(r[:maxSummary-1]) + "…"
	}
	return s
}

// Create opens an issue. The create metadata are read first, so that an unknown
// project or issue type (*UnknownError) and fields that are required, unknown or
// wrong (*FieldsError) are named before anything is created. It is sent once; after
// a *workflows.UnclearError, look with Find before anything else.
func (c *Client) Create(ctx context.Context, t Ticket) (Issue, error) {
	name := "create issue in " + t.Project
	fields, err := c.prepare(ctx, name, t)
	if err != nil {
		return Issue{}, err
	}
	tag := Tag{Incident: t.Incident, Target: t.Target}
	var out struct{ ID, Key string }
	q := call{name: name, method: http.MethodPost, path: c.api("issue"), changes: true}
	err = c.send(ctx, q, map[string]any{
		"fields": fields, "properties": []any{map[string]any{"key": property, "value": tag}},
	}, &out)
	if err != nil {
		return Issue{}, err
	}
	if out.Key == "" || out.ID == "" {
		return Issue{}, c.unclear(q, errors.New("the answer names no issue"))
	}
	c.created(out.ID)
	return Issue{Key: out.Key, ID: out.ID, URL: c.browse(out.Key)}, nil
}

// CheckTicket says what would stand against a ticket, as Create does, and creates
// nothing.
func (c *Client) CheckTicket(ctx context.Context, t Ticket) error {
	_, err := c.prepare(ctx, "check issues of "+t.Project, t)
	return err
}

// prepare reads the create metadata and fills the fields.
func (c *Client) prepare(ctx context.Context, name string, t Ticket) (map[string]any, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	kind, err := c.findIssueType(ctx, name, t.Project, t.IssueType)
	if err != nil {
		return nil, err
	}
	have, err := c.fieldsOf(ctx, name, t.Project, kind)
	if err != nil {
		return nil, err
	}
	return c.ticketFields(name, t, kind, have)
}

// ticketFields are the fields of a new issue: dw's own and the asked ones.
func (c *Client) ticketFields(name string, t Ticket, kind issueType, have []field) (map[string]any, error) {
	on := func(id string) bool { return slices.ContainsFunc(have, func(f field) bool { return f.ID == id }) }
	if !on("description") {
		return nil, &FieldsError{Call: System + ": " + name, Wrong: []string{"Description is not on the create screen of " + kind.Name + ", so that the ticket could not say what is wrong"}}
	}
	project := map[string]any{"key": t.Project}
	if t.Project[0] <= '9' {
		project = map[string]any{"id": t.Project}
	}
	tag := Tag{Incident: t.Incident, Target: t.Target}
	own := map[string]any{
		"project": project, "issuetype": map[string]any{"id": kind.ID},
		"summary": oneLine(t.Summary), "description": c.rich(t.Description.cut().with(tag.line())),
	}
	if len(t.Labels) > 0 && on("labels") {
		own["labels"] = t.Labels
	}
	return c.fill(name, have, own, t.Fields)
}
