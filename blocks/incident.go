package blocks

import (
	"fmt"
	"sort"
	"strings"

	"dw/checks"
	"dw/diagnosis"
	"dw/workflows"

	"github.com/slack-go/slack"
)

// IncidentCard is the one message of an incident; it is updated in place. Its
// text answers, within its first 300 characters: what broke, since when, who is
// harmed when, who decides.
func IncidentCard(i workflows.Incident, proposals []workflows.Proposal, v View) Message {
	headline := headline(i)
	blocks := []slack.Block{slack.NewHeaderBlock(plain(stateWord(i)+": "+headline, maxHeader))}
	if v.Problem != "" {
		blocks = append(blocks, rich("problem", line{bold("Attention: "), text(v.Problem)}))
	}
	if v.Stop.On && i.State != workflows.Resolved {
		blocks = append(blocks, rich("stop", stopLine(v)))
	}
	if held := heldLines(v); len(held) > 0 && i.State != workflows.Resolved {
		blocks = append(blocks, rich("held", held...))
	}
	blocks = append(blocks, rich("facts", factLines(i, proposals, v)...))
	if block := proposalSummary(i, proposals, v); block != nil {
		blocks = append(blocks, block)
	}
	if actions := incidentActions(i, v); len(actions) > 0 {
		blocks = append(blocks, slack.NewActionBlock("incident_actions", actions...))
	}
	blocks = append(blocks, teachBlocks(i, v)...)
	blocks = append(blocks, rich("foot", line{
		text("Incident "), code(i.ID), text(" · domain "), text(i.Domain + " "),
		text(fmt.Sprintf("at L%d · updated ", i.Level)), at(i.UpdatedAt, v.Now, v.Zone),
		text(" · evidence and history in the thread"),
	}))
	return Message{Text: incidentText(i, proposals, headline, v), Blocks: fit(blocks)}
}

func incidentActions(i workflows.Incident, v View) []slack.BlockElement {
	var out []slack.BlockElement
	if i.State == workflows.Open {
		out = append(out, button(ActionAcknowledge, i.ID, "I'm on it", slack.StyleDefault))
	}
	if v.CanPage {
		out = append(out, button(ActionPage, i.ID, "Page on-call", slack.StyleDefault))
	}
	if v.CanTicket {
		out = append(out, button(ActionTicket, i.ID, "Open a ticket", slack.StyleDefault))
	}
	return out
}

func stateWord(i workflows.Incident) string {
	switch i.State {
	case workflows.Resolved:
		if i.MergedInto != "" {
			return "Joined " + i.MergedInto
		}
		return "Resolved"
	case workflows.Verifying:
		return "Verifying"
	case workflows.Mitigating:
		return "Being fixed"
	case workflows.Acknowledged:
		return "In work"
	default:
		return "Incident"
	}
}

// headline says what broke, in one phrase.
func headline(i workflows.Incident) string {
	r, ok := lead(i)
	if !ok {
		return shortName(i.Subject) + " failed a check"
	}
	name := shortName(i.Subject)
	if off, ok := r.PercentOff(); ok && r.Kind == "volume" {
		word := "over"
		if off < 0 {
			word, off = "short", -off
		}
		if i.State == workflows.Resolved && i.MergedInto == "" {
			return fmt.Sprintf("%s is right again, was %.0f %% %s", name, off, word)
		}
		return fmt.Sprintf("%s is %.0f %% %s", name, off, word)
	}
	if r.Message != "" {
		return name + ": " + strings.TrimSuffix(r.Message, ".")
	}
	return name + " failed " + r.Check
}

// lead is the signal that the headline is about: the first on the subject, else
// the first.
func lead(i workflows.Incident) (checks.Result, bool) {
	for _, s := range i.Signals {
		if s.Result.Asset == i.Subject {
			return s.Result, true
		}
	}
	if len(i.Signals) == 0 {
		return checks.Result{}, false
	}
	return i.Signals[0].Result, true
}

func factLines(i workflows.Incident, proposals []workflows.Proposal, v View) []line {
	lines := []line{}
	if r, ok := lead(i); ok {
		lines = append(lines, whatLine(r, v))
	}
	if i.AckedBy.User != "" && i.State != workflows.Resolved {
		lines = append(lines, line{bold("On it: "), mention(i.AckedBy)})
	}
	lines = append(lines, sinceLine(i, v), whyLine(i), harmLine(i, v), decidesLine(i, proposals, v))
	lines = append(lines, controlLines(i)...)
	for _, problem := range v.Unresolved {
		lines = append(lines, line{bold("Approver not found: "), text(problem)})
	}
	if i.State == workflows.Resolved {
		lines = append(lines, resolvedLine(i, v))
	}
	return lines
}

