package blocks

import (
	"fmt"
	"strings"

	"dw/receipts"
	"dw/workflows"

	"github.com/slack-go/slack"
)

// ChangeCard is the message of a proposal about dw's own policy, such as lifting
// the stop: what is asked, by whom and why, who can decide, until when.
func ChangeCard(p workflows.Proposal, v View) Message {
	header := approvalHeader(workflows.Incident{}, p)
	lines := []line{}
	if v.Stop.On {
		lines = append(lines, stopLine(v))
	}
	lines = append(lines, askerLine(p))
	if p.Change != nil && p.Change.Reason != "" {
		lines = append(lines, line{bold("Why: "), text(p.Change.Reason)})
	}
	lines = append(lines, append(line{bold("State: ")}, stateLine(p, v)...))
	if p.State == workflows.Waiting {
		lines = append(lines, waitingLine(p, v))
	}
	blocks := []slack.Block{
		slack.NewHeaderBlock(plain(header, maxHeader)), rich("ask", lines...),
	}
	blocks = append(append(blocks, changeBlocks(p, v)...), rich("foot", footLines(p, v)...))
	if actions := approvalActions(p); len(actions) > 0 {
		blocks = append(blocks, slack.NewActionBlock(fmt.Sprintf("proposal_actions_%d", p.Rev), actions...))
	}
	return Message{Text: changeText(header, p, v), Blocks: fit(blocks)}
}

func changeText(header string, p workflows.Proposal, v View) string {
	parts := []string{header}
	if p.Proposer.Kind == receipts.ActorHuman {
		parts = append(parts, "Asked by "+nameOf(workflows.Person{User: p.Proposer.User, Name: p.Proposer.Name}))
	}
	if p.Change != nil && len(p.Change.Terms) > 0 {
		parts = append(parts, workflows.TermsText(p.Change.Terms))
	}
	if p.State == workflows.Waiting {
		parts = append(parts, deciderText(p, v, " or "))
	}
	return escape(clean(strings.Join(parts, ". ")+".", 900))
}

// stopLine says that dw is stopped, by whom and why.
func stopLine(v View) line {
	now := v.Now
	if v.Zone != nil {
		now = now.In(v.Zone)
	}
	return line{bold("Stopped: "), text(v.Stop.Text(now) + ". Nothing new starts until the stop is lifted.")}
}
