package blocks

import (
	"fmt"
	"strings"

	"dw/workflows"

	"github.com/slack-go/slack"
)

// haltedActions are what a person of the chain may choose for a halted run, each
// behind a question.
func haltedActions(p workflows.Proposal) []slack.BlockElement {
	if !p.Choosable() {
		return nil
	}
	return []slack.BlockElement{
		confirmed(p, ActionRenew, "Ask anew", "The steps that are left become a new request on the facts as they are now, which somebody approves first. What is done stays.", "Ask anew", slack.StylePrimary),
		confirmed(p, ActionRollBack, "Roll back", "The recorded undo of each step that is done is carried out, the last step first. You are recorded as who chose it.", "Roll back", slack.StyleDanger),
		confirmed(p, ActionGiveUp, "Let it fail", "The request ends as failed. What is done stays; the undo of each step stands on this card.", "Let it fail", slack.StyleDefault),
	}
}

// choiceLines say what was chosen for a halted run, by whom, and what became of it.
func choiceLines(p workflows.Proposal, v View) []line {
	var out []line
	for _, c := range p.Choices {
		l := line{bold("Chosen: "), text(choiceWord(c.What) + " by "), mention(c.By), text(" (" + string(c.Role) + ") at "), at(c.At, v.Now, v.Zone)}
		if c.By.User == "" {
			l = line{bold("Chosen: "), text(choiceWord(c.What) + " by dw itself, by the recorded undo, at "), at(c.At, v.Now, v.Zone)}
		}
		if c.Ended != "" {
			l = append(l, text(" · "+c.Ended))
		}
		out = append(out, l)
	}
	if p.Choosable() {
		out = append(out, line{bold("To choose: "), text("ask anew for what is left, roll back, or let it fail. Nothing happens by itself.")})
	}
	if p.ReplacedBy != "" {
		out = append(out, line{text("Asked anew as "), code(p.ReplacedBy)})
	}
	return out
}

func choiceWord(v workflows.Verdict) string { return strings.ReplaceAll(string(v), "_", " ") }

// undoWord says where the roll back of a step stands, empty where none began.
func undoWord(s workflows.StepStatus) string {
	u := s.Undo
	if u == nil || s.State == workflows.StepUndone {
		return ""
	}
	said := "roll back: " + stepWord(*u)
	if u.Problem != "" {
		said += fmt.Sprintf(" (%s)", u.Problem)
	}
	return said
}
