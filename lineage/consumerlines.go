package lineage

import (
	"fmt"
	"time"
)

// Lines lists the consumers of a blast radius in its order, a line of plain text
// each, as of now: what it is, when it reads the bad data and why then, who owns
// it, and its score.
func (b BlastRadius) Lines(now time.Time) []string {
	lines := make([]string, len(b.Consumers))
	for i, c := range b.Consumers {
		line := fmt.Sprintf("%s (%s) %s", PlainName(c.Name), PlainName(string(c.Kind)), c.readsText(now))
		if c.Owner != "" {
			line += ", owner " + PlainName(c.Owner)
		}
		lines[i] = fmt.Sprintf("%s, score %d, %s", line, c.Score, PlainName(string(c.ID)))
	}
	return lines
}

// readsText says when a consumer reads bad data, or why no time is known.
func (c Consumer) readsText(now time.Time) string {
	when := func(at time.Time) string { return clockText(at, now, c.Zone) }
	switch {
	case c.Paused:
		return "is paused"
	case c.HeldBy != "":
		return "is held back while " + PlainName(string(c.HeldBy)) + " is paused"
	case c.AlreadyHarmedAt != nil:
		return "has read it at " + when(*c.AlreadyHarmedAt)
	case c.NextRead != nil && c.Carries:
		return "carries it on from " + when(*c.NextRead)
	case c.NextRead != nil:
		return "reads it at " + when(*c.NextRead)
	case c.Carries:
		return "carries it on, no schedule known"
	}
	return "no schedule known"
}