// controlLines say who looks after the incident, and what stands in the pager
// and the tracker.
func controlLines(i workflows.Incident) []line {
	var lines []line
	if i.AckedBy.User != "" {
		lines = append(lines, line{bold("In work by: "), text(nameOf(i.AckedBy))})
	}
	for _, ref := range []struct {
		label string
		workflows.Reference
	}{{"Page: ", i.Page}, {"Ticket: ", i.Ticket}} {
		if ref.ID == "" {
			continue
		}
		l := line{bold(ref.label), code(ref.ID)}
		if state := ref.State; state != "" {
			if ref.By != "" {
				state += " by " + ref.By
			}
			l = append(l, text(" · "+state))
		}
		if ref.URL != "" {
			l = append(l, text(" · "+ref.URL))
		}
		lines = append(lines, l)
	}
	for _, system := range []struct {
		name string
		page bool
	}{{"the pager", true}, {"the tracker", false}} {
		if n, problem := i.Undone(system.page); n > 0 {
			lines = append(lines, line{bold("Not done in " + system.name + ": "), text(fmt.Sprintf("%d, the last because %s", n, problem))})
		}
	}
	return lines
}

// whatLine shows the number with its source and its age.
func whatLine(r checks.Result, v View) line {
	l := line{bold("What: "), text(r.Message)}
	if r.Observed != nil {
		l = append(l, text(" ("+r.Observed.Source+", read "), at(r.Observed.At, v.Now, v.Zone), text(")"))
	}
	if r.Tool != "" {
		l = append(l, text(" (said by "+r.Tool+" "), at(r.At, v.Now, v.Zone), text(")"))
	}
	return l
}

func sinceLine(i workflows.Incident, v View) line {
	if i.Onset.IsZero() {
		return line{bold("Since: "), text("unknown; noticed "), at(i.OpenedAt, v.Now, v.Zone)}
	}
	return line{bold("Since: "), at(i.Onset, v.Now, v.Zone), text(", noticed "), at(i.OpenedAt, v.Now, v.Zone)}
}

func whyLine(i workflows.Incident) line {
	if i.Diagnosis == nil {
		return line{bold("Why: "), text("being looked into")}
	}
	if cause, ok := i.Diagnosis.Top(); ok {
		return line{bold("Why: "), text(causeText(cause)), text(". " + cause.Why)}
	}
	return line{bold("Why: "), text(i.Diagnosis.Verdict)}
}

func causeText(c diagnosis.Cause) string {
	return strings.TrimSpace(c.Title + " " + segmentText(c.Segment))
}

func segmentText(segment map[string]string) string {
	if len(segment) == 0 {
		return ""
	}
	parts := make([]string, 0, len(segment))
	for dimension, value := range segment {
		parts = append(parts, dimension+"="+value)
	}
	sort.Strings(parts)
	return "(" + strings.Join(parts, ", ") + ")"
}

func harmLine(i workflows.Incident, v View) line {
	if i.Blast == nil {
		return line{bold("First harm: "), text("not known yet")}
	}
	first := i.Blast.First
	if first == nil {
		l := line{bold("First harm: "), text("no consumer with a known schedule")}
		if n := len(i.Blast.Unknowns); n > 0 {
			l = append(l, text(fmt.Sprintf(" (%d not known: %s)", n, i.Blast.Unknowns[0])))
		}
		return l
	}
	when, _ := first.HarmAt()
	l := line{bold("First harm: "), at(when, v.Now, v.Zone), text(" by "), code(first.Name)}
	if i.Harm != nil && i.Harm.Count == 0 {
		// A zero says what the query counts, not that nobody is harmed.
		l = append(l, text(" (how many is not known: the harm query of "+shortName(i.Harm.Asset)+" counts none)"))
	} else if i.Harm != nil {
		l = append(l, text(fmt.Sprintf(", %d %s (harm query of %s, read ", i.Harm.Count, i.Harm.Unit, shortName(i.Harm.Asset))),
			at(i.Harm.At, v.Now, v.Zone), text(")"))
	}
	if first.Moves != "" {
		l = append(l, text(", moves "+first.Moves))
	}
	if first.Owner != "" {
		l = append(l, text(", owner "+first.Owner))
	}
	return l
}

// decidesLine names who is asked now.
func decidesLine(i workflows.Incident, proposals []workflows.Proposal, v View) line {
	if asked := askedNow(proposals); len(asked) > 0 {
		return append(line{bold("Decides: ")}, append(userList(asked), text(" · never auto-granted"))...)
	}
	switch {
	case i.State == workflows.Resolved:
		return line{bold("Decided by: "), text(deciders(proposals))}
	case workflows.Autonomy(i.Level, false, false, workflows.Act{Deed: workflows.DeedPropose}).Permission != workflows.Ask:
		return line{bold("Decides: "), text(fmt.Sprintf("nobody is asked at L%d; the owner is ", i.Level)), mention(v.Owner)}
	case len(proposals) > 0:
		return line{bold("Decided: "), text(outcome(proposals))}
	default:
		return line{bold("Decides: "), mention(v.Owner), text(", nothing is asked yet")}
	}
}

