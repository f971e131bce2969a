package workflows

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dw/diagnosis"
	"dw/lineage"
)

// evidenceShown bounds how many pieces of evidence an order repeats.
const evidenceShown = 5

// order writes down what a courier is to carry for e.
func (s *Service) order(i Incident, proposals []Proposal, e Errand, now time.Time) Order {
	policy := s.policy(i.Domain)
	o := Order{
		Kind: e.Kind, Incident: i.ID, Mark: errandMark(i.ID, e), Service: policy.PageService,
		Project: e.Project, IssueType: policy.TicketType, MoveTo: policy.TicketMove, Source: string(i.Subject), Since: i.OpenedAt,
		Severity: severity(i), Title: errandTitle(i), Lines: orderLines(i, proposals, e, now), On: i.Page.ID,
	}
	if !e.onPage() {
		o.On = i.Ticket.ID
	}
	if e.Project == policy.TicketProject { // another project has other forms
		o.Request, o.Fields = policy.TicketRequest, policy.TicketFields
	}
	for _, p := range append([]Person{e.As, e.By, policy.Owner, policy.Deputy}, policy.Escalation...) {
		if p.User != "" && !slices.ContainsFunc(o.As, p.Same) {
			o.As = append(o.As, p)
		}
	}
	if s.permalink != nil && i.Card.TS != "" {
		o.Links = append(o.Links, OrderLink{Text: "Slack thread of " + i.ID, URL: s.permalink(i.Card)})
	}
	return o
}

// errandMark is by what the effect of an errand is found again.
func errandMark(incident string, e Errand) string {
	if e.Stage == "" {
		return "dw:" + incident
	}
	return "dw:" + incident + ":" + e.Stage
}

func errandTitle(i Incident) string {
	name := string(i.Subject)
	if at := strings.LastIndexAny(name, "./"); at >= 0 && at < len(name)-1 {
		name = name[at+1:]
	}
	state := ""
	if i.State == Resolved {
		state = " (resolved)"
	}
	return clean(fmt.Sprintf("[%s] %s%s: %s", i.Domain, name, state, titleText(i)))
}

// titleText says what is wrong, and why where that is known; at the end, what
// was: the numbers of a signal are not true then.
func titleText(i Incident) string {
	what := "is wrong"
	for _, s := range i.Signals {
		if s.Result.Message != "" {
			what = s.Result.Message
			break
		}
	}
	cause, named := diagnosis.Cause{}, false
	if i.Diagnosis != nil {
		cause, named = i.Diagnosis.Top()
	}
	switch {
	case named && i.State == Resolved:
		return cause.Title
	case named:
		return strings.TrimSuffix(what, ".") + ". " + cause.Title
	case i.State == Resolved:
		return "was wrong"
	}
	return what
}

// severity follows what the wrong numbers move.
func severity(i Incident) string {
	if i.Blast != nil && i.Blast.First != nil && i.Blast.First.Moves == "money" {
		return "critical"
	}
	return "error"
}

func orderLines(i Incident, proposals []Proposal, e Errand, now time.Time) []OrderLine {
	var lines []OrderLine
	add := func(label, text string) { lines = append(lines, OrderLine{label, clean(text)}) }
	add("Incident", i.ID+", "+string(i.State)+", in domain "+i.Domain)
	if e.Stage == stageExpired {
		add("Attention", "A request expired without a decision. Nothing was granted and nothing was done; the incident stays open.")
	}
	if !i.Onset.IsZero() {
		add("Since", clockText(i.Onset, now)+", noticed "+clockText(i.OpenedAt, now))
	}
	lines = append(lines, causeLines(i.Diagnosis)...)
	if i.Blast != nil {
		add("Blast radius", lineage.OneLine(*i.Blast, now))
	}
	if i.Harm != nil {
		add("Harmed", fmt.Sprintf("%d %s, read at %s", i.Harm.Count, i.Harm.Unit, clockText(i.Harm.At, now)))
	}
	for n, p := range proposals {
		add(fmt.Sprintf("Request %d", n+1), p.Title+": "+requestText(p))
	}
	if i.State == Resolved {
		add("Resolved", "at "+clockText(i.ResolvedAt, now)+endText(i))
	}
	return lines
}

func causeLines(d *diagnosis.Diagnosis) []OrderLine {
	if d == nil {
		return []OrderLine{{"Cause", "being looked into"}}
	}
	top, named := d.Top()
	if !named {
		return []OrderLine{{"Cause", clean(d.Verdict)}}
	}
	lines := []OrderLine{{"Cause", clean(top.Title + ". " + top.Why)}}
	evidence := append(slices.Clone(top.Evidence), d.Evidence...)
	if n := len(evidence); n > 0 {
		lines = append(lines, OrderLine{"Evidence", fmt.Sprintf("%d facts, of which here: %d", n, min(n, evidenceShown))})
	}
	for n, e := range evidence {
		if n == evidenceShown {
			break
		}
		lines = append(lines, OrderLine{"Evidence", clean(fmt.Sprintf("%s %s (%s)", e.What, e.Value, e.Source))})
	}
	return lines
}

func requestText(p Proposal) string {
	var text strings.Builder
	text.WriteString(strings.ReplaceAll(string(p.State), "_", " "))
	for _, d := range p.Decisions {
		fmt.Fprintf(&text, ", %s by %s", d.Verdict, d.By.shown())
	}
	if p.State == Waiting {
		text.WriteString(" for " + linksText(p.Asked()))
	}
	return text.String()
}

func endText(i Incident) string {
	if i.Verification != nil && i.Verification.OK {
		return fmt.Sprintf(", verified by %d results", len(i.Verification.Results))
	}
	return ", every check passes again without a change by dw"
}
