package diagnosis

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"dw/checks"
	"dw/lineage"
)

// verdict is what a predicate can say.
type verdict int

const (
	unknown verdict = iota
	holds
	fails
)

// finding is the answer of one predicate: a sentence that says why, and the
// evidence behind it.
type finding struct {
	is       verdict
	says     string
	evidence []Evidence
	score    float64 // beyond the condition's weight
}

// predicate is a named question to the facts, some of them about words or kinds.
type predicate func(f *facts, of []string) finding

// wordless is a question that takes no words.
func wordless(ask func(*facts) finding) predicate {
	return func(f *facts, _ []string) finding { return ask(f) }
}

// denied is a question with its answer turned round.
func denied(ask predicate) predicate {
	return func(f *facts, of []string) finding { return ask(f, of).not() }
}

func predicates() map[string]predicate {
	return map[string]predicate{
		"topic_takes_wire_format":  wordless(topicTakesWireFormat),
		"topic_takes_plain_values": wordless(topicTakesPlainValues),
		"dead_letter_growing":      wordless(deadLetterGrowing),
		"dead_letter_empty":        wordless(deadLetterEmpty),
		"dead_letter_asked_since":  wordless(deadLetterAskedSince),
		"values_without_header":    wordless(valuesWithoutHeader),
		"values_with_header":       denied(wordless(valuesWithoutHeader)),
		"segment_missing":          wordless(segmentMissing),
		"no_segment_missing":       denied(wordless(segmentMissing)),
		"pipeline_without_encoder": wordless(pipelineWithoutEncoder),
		"change_before_onset":      wordless(changeBeforeOnset),
		"load_late":                wordless(loadLate),
		"load_not_late":            denied(wordless(loadLate)),
		"build_passed":             wordless(buildPassed),
		"others_normal":            wordless(othersNormal),
		"keys_unique":              wordless(keysUnique),
		"no_change_of_subject":     wordless(noChangeOfSubject),
		"change_of_subject":        wordless(changeOfSubject),
		"bad_upstream":             wordless(badUpstream),
		"not_bad_upstream":         denied(wordless(badUpstream)),
		"right_upstream":           wordless(rightUpstream),
		"schema_changed":           wordless(schemaChanged),
		"rows_more":                wordless(rowsMore),
		"rows_fewer":               wordless(rowsFewer),
		"rows_fewer_or_late":       wordless(rowsFewerOrLate),
		"fed_by_topic":             wordless(fedByTopic),
		"bad_kind":                 badKind,
		"not_bad_kind":             denied(badKind),
		"bad_kind_upstream":        badKindUpstream,
		"refused_saying":           refusedSaying,
		"reported_saying":          reportedSaying,
	}
}

// takes reports whether a question is about words or kinds.
func takes(name string) bool {
	switch name {
	case "bad_kind", "not_bad_kind", "bad_kind_upstream", "refused_saying", "reported_saying":
		return true
	}
	return false
}

// not turns a finding round; its sentence stays, since it names the fact.
func (f finding) not() finding {
	switch f.is {
	case holds:
		f.is = fails
	case fails:
		f.is = holds
	}
	return f
}

func topicTakesWireFormat(f *facts) finding {
	if f.topic == nil {
		return finding{is: fails, says: "no topic feeds the subject"}
	}
	name, mode := label(f.topic.Asset), f.topic.Properties[PropIcebergMode]
	if mode == "" {
		return finding{says: "property " + PropIcebergMode + " of " + name + " is not known"}
	}
	says := fmt.Sprintf("%s is in Iceberg mode %s", name, mode)
	if !takesWireFormat(mode) {
		return finding{is: fails, says: says + ", which does not ask for the wire format"}
	}
	return finding{is: holds, says: says, evidence: []Evidence{{
		System: "topic", What: name + " becomes a table by the schema id in front of each value",
		Value: mode, At: seenAt(f.topic.Asset, f.now), Source: "property " + PropIcebergMode,
	}}}
}

// takesWireFormat reads both forms of the mode: a name, or sections such as
// `key:mode=string;value:mode=schema_id_prefix,layout=flat`.
func takesWireFormat(mode string) bool { return hasMode(mode, "schema_id_prefix") }

