package lineage

import (
	"fmt"
	"strings"
	"time"
)

const (
	longestPath   = 6 // assets of a path that one line shows
	shownUnknowns = 3 // sentences about what is not known that one line shows
)

// OneLine writes a blast radius as one line of plain text, as of now: what is
// below, who is harmed first and when, the score and its reasons, the path, and
// what is not known. It has no markup; names keep their own characters, but
// never a line break.
func OneLine(b BlastRadius, now time.Time) string {
	if len(b.Consumers) == 0 {
		return PlainName(b.Name) + " -> no consumer is known."
	}
	out := fmt.Sprintf("%s -> %s. %s %s.", PlainName(b.Name), b.countsText(), harmText(b, now), scoreText(b))
	if path := b.pathText(); path != "" {
		out = strings.TrimSuffix(out, ".") + " - path: " + path + "."
	}
	if len(b.Unknowns) > 0 {
		out += " Not known: " + unknownsText(b.Unknowns) + "."
	}
	return out
}

// countsText lists the uses before the stages that lead to them; the only one of its
// kind by its name.
func (b BlastRadius) countsText() string {
	counts := b.Counts
	var out []string
	shown := map[Kind]bool{}
	for _, kind := range []Kind{
		KindJob, KindDashboard, KindExplore, KindExposure, KindPipeline,
		KindModel, KindView, KindTable, KindTopic, KindSource,
	} {
		shown[kind] = true
		if counts[kind] > 0 {
			out = append(out, b.countText(kind))
		}
	}
	for _, kind := range sortedKeys(counts) {
		if !shown[kind] {
			out = append(out, b.countText(kind))
		}
	}
	return strings.Join(out, ", ")
}

func (b BlastRadius) countText(kind Kind) string {
	if b.Counts[kind] == 1 {
		for _, c := range b.Consumers {
			if c.Kind == kind {
				return PlainName(string(kind)) + " " + PlainName(c.Name)
			}
		}
	}
	return plural(b.Counts[kind], PlainName(string(kind)))
}

func harmText(b BlastRadius, now time.Time) string {
	if b.First == nil {
		return "No time of harm is known."
	}
	at, _ := b.First.HarmAt()
	out := "First harmed " + momentText(at, now, *b.First) + "."
	if b.Next != nil && b.First.AlreadyHarmedAt != nil {
		out += " Next " + momentText(*b.Next.NextRead, now, *b.Next) + "."
	}
	return out
}

// momentText writes when and by whom: "02:00 UTC (in 13 h 25 m) by
// settle_accounts (money, owner finance-data)".
func momentText(at, now time.Time, c Consumer) string {
	what := c.Moves
	if what == "" {
		what = "money class not declared"
	}
	owner := "no owner known"
	if c.Owner != "" {
		owner = "owner " + PlainName(c.Owner)
	}
	return fmt.Sprintf("%s by %s (%s, %s)", Moment(at, now, c.Zone), PlainName(c.Name), what, owner)
}

// scoreText names the consumer where the score is not that of the first harm.
func scoreText(b BlastRadius) string {
	if b.ScoreOf == "" {
		return "Not scored: all of it is paused or held back by a pause"
	}
	if b.First != nil && b.First.ID == b.ScoreOf {
		return b.ScoreLine
	}
	return b.ScoreLine + " (" + PlainName(b.nameOf(b.ScoreOf)) + ")"
}

// pathText is the way to the first harm, shortened in the middle.
func (b BlastRadius) pathText() string {
	if b.First == nil {
		return ""
	}
	path := b.First.Path
	var names []string
	for i, id := range path {
		if cut := len(path) - longestPath; cut > 0 && i >= longestPath/2 && i < longestPath/2+cut {
			if i == longestPath/2 {
				names = append(names, fmt.Sprintf("(%d more)", cut))
			}
			continue
		}
		names = append(names, PlainName(b.nameOf(id)))
	}
	return strings.Join(names, " > ")
}

func (b BlastRadius) nameOf(id AssetID) string {
	if id == b.Subject {
		return b.Name
	}
	for _, c := range b.Consumers {
		if c.ID == id {
			return c.Name
		}
	}
	return string(id)
}

func unknownsText(all []string) string {
	shown := make([]string, 0, shownUnknowns+1)
	for i, text := range all {
		if i == shownUnknowns {
			shown = append(shown, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		shown = append(shown, PlainName(text))
	}
	return strings.Join(shown, "; ")
}
