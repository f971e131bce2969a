package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"dw/checks"
)

// saying returns the first of some words that stand in a text, whatever their
// case.
func saying(text string, words []string) (string, bool) {
	text = strings.ToLower(text)
	for _, word := range words {
		if strings.Contains(text, strings.ToLower(word)) {
			return word, true
		}
	}
	return "", false
}

// refusedSaying looks for words in what systems near the subject answered instead
// of what they were asked for: checks that could not be asked, and probes that
// tell of a failure.
func refusedSaying(f *facts, words []string) finding {
	for _, r := range f.results {
		if r.Status != checks.Error && r.Status != checks.Skipped {
			continue
		}
		if _, near := f.find(r.Asset); !near {
			continue
		}
		if word, found := saying(r.Problem, words); found {
			what := fmt.Sprintf("check %s could not be asked: %s", r.Check, word)
			return finding{is: holds, says: what, evidence: []Evidence{{
				System: cmp.Or(r.Connected, "warehouse"), What: what, Value: r.Problem, At: r.At, Source: "check " + r.Check,
			}}}
		}
	}
	for _, e := range f.Probes {
		if !strings.HasPrefix(e.Value, "failed") {
			continue
		}
		if word, found := saying(e.What+" "+e.Value, words); found {
			return finding{is: holds, says: e.System + " tells of a failure: " + word, evidence: []Evidence{e}}
		}
	}
	return finding{is: fails, says: "no check or run near the subject says so"}
}

// reportedSaying looks for words in the changes near the subject within a day
// before the onset, and in what probes found there.
func reportedSaying(f *facts, words []string) finding {
	onset := f.refinedOnset()
	for _, c := range f.Changes {
		if onset.IsZero() || c.At.After(onset) || onset.Sub(c.At) > changeWindow {
			continue
		}
		if _, near := f.findNamed(c.Asset); !near {
			continue
		}
		if word, found := saying(c.Kind+" "+c.Text, words); found {
			w := f.weigh(c)
			return finding{is: holds, says: w.says + ": " + word, evidence: []Evidence{{
				System: c.System, What: w.says, Value: c.Text, At: c.At, Source: "change event " + c.ID,
			}}}
		}
	}
	for _, e := range f.Probes {
		if strings.HasPrefix(e.Value, "passed") {
			continue
		}
		if word, found := saying(e.What+" "+e.Value, words); found {
			return finding{is: holds, says: e.System + " says: " + word, evidence: []Evidence{e}}
		}
	}
	return finding{is: fails, says: "no change or system near the subject says so"}
}

// badOf finds a bad result near the subject, of some kinds, at least so many
// edges upstream.
func (f *facts) badOf(kinds []string, hops int) (checks.Result, bool) {
	for _, r := range f.bad {
		n, near := f.find(r.Asset)
		if near && n.hops >= hops && (len(kinds) == 0 && r.Kind != checks.KindDeadLetter || slices.Contains(kinds, r.Kind)) {
			return r, true
		}
	}
	return checks.Result{}, false
}

// resultFinding is what a result says, as evidence.
func resultFinding(r checks.Result) finding {
	what := cmp.Or(r.Message, "check "+r.Check+" says "+string(r.Status))
	return finding{is: holds, says: "check " + r.Check + " says " + string(r.Status), evidence: []Evidence{{
		System: cmp.Or(r.Connected, "warehouse"), What: what, Value: string(r.Status), At: r.At, Source: "check " + r.Check,
	}}}
}

func badKind(f *facts, kinds []string) finding {
	if r, found := f.badOf(kinds, 0); found {
		return resultFinding(r)
	}
	return finding{is: fails, says: "no check of kind " + strings.Join(kinds, ", ") + " is bad"}
}

func badKindUpstream(f *facts, kinds []string) finding {
	if r, found := f.badOf(kinds, 1); found && !began(r).After(f.orNow()) {
		return resultFinding(r)
	}
	return finding{is: fails, says: "no check of kind " + strings.Join(kinds, ", ") + " is bad upstream"}
}

// badUpstream holds where a check of what feeds the subject is bad since the
// subject is, or before. A dead-letter table tells of another cause.
func badUpstream(f *facts) finding {
	if r, found := f.badOf(nil, 1); found && !began(r).After(f.orNow()) {
		return resultFinding(r)
	}
	return finding{is: fails, says: "nothing upstream is bad"}
}

// began is when a result became bad, as far as it says.
func began(r checks.Result) time.Time {
	if r.Since.IsZero() && r.Bucket != nil {
		return r.Bucket.Start
	}
	return r.Since
}

