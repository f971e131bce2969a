package blocks

import (
	"fmt"
	"slices"
	"strings"

	"dw/diagnosis"
	"dw/receipts"
	"dw/workflows"

	"github.com/slack-go/slack"
)

// maxDiff is how much of a diff one card shows; the rest is named, and the
// whole diff is in the proposal's receipt.
const maxDiff = 2600

// ApprovalCard is the message of one proposal: what is asked, of whom, until
// when, each step with who carries it out and its undo, and the fingerprint
// that the receipt repeats.
func ApprovalCard(i workflows.Incident, p workflows.Proposal, v View) Message {
	blocks := []slack.Block{
		slack.NewHeaderBlock(plain(approvalHeader(i, p), maxHeader)),
		rich("ask", askLines(i, p, v)...),
	}
	if v.Stop.On && !p.State.Final() {
		blocks = append(blocks, rich("stop", stopLine(v)))
	}
	room := maxDiff
	for n := range p.Plan {
		blocks = append(blocks, stepBlocks(p, n, v, &room)...)
	}
	blocks = append(blocks, rich("foot", footLines(p, v)...))
	if actions := approvalActions(p); len(actions) > 0 {
		blocks = append(blocks, slack.NewActionBlock(fmt.Sprintf("proposal_actions_%d", p.Rev), actions...))
	}
	return Message{Text: approvalText(i, p, v), Blocks: fit(blocks)}
}

func approvalHeader(i workflows.Incident, p workflows.Proposal) string {
	title := p.Title
	if n := slices.Index(i.Proposals, p.ID); n >= 0 {
		title = fmt.Sprintf("P%d %s", n+1, p.Title)
	}
	switch p.State {
	case workflows.Waiting:
		if p.Offered() {
			return "About to begin by itself: " + title
		}
		return "Approval needed: " + title
	case workflows.Approved, workflows.Executing:
		if p.ByItself() {
			return "By dw itself: " + title
		}
		return "Approved: " + title
	case workflows.Verified:
		if p.Change != nil {
			return "In force: " + title
		}
		return "Verified: " + title
	default:
		state := strings.ReplaceAll(string(p.State), "_", " ")
		return strings.ToUpper(state[:1]) + state[1:] + ": " + title
	}
}

func askLines(i workflows.Incident, p workflows.Proposal, v View) []line {
	lines := []line{{bold("For: "), text(headline(i) + " · "), code(i.ID)}, harmLine(i, v)}
	lines = append(lines, append(line{bold("State: ")}, stateLine(p, v)...))
	if p.State == workflows.Waiting {
		lines = append(lines, waitingLine(p, v))
	}
	lines = append(lines, itselfLines(p, v)...)
	lines = append(lines, choiceLines(p, v)...)
	if len(p.CC) > 0 {
		lines = append(lines, append(line{bold("Told, cannot decide: ")}, userList(p.CC)...))
	}
	if p.Solo {
		lines = append(lines, line{bold("Solo mode: "), text("one person runs and approves this domain")})
	}
	lines = append(lines, authorLines(p)...)
	for _, problem := range v.Unresolved {
		lines = append(lines, line{bold("Approver not found: "), text(problem)})
	}
	return lines
}

// stateLine says who decided what and when, or who is asked.
func stateLine(p workflows.Proposal, v View) line {
	if p.State == workflows.Waiting {
		return append(line{text("waits for ")}, userList(asked(p))...)
	}
	l := line{text(strings.ReplaceAll(string(p.State), "_", " "))}
	for _, d := range p.Decisions {
		verb := " · approved by "
		if d.Verdict == workflows.Reject {
			verb = " · rejected by "
		}
		l = append(l, text(verb), mention(d.By))
		if d.For.User != "" {
			l = append(l, text(" for "), mention(d.For))
		}
		l = append(l, text(" ("+string(d.Role)+") at "), at(d.At, v.Now, v.Zone))
		if d.Reason != "" {
			l = append(l, text(": "+d.Reason))
		}
		if !d.RevokedAt.IsZero() {
			l = append(l, text(", revoked at "), at(d.RevokedAt, v.Now, v.Zone))
		}
	}
	if !p.UndoneAt.IsZero() {
		l = append(l, text(" · undone "), at(p.UndoneAt, v.Now, v.Zone))
	}
	return l
}

