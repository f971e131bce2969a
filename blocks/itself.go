package blocks

import (
	"fmt"
	"strings"

	"dw/workflows"

	"github.com/slack-go/slack"
)

// itselfLines say what dw began without a person, by which right and how it is
// taken back; or that it is about to; or why it asks although it was opened.
func itselfLines(p workflows.Proposal, v View) []line {
	it := p.Itself
	switch {
	case it == nil:
		return nil
	case p.ByItself():
		right := fmt.Sprintf(" at %s, %s; playbook %s", it.Level, it.SetBy, p.Playbook)
		return []line{
			{bold("dw did this by itself: "), text("nobody decided it, begun "), at(it.At, v.Now, v.Zone), text(right)},
			{bold("Undo, recorded before: "), text(undoText(p))},
		}
	case p.Offered():
		return []line{{bold("By itself: "), text(fmt.Sprintf("dw begins this at once, at %s (%s), unless what it reads has changed; a decision before that counts", it.Level, it.SetBy))}}
	case it.Declined != "":
		return []line{{bold("Asked, though opened for dw: "), text(it.Declined)}}
	}
	return nil
}

func undoText(p workflows.Proposal) string {
	var undo []string
	for _, s := range p.Plan {
		if s.UndoAction != nil {
			undo = append(undo, strings.TrimSuffix(s.Undo, "."))
		}
	}
	return strings.Join(undo, "; ")
}

// itselfActions let people of the chain take back what dw did by itself.
func itselfActions(p workflows.Proposal) []slack.BlockElement {
	if !p.TakesBack() {
		return nil
	}
	return []slack.BlockElement{confirmed(p, ActionRollBack, "Roll back",
		"dw takes back what it did by itself, by the undo that was recorded before. You are recorded as who chose it, and dw does not do it again in this incident.", "Roll back", slack.StyleDanger)}
}

// confirmed is a button on a proposal behind a question.
func confirmed(p workflows.Proposal, action, label, question, yes string, style slack.Style) slack.BlockElement {
	b := button(action, DecisionValue(p), label, style)
	b.Confirm = slack.NewConfirmationBlockObject(plain(label+"?", maxConfirmTitle), plain(question, maxConfirm), plain(yes, maxConfirmButton), plain("Back", maxConfirmButton))
	return b
}
