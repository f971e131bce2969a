package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"dw/config"
	"dw/connectors/jira"
)

// jira asks the tracker for everything that the configuration names there.
func (x *examination) jira(ctx context.Context) []Finding {
	var f found
	if !x.asks(&f, x.c != nil && x.c.Jira != nil, "not configured: dw opens no tickets") {
		return f.list
	}
	client, err := x.project.Jira(slog.New(slog.DiscardHandler))
	account := ""
	if err == nil {
		account, err = client.Account(ctx)
	}
	if err != nil {
		f.tracker("jira.token: ", err)
		return f.list
	}
	f.ok("myself", "Jira knows dw as "+account)
	for _, name := range slices.Sorted(maps.Keys(x.c.Domains)) {
		if d := x.c.Domains[name]; d.JiraProject != "" {
			f.ticket(ctx, client, "domains."+name, d)
			f.move(ctx, client, "domains."+name, d)
		}
	}
	return f.list
}

// tracker adds what Jira refused, with what to do.
func (f *found) tracker(about string, err error) {
	do := "let this machine reach jira.url"
	if refused, ok := errors.AsType[*jira.RefusedError](err); ok && refused.Do != "" {
		do = refused.Do
	}
	f.add(Fail, "jira", do, about+err.Error())
}

// ticket reads what a new ticket asks for, and holds what the domain gives against
// it.
func (f *found) ticket(ctx context.Context, client *jira.Client, about string, d config.Domain) {
	const nothing = "doctor" // no ticket is opened
	fields := make(map[string]any, len(d.JiraFields))
	for name, value := range d.JiraFields {
		fields[name] = value
	}
	text := jira.Document(jira.Paragraph(jira.Text(nothing)))
	what, err := "requests of type "+d.JiraRequestType, error(nil)
	if d.JiraRequestType != "" {
		err = client.CheckRequest(ctx, jira.ServiceRequest{
			ServiceDesk: d.JiraProject, RequestType: d.JiraRequestType, Summary: nothing, Description: text, Fields: fields, Incident: nothing, Target: nothing,
		})
	} else {
		kind := d.JiraIssueType
		if kind == "" {
			kind = "Task"
		}
		what = "issues of type " + kind
		err = client.CheckTicket(ctx, jira.Ticket{
			Project: d.JiraProject, IssueType: kind, Summary: nothing, Description: text, Fields: fields, Incident: nothing, Target: nothing,
		})
	}
	missing, wrong := errors.AsType[*jira.FieldsError](err)
	unknown, none := errors.AsType[*jira.UnknownError](err)
	switch {
	case err == nil:
		f.ok("createmeta", fmt.Sprintf("%s: %s takes %s with the fields given", about, d.JiraProject, what))
	case wrong:
		f.add(Fail, "createmeta", fmt.Sprintf("set them in %s.jira_fields, or take them off the screen: %s", about, strings.Join(slices.Concat(missing.Missing, missing.Wrong), ", ")), about+": "+err.Error())
	case none:
		f.add(Fail, "createmeta", fmt.Sprintf("correct the %s in %s, or let dw's account use it", unknown.Kind, about), about+": "+err.Error())
	default:
		f.tracker(about+": ", err)
	}
}

// move looks for the move of a resolved incident's ticket, which Jira tells only of
// an issue.
func (f *found) move(ctx context.Context, client *jira.Client, about string, d config.Domain) {
	if d.JiraResolve == "" {
		return
	}
	about += ".jira_resolve_transition"
	key, err := client.CheckMove(ctx, d.JiraProject, d.JiraResolve)
	_, immovable := errors.AsType[*jira.TransitionError](err)
	switch {
	case immovable:
		f.add(Warn, "transitions", "name one of the possible moves, unless other issues of "+d.JiraProject+" offer it", about+": "+err.Error())
	case err != nil:
		f.tracker(about+": ", err)
	case key == "":
		f.add(Warn, "transitions", "run doctor again when "+d.JiraProject+" has an issue", about+": "+d.JiraProject+" shows no issue whose moves could be read")
	default:
		f.ok("transitions", fmt.Sprintf("%s: %s can be moved by or to %q", about, key, d.JiraResolve))
	}
}
