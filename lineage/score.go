package lineage

import (
	"fmt"
	"math"
	"strings"
	"time"
)

const day = 24 * time.Hour

// scored is the score of one consumer and the line that explains it.
type scored struct {
	points int
	line   string
}

// part is one summand of a score. Each is a whole number, so that the line adds
// up to what it says.
type part struct {
	label  string
	points int
}

// score adds the parts and multiplies them by how sure the way to the consumer
// is.
func score(parts []part, sure certainty) scored {
	sum := 0
	labels := make([]string, len(parts))
	for i, p := range parts {
		sum += p.points
		labels[i] = fmt.Sprintf("%s %d", p.label, p.points)
	}
	points := int(math.Round(float64(sum) * sure.factor))
	return scored{points: points, line: fmt.Sprintf("Score %d: %s, %s x %.1f",
		points, strings.Join(labels, " + "), sure.label, sure.factor)}
}

// movesPoints returns the points of a money class, and false for a class that
// is not known.
func movesPoints(class string) (int, bool) {
	switch class {
	case MovesMoney:
		return 40, true
	case MovesCustomer:
		return 25, true
	case MovesExec:
		return 20, true
	case MovesInternal:
		return 8, true
	}
	return 0, false
}

// movesPart goes by what the asset declares, never by its name.
func movesPart(a Asset) part {
	if points, known := movesPoints(a.Moves); known {
		return part{a.Moves, points}
	}
	if a.SLA != nil {
		return part{"SLA", 20}
	}
	return part{"money class not declared", 0}
}

// movesWhy says who declared what the asset moves.
func movesWhy(a Asset) string {
	if c, ok := a.claim("moves"); ok && a.Moves != "" {
		return "declared by " + c.From.Source
	}
	if a.SLA != nil {
		return "its SLA " + a.SLA.String()
	}
	return "not declared"
}

// timePart goes by the time from now until the consumer is harmed; a consumer
// that has read bad data already counts as the most urgent.
func timePart(c Consumer, now time.Time) part {
	switch {
	case c.AlreadyHarmedAt != nil:
		return part{"already read", 30}
	case c.Paused:
		return part{"paused", 0}
	case c.HeldBy != "":
		return part{"not reached", 0}
	case c.NextRead == nil:
		return part{"no schedule known", 10}
	}
	switch wait := c.NextRead.Sub(now); {
	case wait < 2*time.Hour:
		return part{"under 2 h", 30}
	case wait < 12*time.Hour:
		return part{"under 12 h", 24}
	case wait < day:
		return part{"under 24 h", 18}
	case wait < 7*day:
		return part{"under 7 d", 8}
	}
	return part{"7 d or more", 0}
}

func readersPart(readers int) part {
	if readers == 0 {
		return part{"no readers known", 0}
	}
	points := min(15, int(math.Round(3*math.Log2(1+float64(readers)))))
	return part{plural(readers, "reader"), points}
}

// usePart goes by the weakest edge of the way.
func usePart(path []Edge) part {
	weakest := part{"direct", 10}
	for _, e := range path {
		p := part{"table-level", 5}
		switch e.Use {
		case UseValue:
			p = part{"direct", 10}
		case UseFilter:
			p = part{"filter only", 6}
		}
		if p.points < weakest.points {
			weakest = p
		}
	}
	return weakest
}

// certainty is how sure it is that data takes a way, at most 1.
type certainty struct {
	factor float64
	label  string
}

// sureOf returns the certainty of the weakest edge of a way.
func sureOf(path []Edge, now time.Time) certainty {
	var weakest certainty
	for i, e := range path {
		if c := sureOfEdge(e, now); i == 0 || c.factor < weakest.factor {
			weakest = c
		}
	}
	return weakest
}

// sureOfEdge goes by the source that makes the edge the surest.
func sureOfEdge(e Edge, now time.Time) certainty {
	best := sureOfSource(e.Seen, now)
	for _, p := range e.Also {
		if c := sureOfSource(p, now); c.factor > best.factor {
			best = c
		}
	}
	return best
}

func sureOfSource(p Provenance, now time.Time) certainty {
	age := now.Sub(p.SeenAt)
	ago := p.Age(now) + " ago"
	switch {
	case p.SeenAt.IsZero() && p.Source == SourceConfig:
		// The configuration is read at start: what it says holds now.
		return certainty{0.9, "declared by config"}
	case p.SeenAt.IsZero():
		return certainty{0.5, "stated by " + p.Source + " at a time not known"}
	case age > oldAfter:
		return certainty{0.5, "stated by " + p.Source + " " + ago}
	case p.How == HowObserved && age <= 7*day:
		return certainty{1.0, "seen by " + p.Source + " " + ago}
	case p.How == HowParsed:
		return certainty{0.7, "parsed by " + p.Source + " " + ago}
	case p.How == HowObserved:
		return certainty{0.9, "seen by " + p.Source + " " + ago}
	}
	return certainty{0.9, "declared by " + p.Source + " " + ago}
}