// hasMode reports whether values are read so, of the modes of a topic.
func hasMode(mode, want string) bool {
	name, _, _ := strings.Cut(strings.TrimSpace(mode), ":") // value_schema_latest:subject=…
	if name == "value_"+want {
		return true
	}
	for section := range strings.SplitSeq(mode, ";") {
		rest, isValue := strings.CutPrefix(strings.TrimSpace(section), "value:")
		if !isValue {
			continue
		}
		for setting := range strings.SplitSeq(rest, ",") {
			if strings.TrimSpace(setting) == "mode="+want {
				return true
			}
		}
	}
	return false
}

// topicTakesPlainValues holds where the topic reads values without the wire format,
// by the newest schema of its subject.
func topicTakesPlainValues(f *facts) finding {
	if f.topic == nil || !hasMode(f.topic.Properties[PropIcebergMode], "schema_latest") {
		return finding{is: fails, says: "the topic's mode does not read plain values by the newest schema"}
	}
	mode := f.topic.Properties[PropIcebergMode]
	return finding{is: holds, says: label(f.topic.Asset) + " is in Iceberg mode " + mode, evidence: []Evidence{{
		System: "topic", What: label(f.topic.Asset) + " takes values without a header", Value: mode, At: seenAt(f.topic.Asset, f.now), Source: "property " + PropIcebergMode,
	}}}
}

func seenAt(a lineage.Asset, now time.Time) time.Time {
	for _, p := range a.From {
		if !p.SeenAt.IsZero() {
			return p.SeenAt
		}
	}
	return now
}

// deadLetterBefore is how long before the first bad bucket dead-letter rows may
// begin and still belong to it.
const deadLetterBefore = 3 * time.Hour

func deadLetterGrowing(f *facts) finding {
	if f.dead == nil || f.dead.Observed == nil {
		return finding{says: "no check has read the dead-letter table"}
	}
	r, name := f.dead, f.deadName()
	if r.Observed.Value <= 0 && !f.onset.IsZero() && !r.At.After(f.onset) {
		// An old "empty" is no fact about now.
		return finding{says: fmt.Sprintf("%s was empty at %s, before the gap began, and was not asked since", name, f.clock(r.At))}
	}
	if r.Observed.Value <= 0 {
		return finding{is: fails, says: fmt.Sprintf("%s had no new row at %s", name, f.clock(r.At))}
	}
	says := fmt.Sprintf("%s has %s new rows, the first at %s", name, count(r.Observed.Value), f.clock(r.FirstRow))
	if !r.FirstRow.IsZero() && !f.onset.IsZero() && r.FirstRow.Before(f.onset.Add(-deadLetterBefore)) {
		return finding{is: fails, says: says + ", long before the gap began"}
	}
	return finding{is: holds, says: says, evidence: []Evidence{{
		System: cmp.Or(r.Connected, "warehouse"), What: "new rows in " + name + ", the first at " + f.clock(r.FirstRow),
		Value: count(r.Observed.Value) + " rows", At: r.At, Source: "check " + r.Check,
	}}}
}

// deadLetterAskedSince holds unless a dead-letter table is known and was last
// asked before the gap began: then its rows are not ruled out yet.
func deadLetterAskedSince(f *facts) finding {
	if f.dead != nil && !f.onset.IsZero() && !f.dead.At.After(f.onset) {
		return finding{says: f.deadName() + " was not asked since the gap began"}
	}
	return finding{is: holds}
}

func deadLetterEmpty(f *facts) finding {
	if f.dead == nil && f.topic != nil && f.topic.Properties[PropDeadLetter] == "" {
		return finding{says: "no dead-letter table of " + label(f.topic.Asset) + " is declared or read"}
	}
	found := deadLetterGrowing(f).not()
	if found.is == holds {
		found.evidence = []Evidence{{
			System: cmp.Or(f.dead.Connected, "warehouse"), What: "no new row in " + f.deadName(),
			Value: "0 rows", At: f.dead.At, Source: "check " + f.dead.Check,
		}}
	}
	return found
}

