package workflows

import (
	"fmt"
	"strings"
	"time"

	"dw/diagnosis"
)

// actedText tells in the thread what dw has begun without a person, by which
// right, and how it is taken back.
func actedText(p Proposal) string {
	var doing, undo []string
	for _, s := range p.Plan {
		if s.Kind != diagnosis.Verify {
			doing = append(doing, strings.TrimSuffix(s.Title, "."))
			undo = append(undo, strings.TrimSuffix(s.Undo, "."))
		}
	}
	return fmt.Sprintf("dw began %q (%s) by itself, without a decision: %s. Level %s, %s; playbook %s. Undo, recorded before: %s. Roll back on its card takes it back (%s), and the stop keeps dw from more of it.",
		p.Title, p.Fingerprint(), joinAnd(doing), p.Itself.Level, p.Itself.SetBy, p.Playbook, joinAnd(undo), linksText(p.Chain))
}

func declinedText(p Proposal, now time.Time) string {
	return fmt.Sprintf("dw does not begin %q by itself: %s. ", p.Title, strings.TrimSuffix(p.Itself.Declined, ".")) + askText([]Proposal{p}, now)
}
