package diagnosis

import (
	"fmt"
	"math"
	"time"
)

// The terms of checks.md 5.3: how much a change weighs that came right before
// the onset on the subject itself, what each edge of distance leaves of it, what
// is left where it is on no ancestor, and what a mention of the segment, topic
// or subject adds.
const (
	changeWeight  = 3.0
	hopFactor     = 0.6
	strangeFactor = 0.05
	mentionWeight = 1.0
)

// tau is how fast a kind of change stops being a likely cause: deploys and
// configuration act at once, schemas and merges at the next run.
func tau(kind string) time.Duration {
	if kind == "schema" || kind == "merge" {
		return 24 * time.Hour
	}
	return 2 * time.Hour
}

// weighed is a change event with its score and the sentence about it.
type weighed struct {
	event ChangeEvent
	score float64
	says  string
}

// weigh scores a change by its time before the onset, its distance upstream and
// what it mentions. A change after the onset scores zero.
func (f *facts) weigh(c ChangeEvent) weighed {
	onset := f.refinedOnset()
	what := fmt.Sprintf("%s of %s at %s", c.Kind, c.Asset, f.clock(c.At))
	if onset.IsZero() {
		return weighed{event: c, says: what + ", but the onset is not known"}
	}
	dt := onset.Sub(c.At)
	if dt < 0 {
		return weighed{event: c, says: what + ", after the onset"}
	}
	distance := strangeFactor
	if n, ok := f.findNamed(c.Asset); ok {
		distance = math.Pow(hopFactor, float64(n.hops))
	}
	score := changeWeight * math.Exp(-dt.Hours()/tau(c.Kind).Hours()) * distance
	if score > 0.01 && f.mentioned(c.Asset+" "+c.Text) {
		score += mentionWeight
	}
	return weighed{event: c, score: score, says: fmt.Sprintf("%s, %s before the onset", what, dt.Round(time.Minute))}
}

func (f *facts) mentioned(words string) bool {
	if f.Segments != nil && mentions(words, f.Segments.Value) {
		return true
	}
	return f.topic != nil && mentions(words, label(f.topic.Asset))
}

// changeBeforeOnset finds the change that explains most. It never disproves:
// not every change is reported.
func changeBeforeOnset(f *facts) finding {
	var best weighed
	for _, c := range f.Changes {
		if w := f.weigh(c); w.score > best.score {
			best = w
		}
	}
	if best.score < 0.1 {
		return finding{says: "no change event near the onset was reported"}
	}
	c := best.event
	return finding{is: holds, says: best.says, score: best.score, evidence: []Evidence{{
		System: c.System, What: best.says, Value: c.Text, At: c.At, Source: "change event " + c.ID,
		Change: c.ID, Who: c.Who,
	}}}
}
