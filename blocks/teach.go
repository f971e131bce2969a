package blocks

import (
	"fmt"
	"strings"

	"dw/checks"
	"dw/workflows"

	"github.com/slack-go/slack"
)

// teachBlocks ask what a finding of the detector was, and whether a new level is
// usual, until somebody has said so.
func teachBlocks(i workflows.Incident, v View) []slack.Block {
	var out []slack.Block
	if said := saidLines(i, v); len(said) > 0 {
		out = append(out, rich("said", said...))
	}
	if q, open := i.LevelOpen(); open && i.State != workflows.Resolved {
		value := TeachValue(i.ID, q.Check)
		out = append(out, rich("level", line{bold("New normal? "), code(q.Check), text(fmt.Sprintf(" has been at about %.2f times its old level for days. Without an answer the old level stays.", q.Times))}),
			slack.NewActionBlock("level_actions",
				button(ActionNewLevel, value, "New normal", slack.StyleDefault),
				button(ActionOldLevel, value, "No, a fault", slack.StyleDefault)))
	}
	if check, open := i.Unsaid(); open {
		value := TeachValue(i.ID, check)
		out = append(out, rich("teach", line{bold("Was it one? "), text("The detector found this in "), code(check), text("; your answer trains it.")}),
			slack.NewActionBlock("teach_actions",
				button(ActionReal, value, "Real fault", slack.StyleDefault),
				button(ActionExpected, value, "Expected", slack.StyleDefault),
				button(ActionOneOff, value, "One-off event", slack.StyleDefault)))
	}
	return out
}

// saidLines list what people have said of the detector's findings.
func saidLines(i workflows.Incident, v View) []line {
	var out []line
	for _, s := range i.Said {
		what := checks.Answer{Word: s.Word}.Words()
		if s.OfLevel && s.Word == checks.AnswerReal {
			what = "not the new level"
		}
		out = append(out, line{bold("Said: "), code(s.Check), text(" is " + what + ", by "), mention(s.By), text(", "), at(s.At, v.Now, v.Zone)})
	}
	return out
}

// TeachValue is the value of the buttons about a check's finding in an incident.
// Names of checks can be longer than Slack's values.
func TeachValue(incident, check string) string {
	return incident + "|" + workflows.CheckKey(check)
}

// ParseTeach reads it: the incident, and the key of the check. A value that dw did
// not write is an error.
func ParseTeach(value string) (incident, key string, err error) {
	incident, key, found := strings.Cut(value, "|")
	if !found || incident == "" || len(key) != len(workflows.CheckKey("")) {
		return "", "", fmt.Errorf("a value of these buttons names an incident and the key of a check, not %q", value)
	}
	return incident, key, nil
}