func asked(p workflows.Proposal) []workflows.Person {
	return people(p.Asked())
}

func people(links []workflows.Link) []workflows.Person {
	out := make([]workflows.Person, len(links))
	for n, link := range links {
		out[n] = link.Person
	}
	return out
}

// waitingLine says until when, who is asked next, and that silence grants nothing.
func waitingLine(p workflows.Proposal, v View) line {
	l := line{bold("Until: "), at(p.Clocks.ExpiresAt, v.Now, v.Zone)}
	if next := p.Next(); len(next) > 0 && !p.Clocks.EscalateAt.IsZero() {
		l = append(l, text(", next asked at "), at(p.Clocks.EscalateAt, v.Now, v.Zone), text(": "))
		l = append(l, userList(people(next))...)
		l = append(l, text(" ("+next[0].As()+")"))
	}
	if p.Quorum > 1 {
		l = append(l, text(fmt.Sprintf(" · needs %d different people, has %d", p.Quorum, p.Approvals())))
	}
	return append(l, text(" · never auto-granted"))
}

func stepBlocks(p workflows.Proposal, n int, v View, room *int) []slack.Block {
	step, status := p.Plan[n], p.Steps[n]
	title := line{bold(fmt.Sprintf("%d. %s ", n+1, step.Title)), text("(" + byWord(p, step) + ") · " + stepWord(status))}
	if status.RunID != "" {
		title = append(title, text(" · run "), code(status.RunID))
	}
	lines := []line{title}
	if status.Observed != "" {
		lines = append(lines, line{text("Seen: " + status.Observed)})
	}
	if status.Problem != "" {
		lines = append(lines, line{bold("Problem: "), text(status.Problem)})
	}
	if said := undoWord(status); said != "" {
		lines = append(lines, line{text(said)})
	}
	if status.By.User != "" {
		lines = append(lines, line{text("Marked done by "), mention(status.By)})
	}
	if step.Reason != "" {
		lines = append(lines, line{bold("Mind: "), text(step.Reason)})
	}
	if l := readLine(p, n, v); l != nil {
		lines = append(lines, l)
	}
	lines = append(lines, line{text("Undo: " + step.Undo + reversibleWord(step))})
	blocks := []slack.Block{rich(fmt.Sprintf("step_%d_%d", n, p.Rev), lines...)}
	if step.Diff != "" && p.State != workflows.Verified {
		blocks = append(blocks, diffBlock(step, n, p.Rev, room))
	}
	if b := stepButton(p, n); b != nil {
		blocks = append(blocks, slack.NewActionBlock(fmt.Sprintf("step_actions_%d_%d", n, p.Rev), b))
	}
	return blocks
}

// byWord names who carries a step out: dw, or the first person of the chain.
func byWord(p workflows.Proposal, step diagnosis.PlannedStep) string {
	if step.By == diagnosis.ByDW {
		return "dw does it"
	}
	if len(p.Chain) > 0 {
		return nameOf(p.Chain[0].Person) + " does it"
	}
	return "the owner does it"
}

func stepWord(s workflows.StepStatus) string {
	switch s.State {
	case workflows.StepPending:
		return "not started"
	case workflows.StepWaiting:
		return "waits for the owner"
	case workflows.StepUndone:
		return "done, and undone later"
	default:
		return string(s.State)
	}
}

func reversibleWord(step diagnosis.PlannedStep) string {
	if step.Reversible {
		return ""
	}
	return " (not reversible)"
}

