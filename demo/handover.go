package demo

import (
	"fmt"
	"slices"
	"strings"

	"dw/internal/fakes/jira"
	"dw/internal/fakes/pagerduty"
)

// notPaged: nobody was paged, and there is no ticket.
func (p *promise) notPaged() {
	p.expect(len(p.c.pager.Incidents()) == 0, "PagerDuty has %d pages, want none", len(p.c.pager.Incidents()))
	p.noTicket()
}

func (p *promise) noTicket() {
	p.expect(len(p.c.tracker.Issues()) == 0, "Jira has %d tickets, want none", len(p.c.tracker.Issues()))
}

// paged: PagerDuty has one page, of the incident and in a state, and no note on
// it stands twice; each is in the receipts. It returns the page.
func (p *promise) paged(status string) (page pagerduty.Incident) {
	pages := p.c.pager.Incidents()
	p.expect(len(pages) == 1, "PagerDuty has %d pages, want one", len(pages))
	if len(pages) == 0 {
		return page
	}
	page = pages[0]
	p.expect(page.Key == text(p.o.Incident), "the page's dedup key is %s, want the incident %s", page.Key, text(p.o.Incident))
	p.expect(page.Status == status, "the page is %s, want %s", page.Status, status)
	p.recorded("page.trigger", page.ID)
	seen := map[string]bool{}
	for _, n := range page.Notes {
		mark := markOf(n)
		stage, ours := strings.CutPrefix(mark, noteMark(page.Key, ""))
		p.expect(ours, "a note on the page has the mark %q, want one of %s", mark, page.Key)
		p.expect(!seen[mark], "the note %s stands twice on the page", mark)
		seen[mark] = true
		p.recorded("page.note/"+stage, n.ID)
	}
	carried, _ := page.Details["Evidence"].(string) // of a named cause only
	p.expect(carried != "" || len(notesOf(page, noteMark(page.Key, stageCause))) > 0, "neither the page nor a note on it tells of the cause")
	return page
}

// noted: the page of the worked day was told of the request with the diagnosis, of
// each decision, and of the end.
func (p *promise) noted(page pagerduty.Incident) {
	for stage, want := range map[string]int{stageAsked: 1, stageDecided: len(p.o.Decisions), stageResolved: 1} {
		found := notesOf(page, noteMark(page.Key, stage))
		p.expect(len(found) == want, "%d notes on the page tell of %s, want %d", len(found), strings.Trim(stage, "-"), want)
	}
	for _, n := range notesOf(page, noteMark(page.Key, stageAsked)) {
		for _, part := range []string{
			"Cause: Records produced without", "Evidence: ", "Blast radius: ", p.c.names[jobPayout],
			fmt.Sprintf("Harmed: %d %s", boxOfficeOrganizers, p.c.names[harmUnit]), "Request 3: ", p.permalink(),
		} {
			p.expect(strings.Contains(n.Content, part), "the note of the request does not say %q: %s", part, n.Content)
		}
		// Who is harmed first, when, and whom to ask: in one line.
		for _, part := range []string{p.c.names[tableOrders], "explore " + p.c.names[exploreSales], p.c.names[jobPayout], "02:00", p.c.names[personFinance]} {
			line := lineOf(n.Content, "Blast radius: ")
			p.expect(strings.Contains(line, part), "the blast radius does not name %q: %s", part, line)
		}
		p.expect(!n.At.Before(p.c.day.at(12, 40)) && n.At.Before(p.c.day.at(13, 10)), "the note of the request is of %s, want 12:40, before anybody decides", p.c.day.clock(n.At))
	}
}

// ticketed: Jira has one ticket with one remote link, to the incident's thread
// with its receipts, and both are in the receipts.
func (p *promise) ticketed() {
	issues := p.c.tracker.Issues()
	p.expect(len(issues) == 1, "Jira has %d tickets, want one", len(issues))
	for _, issue := range issues {
		p.expect(issue.Project == trackerProject, "the ticket %s is in %s, want %s", issue.Key, issue.Project, trackerProject)
		for _, part := range []string{"Incident: " + text(p.o.Incident), "Cause: ", "Resolved: "} {
			p.expect(strings.Contains(issue.Description(), part), "the ticket does not say %q: %s", part, issue.Description())
		}
		p.recorded("ticket.open", issue.Key)
		p.linked(issue)
	}
}

func (p *promise) linked(issue jira.Issue) {
	p.expect(len(issue.Links) == 1, "the ticket %s has %d remote links, want one", issue.Key, len(issue.Links))
	for _, link := range issue.Links {
		p.expect(link.GlobalID == "dw:"+text(p.o.Incident), "the link's id is %s, want that of the incident", link.GlobalID)
		p.expect(strings.HasSuffix(link.URL, p.permalink()), "the link leads to %s, want the incident's thread %s", link.URL, p.permalink())
		p.recorded("ticket.link", link.GlobalID)
	}
}

// permalink is the path of the incident's thread in Slack, where its receipts are
// asked for.
func (p *promise) permalink() string {
	incident, _ := incidentCard(p.c.slack.Snapshot())
	return "/archives/" + incidentsID + "/p" + strings.ReplaceAll(incident.ts, ".", "")
}

// recorded: one receipt says that an errand was done, and names what it made.
func (p *promise) recorded(name, ref string) {
	var refs []string
	for _, e := range p.o.Errands {
		if e.Errand == name && e.State == "done" {
			refs = append(refs, e.Ref)
		}
	}
	p.expect(slices.Equal(refs, []string{ref}), "the receipts say that %s made %v, want [%s]", name, refs, ref)
}