// gapShare is how much of a gap one element must explain (T_EP of Adtributor),
// and goneShare how little of its baseline may be left of it.
const (
	gapShare  = 0.67
	goneShare = 0.5
)

func segmentMissing(f *facts) finding {
	s := f.Segments
	if s == nil || s.Dimension == "" && s.None == "" {
		return finding{says: "the gap was not split by a dimension"}
	}
	if s.None != "" {
		return finding{is: fails, says: s.None}
	}
	name := s.name()
	says := fmt.Sprintf("%s explains %.0f %% of the gap: %s rows, %s expected", name, 100*s.Contribution, count(s.Actual), count(s.Expected))
	if s.Contribution < gapShare || s.Actual > goneShare*s.Expected {
		return finding{is: fails, says: "no single segment explains the gap: " + says}
	}
	out := finding{is: holds, says: says, evidence: []Evidence{{
		System: "warehouse", What: "the missing segment is " + name + f.sameRows(),
		Value: count(s.Actual) + " of " + count(s.Expected) + " rows", At: orTime(s.At, f.now), Source: s.Source,
	}}}
	return out
}

func (f *facts) sameRows() string {
	if len(f.Segments.SameRows) == 0 {
		return ""
	}
	return " (same rows: " + strings.Join(f.Segments.SameRows, ", ") + ")"
}

func loadLate(f *facts) finding {
	for _, r := range f.bad {
		switch {
		case r.Status == checks.Late:
			return lateEvidence(r, "the load of this span is late")
		case r.Kind == checks.KindFreshness:
			return lateEvidence(r, "the newest row is too old")
		case r.Kind == checks.KindVolume && r.Observed != nil && r.Observed.Value == 0:
			return lateEvidence(r, "no row at all has arrived for this span")
		}
	}
	return finding{is: fails, says: "rows keep arriving, so the load is not late"}
}

func lateEvidence(r checks.Result, what string) finding {
	value := string(r.Status)
	if r.Observed != nil {
		value = count(r.Observed.Value) + " " + r.Observed.Unit
	}
	return finding{is: holds, says: what + " (check " + r.Check + ")", evidence: []Evidence{{
		System: cmp.Or(r.Connected, "warehouse"), What: what, Value: value, At: r.At, Source: "check " + r.Check,
	}}}
}

func buildPassed(f *facts) finding {
	for _, e := range f.Probes {
		if strings.HasPrefix(e.Value, "passed") {
			return finding{is: holds, says: fmt.Sprintf("%s: %s at %s", e.System, e.What, f.clock(e.At)), evidence: []Evidence{e}}
		}
	}
	return finding{}
}

func othersNormal(f *facts) finding {
	if f.Segments == nil || len(f.Segments.Normal) == 0 {
		return finding{}
	}
	return finding{is: holds, says: strings.Join(f.Segments.Normal, ", ") + " on their baseline at " + f.clock(orTime(f.Segments.At, f.now))}
}

func keysUnique(f *facts) finding {
	for _, r := range f.results {
		if _, near := f.find(r.Asset); near && r.Kind == checks.KindUnique && r.Status == checks.Pass {
			return finding{is: holds, says: "check " + r.Check + " passed at " + f.clock(r.At)}
		}
	}
	return finding{}
}

// changeWindow is how far back a change may still explain an onset.
const changeWindow = 24 * time.Hour

// noChangeOfSubject rules a change of the subject out only where changes are
// reported at all.
func noChangeOfSubject(f *facts) finding {
	onset := f.refinedOnset()
	if len(f.Changes) == 0 || onset.IsZero() {
		return finding{}
	}
	for _, c := range f.Changes {
		if named(f.near[0].Asset, c.Asset) && !c.At.After(onset) && onset.Sub(c.At) <= changeWindow {
			return finding{is: fails}
		}
	}
	return finding{is: holds, says: fmt.Sprintf("no change of %s was reported in the 24 hours before %s", label(f.near[0].Asset), f.clock(onset))}
}

func orTime(t, otherwise time.Time) time.Time {
	if t.IsZero() {
		return otherwise
	}
	return t
}