// diffBlock shows what room is left for, and says how much is left out.
func diffBlock(step diagnosis.PlannedStep, n int, rev int64, room *int) slack.Block {
	body := step.Diff
	if shown := []rune(body); len(shown) > *room {
		body = string(shown[:*room])
		left := strings.Count(step.Diff[len(body):], "\n")
		body += fmt.Sprintf("\n%s %d more lines: the receipt proposal.created of this proposal has the whole diff", ellipsis, left)
		*room = 200
	} else {
		*room -= len(shown)
	}
	return preformatted(fmt.Sprintf("diff_%d_%d", n, rev), body, maxDiff+120)
}

func stepButton(p workflows.Proposal, n int) *slack.ButtonBlockElement {
	step, status := p.Plan[n], p.Steps[n]
	switch {
	case status.State == workflows.StepWaiting && step.By == diagnosis.ByOwner:
		return button(stepAction(ActionDone, n), StepValue(p, n), "Mark done", slack.StylePrimary)
	case status.State == workflows.StepDone && status.Undo != nil && status.Undo.State == workflows.StepWaiting && p.State == workflows.Halted:
		return button(stepAction(ActionUndone, n), StepValue(p, n), "Mark undone: "+step.Undo, slack.StyleDefault)
	case status.State == workflows.StepDone && step.UndoAction != nil && step.Kind == diagnosis.Hold && p.State == workflows.Verified:
		return button(stepAction(ActionUndone, n), StepValue(p, n), "Mark undone: "+step.Undo, slack.StyleDefault)
	default:
		return nil
	}
}

func footLines(p workflows.Proposal, v View) []line {
	foot := line{
		text("Proposal "), code(p.ID), text(" · fingerprint "), code(p.Fingerprint()), text(" · made "),
		at(p.CreatedAt, v.Now, v.Zone), text(" by " + p.Proposer.Kind),
	}
	if !p.Clocks.ExecuteBefore.IsZero() {
		foot = append(foot, text(" · each step must start before "), at(p.Clocks.ExecuteBefore, v.Now, v.Zone))
	}
	if len(p.After) > 0 {
		foot = append(foot, text(" · starts only after "+strings.Join(p.After, ", ")))
	}
	return []line{foot}
}

func approvalActions(p workflows.Proposal) []slack.BlockElement {
	var out []slack.BlockElement
	switch p.State {
	case workflows.Waiting:
		out = append(out,
			button(ActionApprove, DecisionValue(p), "Approve", slack.StylePrimary),
			button(ActionReject, DecisionValue(p), "Reject", slack.StyleDanger))
		if p.Proposer.Kind == receipts.ActorHuman {
			out = append(out, button(ActionWithdraw, DecisionValue(p), "Withdraw my request", slack.StyleDefault))
		}
	case workflows.Approved:
		out = append(out, button(ActionRevoke, DecisionValue(p), "Revoke my approval", slack.StyleDefault))
	case workflows.Executing:
		out = itselfActions(p)
	case workflows.Halted:
		out = haltedActions(p)
	}
	return out
}

func approvalText(i workflows.Incident, p workflows.Proposal, v View) string {
	parts := []string{approvalHeader(i, p), "For: " + headline(i) + ", since " + onsetText(i, v), harmText(i, v)}
	if p.ByItself() {
		parts = append(parts, "dw did this by itself, at "+p.Itself.Level.String()+"; undo: "+undoText(p))
	}
	if p.State == workflows.Waiting {
		parts = append(parts, deciderText(p, v, ", "))
	}
	return escape(clean(strings.Join(parts, ". ")+".", 900))
}

// deciderText says who decides, until when; between stands between two names.
func deciderText(p workflows.Proposal, v View, between string) string {
	names := []string{}
	for _, person := range asked(p) {
		names = append(names, nameOf(person))
	}
	return "Decides: " + strings.Join(names, between) + ", until " + clock(p.Clocks.ExpiresAt, v.Now, v.Zone) + ", never auto-granted"
}
