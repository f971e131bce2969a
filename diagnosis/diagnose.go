package diagnosis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"dw/checks"
	"dw/lineage"
)

// Diagnose ranks the causes of the catalogue by the evidence. It is a function
// of its input, the files that Files reads, and now. Where no cause matches, the
// verdict says so and Causes is empty.
func Diagnose(in Input, now time.Time) Diagnosis {
	f := gather(in, now)
	d := Diagnosis{At: now, Subject: in.Subject, Onset: f.onset, Evidence: f.signalEvidence()}
	d.Evidence = append(d.Evidence, in.Probes...)
	if s := segmentMissing(f); s.is == holds {
		d.Segment = in.Segments.parts()
		d.Evidence = append(d.Evidence, s.evidence...)
	}
	if in.Segments != nil {
		d.Normal = slices.Clone(in.Segments.Normal)
	}
	known := predicates()
	classes, err := embedded()
	if err != nil {
		d.Unknown = append(d.Unknown, err.Error())
	}
	for _, class := range classes {
		f.judge(class, known, &d)
	}
	slices.SortStableFunc(d.Causes, func(a, b Cause) int { return cmp.Compare(b.Score, a.Score) })
	f.conclude(&d)
	f.reject(known, &d)
	d.Unknown = dedupe(append(d.Unknown, f.unknown...))
	return d
}

// judge adds a class to the causes or to the rejected ones.
func (f *facts) judge(class CauseClass, known map[string]predicate, d *Diagnosis) {
	c := Cause{ID: class.ID, Title: class.Title, Score: class.Prior, Segment: d.Segment, Asset: f.actsOn(class)}
	for i, sign := range class.Signs {
		got := known[sign.Predicate](f, sign.Of)
		switch {
		case i == 0 && class.Quiet && got.is != holds:
			return
		case got.is == holds:
			c.Score += sign.Weight + got.score
			for _, e := range got.evidence {
				if !slices.Contains(c.Evidence, e) { // two signs may rest on one result
					c.Evidence = append(c.Evidence, e)
				}
			}
		case sign.Need == Helps:
		case got.is == fails:
			d.Rejected = append(d.Rejected, Rejected{Title: class.Title, Disproof: got.says})
			return
		case sign.Need == Must:
			d.Unknown = append(d.Unknown, class.Title+" could not be judged: "+got.says)
			return
		default:
			c.Missing = append(c.Missing, got.says)
		}
	}
	for _, want := range class.Wanted {
		if !f.probed(want.System) {
			c.Missing = append(c.Missing, want.Text)
		}
	}
	c.Score = math.Round(c.Score*100) / 100
	if class.ID == CauseSchemaDrift {
		c.Renamed = f.renames()
	}
	c.Why = f.fill(class.Why)
	d.Causes = append(d.Causes, c)
}

// probed reports whether a system was asked, with or without success: what could
// not be asked stands in Unknown, with its own reason.
func (f *facts) probed(system string) bool {
	return slices.ContainsFunc(f.Probes, func(e Evidence) bool { return e.System == system }) ||
		slices.ContainsFunc(f.Unknown, func(s string) bool { return strings.HasPrefix(s, system) })
}

// actsOn is where a cause acts: the pipeline that sends, or the subject.
func (f *facts) actsOn(class CauseClass) lineage.AssetID {
	if class.AtFeed {
		if fd, _, ok := f.culprit(); ok {
			return fd.asset.ID
		}
		if f.topic != nil {
			return f.topic.ID
		}
	}
	return f.Subject
}

// conclude writes the verdict and refines the onset for the best cause.
func (f *facts) conclude(d *Diagnosis) {
	top, ok := d.Top()
	if !ok {
		d.Verdict = f.fill("No known cause matches: {subject} is off since {onset}. ") + f.whatIsOff()
		return
	}
	class, _ := classOf(top.ID)
	d.Late = class.Late
	d.Verdict = f.fill(class.Verdict)
	if class.AtFeed || class.ID == CauseSchemaDrift {
		d.Onset = f.refinedOnset()
	}
}

func (f *facts) whatIsOff() string {
	var said []string
	for _, r := range f.bad {
		said = append(said, cmp.Or(r.Message, "Check "+r.Check+" says "+string(r.Status)+"."))
	}
	if split := segmentMissing(f); split.is == holds {
		said = append(said, split.says+".")
	}
	if len(said) == 0 {
		return "No check says why."
	}
	return strings.Join(dedupe(said), " ")
}