// outcome says how the requests of an open incident ended, when none waits.
func outcome(proposals []workflows.Proposal) string {
	carried, who := 0, deciders(proposals)
	for _, p := range proposals {
		switch p.State {
		case workflows.Approved, workflows.Executing, workflows.Verified:
			carried++
		}
	}
	if carried == 0 {
		return "no request is open and none is carried out; nobody is asked (" + who + ")"
	}
	return fmt.Sprintf("%d of %d approved and carried out (%s)", carried, len(proposals), who)
}

// askedNow lists the people with a request that waits, each once.
func askedNow(proposals []workflows.Proposal) []workflows.Person {
	var out []workflows.Person
	seen := map[string]bool{}
	for _, p := range proposals {
		if p.State != workflows.Waiting || p.Offered() {
			continue
		}
		for _, link := range p.Chain {
			if !link.AskedAt.IsZero() && !seen[link.User] {
				seen[link.User] = true
				out = append(out, link.Person)
			}
		}
	}
	return out
}

func deciders(proposals []workflows.Proposal) string {
	seen := map[string]bool{}
	var out []string
	for _, p := range proposals {
		if p.ByItself() && !seen["dw"] {
			seen["dw"] = true
			out = append(out, "dw by itself, at "+p.Itself.Level.String())
		}
		for _, d := range p.Decisions {
			if !seen[d.By.User] {
				seen[d.By.User] = true
				out = append(out, nameOf(d.By))
			}
		}
	}
	if len(out) == 0 {
		return "no decision was made"
	}
	return strings.Join(out, ", ")
}

func nameOf(p workflows.Person) string {
	if p.Name != "" {
		return p.Name
	}
	if p.User != "" {
		return p.User
	}
	return "nobody"
}

func resolvedLine(i workflows.Incident, v View) line {
	if i.MergedInto != "" {
		return line{bold("Joined: "), code(i.MergedInto), text(", which has the same cause and goes on, "), at(i.ResolvedAt, v.Now, v.Zone)}
	}
	l := line{bold("Resolved: "), at(i.ResolvedAt, v.Now, v.Zone)}
	if i.Verification != nil && i.Verification.OK {
		l = append(l, text(fmt.Sprintf(", %d checks asked again and passed, read ", len(i.Verification.Results))),
			at(i.Verification.At, v.Now, v.Zone))
	}
	return l
}

func proposalSummary(_ workflows.Incident, proposals []workflows.Proposal, v View) slack.Block {
	if len(proposals) == 0 {
		return nil
	}
	items := make([]line, 0, len(proposals))
	for n, p := range proposals {
		items = append(items, append(line{bold(fmt.Sprintf("P%d ", n+1)), text(p.Title + " · ")}, stateLine(p, v)...))
	}
	return list("proposals", items...)
}

func incidentText(i workflows.Incident, proposals []workflows.Proposal, headline string, v View) string {
	parts := []string{headline + ", since " + onsetText(i, v)} // answers come first: notifications are cut
	if i.State == workflows.Resolved {
		parts[0] = stateWord(i) + " " + clock(i.ResolvedAt, v.Now, v.Zone) + ": " + parts[0]
	}
	parts = append(parts, harmText(i, v), decidesText(i, proposals, v))
	if i.Diagnosis != nil {
		if cause, ok := i.Diagnosis.Top(); ok {
			parts = append(parts, "Cause: "+causeText(cause))
		} else {
			parts = append(parts, i.Diagnosis.Verdict)
		}
	}
	return escape(clean(strings.Join(parts, ". ")+".", 900))
}

func onsetText(i workflows.Incident, v View) string {
	if i.Onset.IsZero() {
		return "an unknown time (noticed " + clock(i.OpenedAt, v.Now, v.Zone) + ")"
	}
	return clock(i.Onset, v.Now, v.Zone)
}

func harmText(i workflows.Incident, v View) string {
	if i.Blast == nil || i.Blast.First == nil {
		return "First harm: not known"
	}
	when, _ := i.Blast.First.HarmAt()
	out := "First harm " + clock(when, v.Now, v.Zone) + " by " + clean(i.Blast.First.Name, 60)
	if i.Harm != nil && i.Harm.Count > 0 {
		out += fmt.Sprintf(" (%d %s)", i.Harm.Count, i.Harm.Unit)
	}
	return out
}

func decidesText(i workflows.Incident, proposals []workflows.Proposal, v View) string {
	if asked := askedNow(proposals); len(asked) > 0 {
		names := make([]string, len(asked))
		for n, p := range asked {
			names[n] = nameOf(p)
		}
		return "Decides: " + clean(strings.Join(names, ", "), 80)
	}
	if i.State == workflows.Resolved {
		return "Decided by " + clean(deciders(proposals), 80)
	}
	if len(proposals) > 0 {
		return "Decided: " + clean(outcome(proposals), 120)
	}
	return "Decides: " + clean(nameOf(v.Owner), 60)
}