// orNow is the onset, and the time of the diagnosis where it is not known.
func (f *facts) orNow() time.Time { return orTime(f.onset, f.now) }

// rightUpstream holds where a count or an age of what feeds the subject was asked
// since the onset and is right.
func rightUpstream(f *facts) finding {
	if bad := badUpstream(f); bad.is == holds {
		return bad.not()
	}
	for _, r := range f.results {
		n, near := f.find(r.Asset)
		counts := r.Kind == checks.KindVolume || r.Kind == checks.KindRowCount || r.Kind == checks.KindFreshness
		if near && n.hops > 0 && counts && r.Status == checks.Pass && r.At.After(f.onset) {
			return resultFinding(r)
		}
	}
	return finding{says: "no check has counted what feeds the subject since"}
}

// changeOfSubject holds where a change of the subject was reported within a day
// before the onset.
func changeOfSubject(f *facts) finding {
	onset := f.refinedOnset()
	if onset.IsZero() {
		return finding{says: "the onset is not known, so no change can be held against it"}
	}
	for _, c := range f.Changes {
		if named(f.near[0].Asset, c.Asset) && !c.At.After(onset) && onset.Sub(c.At) <= changeWindow {
			w := f.weigh(c)
			return finding{is: holds, says: w.says, score: w.score, evidence: []Evidence{{
				System: c.System, What: w.says, Value: c.Text, At: c.At, Source: "change event " + c.ID,
			}}}
		}
	}
	return finding{is: fails, says: "no change of the subject was reported in the 24 hours before"}
}

// schemaChanged holds where a schema check near the subject is bad, or a change
// of a schema was reported within a day before the onset.
func schemaChanged(f *facts) finding {
	if r, found := f.badOf([]string{checks.KindSchema}, 0); found {
		out := resultFinding(r)
		if c := f.schemaChange(); c != nil {
			out.evidence = append(out.evidence, Evidence{
				System: c.System, What: f.weigh(*c).says, Value: c.Text, At: c.At, Source: "change event " + c.ID, Change: c.ID, Who: c.Who,
			})
		}
		return out
	}
	onset := f.refinedOnset()
	for _, c := range f.Changes {
		_, near := f.findNamed(c.Asset)
		if near && c.Kind == "schema" && !onset.IsZero() && !c.At.After(onset) && onset.Sub(c.At) <= changeWindow {
			w := f.weigh(c)
			return finding{is: holds, says: w.says, score: w.score, evidence: []Evidence{{
				System: c.System, What: w.says, Value: c.Text, At: c.At, Source: "change event " + c.ID,
			}}}
		}
	}
	return finding{is: fails, says: "no schema near the subject is known to have changed"}
}

// schemaChange is the first reported change of a schema between the last good run
// of the asset's schema check, which is where the gap begins, and the run that found
// it; nil where none was reported.
func (f *facts) schemaChange() *ChangeEvent {
	r, found := f.badOf([]string{checks.KindSchema}, 0)
	if !found || r.Since.IsZero() || !r.Since.Equal(f.onset) {
		return nil
	}
	var first *ChangeEvent
	for i, c := range f.Changes {
		n, near := f.findNamed(c.Asset)
		if near && n.ID == r.Asset && c.Kind == "schema" && !c.At.Before(r.Since) && !c.At.After(r.At) && (first == nil || c.At.Before(first.At)) {
			first = &f.Changes[i]
		}
	}
	return first
}

// rowsOff holds where a count of the subject is bad in one direction.
func rowsOff(f *facts, more bool) finding {
	for _, r := range f.bad {
		if (r.Kind == checks.KindVolume || r.Kind == checks.KindRowCount) && r.Observed != nil && r.Expected != nil && r.Asset == f.Subject {
			if (r.Observed.Value > *r.Expected) == more {
				return resultFinding(r)
			}
			return finding{is: fails, says: "check " + r.Check + " counts rows the other way"}
		}
	}
	return finding{is: fails, says: "no count of the subject is bad"}
}

func rowsMore(f *facts) finding { return rowsOff(f, true) }

func rowsFewer(f *facts) finding { return rowsOff(f, false) }

func rowsFewerOrLate(f *facts) finding {
	if late := loadLate(f); late.is == holds {
		return late
	}
	return rowsFewer(f)
}

func fedByTopic(f *facts) finding {
	if f.topic == nil {
		return finding{is: fails, says: "no topic feeds the subject"}
	}
	return finding{is: holds, says: label(f.topic.Asset) + " feeds the subject"}
}