// reject adds the hypotheses that the facts rule out, and the changes that came
// too late to be a cause.
func (f *facts) reject(known map[string]predicate, d *Diagnosis) {
	for _, h := range hypotheses() {
		if got := known[h.Disproof](f, nil); got.is == holds {
			d.Rejected = append(d.Rejected, Rejected{Title: h.Title, Disproof: got.says})
		}
	}
	onset := f.refinedOnset()
	for _, c := range f.Changes {
		if !onset.IsZero() && c.At.After(onset) {
			d.Rejected = append(d.Rejected, Rejected{Title: "The " + c.Kind + " of " + c.Asset, Disproof: f.weigh(c).says})
		}
	}
}

// refinedOnset is the onset to the minute: the change of a schema that was
// reported, the first dead-letter row where it belongs to the gap, else the start of the first bad bucket. UTC.
func (f *facts) refinedOnset() time.Time {
	if c := f.schemaChange(); c != nil {
		return c.At.UTC()
	}
	if deadLetterGrowing(f).is != holds || f.dead.FirstRow.IsZero() {
		return f.onset
	}
	first := f.dead.FirstRow.UTC().Truncate(time.Minute)
	if f.sameBefore() && f.Earlier.Onset.Before(first) {
		return f.Earlier.Onset
	}
	return first
}

// sameBefore reports whether an earlier look at the incident saw rows go to the
// dead letter: its onset stands, and the newest check has counted only the rows
// since then.
func (f *facts) sameBefore() bool {
	if f.Earlier == nil || f.Earlier.Onset.IsZero() {
		return false
	}
	top, ok := f.Earlier.Top()
	class, known := classOf(top.ID)
	return ok && known && class.AtFeed
}

// deadRows is how many rows are known to have gone to the dead letter.
func (f *facts) deadRows() float64 {
	if f.sameBefore() {
		return max(f.dead.Observed.Value, float64(f.dead.Count))
	}
	return f.dead.Observed.Value
}

// signalEvidence turns the bad results into evidence.
func (f *facts) signalEvidence() []Evidence {
	var out []Evidence
	for _, r := range f.bad {
		if r.Kind == checks.KindDeadLetter && f.dead != nil && r.Check == f.dead.Check {
			continue // the newest is added below
		}
		e := Evidence{System: cmp.Or(r.Connected, "warehouse"), What: cmp.Or(r.Message, "check "+r.Check+" says "+string(r.Status)), At: r.At, Source: "check " + r.Check}
		if r.Observed != nil {
			e.Value = count(r.Observed.Value) + " " + r.Observed.Unit
			if off, ok := r.PercentOff(); ok {
				e.Value += fmt.Sprintf(", %+.0f %%", off)
			}
		}
		out = append(out, e)
	}
	return append(out, deadLetterGrowing(f).evidence...)
}

// fill puts the facts into a text of the catalogue, each once and unread.
func (f *facts) fill(text string) string {
	pairs := []string{
		"{subject}", label(f.near[0].Asset), "{onset}", f.clock(f.refinedOnset()),
		"{segment}", "some producer", "{topic}", "the topic", "{dead_letter}", f.deadName(), "{rows}", "some",
		"{file}", "a pipeline", "{pipeline}", "a pipeline",
	}
	set := func(key, value string) { pairs = append([]string{key, value}, pairs...) }
	if segmentMissing(f).is == holds {
		set("{segment}", f.Segments.name())
	}
	if f.topic != nil {
		set("{topic}", label(f.topic.Asset))
	}
	if f.dead != nil && f.dead.Observed != nil {
		set("{rows}", count(f.deadRows()))
	}
	if fd, _, ok := f.culprit(); ok {
		set("{file}", fd.asset.File)
		set("{pipeline}", label(fd.asset.Asset))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func (f *facts) deadName() string {
	if f.dead != nil {
		if a, ok := f.Graph.Asset(f.dead.Asset); ok && (f.topic == nil || a.ID != f.topic.ID) {
			return label(a)
		}
	}
	if f.topic != nil && f.topic.Properties[PropDeadLetter] != "" {
		return shortName(lineage.AssetID(f.topic.Properties[PropDeadLetter]))
	}
	return "the dead-letter table"
}

// clock shows a time to the minute in the zone asked for.
func (f *facts) clock(t time.Time) string {
	if t.IsZero() {
		return "an unknown time"
	}
	zone := f.Zone
	if zone == nil {
		zone = time.UTC
	}
	local := t.In(zone)
	if y, m, d := local.Date(); sameDay(f.now.In(zone), y, m, d) {
		return local.Format("15:04 MST")
	}
	return local.Format("2 Jan 15:04 MST")
}

func sameDay(t time.Time, year int, month time.Month, day int) bool {
	y, m, d := t.Date()
	return y == year && m == month && d == day
}

// count writes a number of rows with thousands apart: "18,940".
func count(v float64) string {
	s := strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

func dedupe(in []string) []string {
	var out []string
	for _, s := range in {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
