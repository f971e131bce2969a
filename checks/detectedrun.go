package checks

import (
	"fmt"
	"time"

	"dw/checks/detect"
)

// measureRows names the history of how many rows there are.
const measureRows = "rows"

// learnDays is how many days of a table must be known before the detector speaks
// of it: two of each weekday.
const learnDays = 14

// volumeDetected runs a volume check that the detector judges.
func (r *runner) volumeDetected(t target, e extent) error {
	l, err := r.openLedger(t, e, e.clock.now.AddDate(0, 0, -detectorDays-1), measureRows)
	if err != nil {
		return err
	}
	var spans int
	if r.spec.Delay, spans = l.delay(r.spec); spans > 0 {
		r.waited = fmt.Sprintf(" (judged %s after its end, learned from %d spans)", r.spec.Delay, spans)
	}
	rule := newVolumeRule(r.spec, e.clock.loc, e.clock.now)
	from, reach := rule.reach(e, detectorDays)
	if rule.history, err = l.count(r, t, e, []Bucket{reach}); err != nil {
		return err
	}
	r.result.SQL = rule.history.sql
	c, err := r.asAnswered(l, e, rule.grid.day)
	if err != nil {
		return err
	}
	d, err := detectVolume(c, rule.grid, rule.history, from, rule.recent[0])
	if err != nil {
		return err
	}
	if len(d.verdicts) == 0 {
		return r.learningDays(0, fmt.Sprintf("table %s holds no whole %s yet", t.name, orDefault(r.spec.Bucket, BucketHour)))
	}
	r.landed(l, rule, d.buckets, func(i int) float64 { return d.verdicts[i].Expected })
	return r.tell(rule, d, e)
}

// asAnswered is what the detector is told: of the check, and of what people said.
func (r *runner) asAnswered(l *ledger, e extent, day bool) (detect.Config, error) {
	c, err := r.spec.detectConfig(e.clock.loc)
	if err != nil || l.shelf == nil {
		return c, err
	}
	answers, err := l.shelf.Answers(r.ctx, r.spec.Name)
	if err != nil {
		return c, fmt.Errorf("read what people said of the check: %w", err)
	}
	r.answers = answers
	known := func(t time.Time) time.Time {
		if day {
			return wallClock(t, e.clock.zone)
		}
		return t
	}
	if !l.kept.Since.IsZero() {
		c.AskFrom = known(l.kept.Since)
	}
	c.Feedback = feedback(answers, known, c.Zone)
	return c, nil
}

// feedback turns answers into what the detector takes; known is how it knows a
// time.
func feedback(answers []Answer, known func(time.Time) time.Time, zone *time.Location) detect.Feedback {
	var f detect.Feedback
	for _, a := range answers {
		span := detect.Span{Start: known(a.Start), End: known(a.End)}
		switch a.Word {
		case AnswerReal:
			f.Faults = append(f.Faults, span)
		case AnswerExpected:
			f.Expected = append(f.Expected, span)
		case AnswerOneOff:
			f.OneOffs = append(f.OneOffs, span)
		case AnswerNewLevel:
			// The last whole day before they answered.
			f.NewLevels = append(f.NewLevels, detect.DateOf(known(a.At), zone).Before())
		}
	}
	return f
}

// reach returns the first whole bucket of at most so many days of a table's
// history, and the span from it up to now.
func (v volumeRule) reach(e extent, days int) (Bucket, Bucket) {
	earliest := v.open.End.AddDate(0, 0, -days)
	if !aligned(v.grid.loc, earliest, v.open.End) {
		earliest = v.open.End.AddDate(0, 0, -min(days, quarterDays))
	}
	first := v.grid.containing(earliest)
	if !e.first.Before(first.Start) {
		first = v.grid.containing(e.first)
	}
	if !(history{first: e.first}).knows(first) {
		first = v.grid.containing(first.End)
	}
	return first, Bucket{Start: first.Start, End: maxTime(v.open.End, first.End)}
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// landed notes the late rows that the ledger has found, for the message.
func (r *runner) landed(l *ledger, rule volumeRule, buckets []Bucket, expected func(int) float64) {
	r.result.Landed = l.landed(r.spec, rule.grid, rule.history, buckets, expected)
}

// tell says what the detector's verdicts mean for the check.
func (r *runner) tell(rule volumeRule, d detected, e extent) error {
	newest := d.verdicts[len(d.verdicts)-1]
	bucket := d.buckets[len(d.buckets)-1]
	zone := e.clock.zone
	if rule.grid.day {
		zone = time.UTC
	}
	if newest.Days < learnDays && newest.State != detect.Holiday {
		return r.learningDays(newest.Days, fmt.Sprintf("%s rows in %s", countText(newest.Observed), rule.grid.label(bucket)))
	}
	r.observe(newest.Observed, "rows")
	r.result.Bucket, r.result.Samples = &bucket, newest.Days
	if newest.Expected > 0 {
		r.result.Expected, r.result.Low, r.result.High = &newest.Expected, &newest.Low, &newest.High
	}
	r.result.Detection = &Detection{End: e.clock.instant(bucket.End)}
	r.askLevel(d, e)
	at := d.standing(lookback(rule.grid.day))
	switch {
	case newest.State == detect.Holiday && r.oneOff(bucket, e) != "":
		r.finish(Pass, newest.Text(zone, "rows")+"; "+r.oneOff(bucket, e))
	case newest.State == detect.Learning || newest.State == detect.Holiday:
		// A day that is not judged has no answer: it must not look like a pass.
		r.finish(Learning, newest.Text(zone, "rows"))
	case at < 0 || r.spec.slightly(d.verdicts[at].Window):
		newest.State = detect.Normal
		r.decide(newest.Observed, newest.Text(zone, "rows")+r.waited+r.andLanded())
	default:
		r.alarm(rule, d, at, e, newest.Text(zone, "rows"))
	}
	return nil
}

// andLanded adds what has landed to a message.
func (r *runner) andLanded() string {
	if r.result.Landed == "" {
		return ""
	}
	return "; " + r.result.Landed
}

// learningDays finishes a check of which too few days are known. One that once
// had enough has lost its rows, which is a failure.
func (r *runner) learningDays(days int, what string) error {
	previous, known, err := r.previous()
	if err != nil {
		return err
	}
	r.result.Samples = days
	if known && previous.Samples >= learnDays {
		r.fail(fmt.Sprintf("the history is gone: %s, %d days are known, and there were %d at the last check", what, days, previous.Samples))
		r.result.Samples = previous.Samples
		return nil
	}
	r.finish(Learning, fmt.Sprintf("learning %d of %d days: %s", days, learnDays, what))
	return nil
}

// askLevel adds the question whether a new level is usual, while it is open: from
// the day on that the detector asks until the newest days are no longer off.
func (r *runner) askLevel(d detected, e extent) {
	for i := len(d.verdicts) - 1; i >= 0 && i > len(d.verdicts)-asksFor(d.buckets); i-- {
		if factor := d.verdicts[i].NewLevel; factor != 0 {
			r.result.Detection.NewLevel = factor
			r.result.Detection.LevelAt = e.clock.instant(d.buckets[max(i-1, 0)].Start)
			return
		}
	}
}

// asksFor is how many buckets long a question is told after it came up: a day.
func asksFor(buckets []Bucket) int {
	newest := buckets[len(buckets)-1]
	return max(1, int(24*time.Hour/newest.End.Sub(newest.Start)))
}

// alarm says that rows are missing or too many, or only late.
func (r *runner) alarm(rule volumeRule, d detected, at int, e extent, newest string) {
	v := d.verdicts[at]
	zone := e.clock.zone
	if rule.grid.day {
		zone = time.UTC
	}
	since := d.bucketAt(v.Window.Since)
	if v.Window.Late {
		r.finish(Late, "noticed: "+v.Text(zone, "rows")+r.andLanded())
		return
	}
	if v.Window.Observed < v.Window.Expected {
		if message, late := rule.lateness(d.shortRun(since), e); late {
			r.finish(Late, message+r.andLanded())
			return
		}
	}
	message := v.Text(zone, "rows")
	if at < len(d.verdicts)-1 {
		message += "; it goes on: " + newest
	}
	message += r.waited + r.andLanded()
	if by, excused := r.excused(e.clock.instant(since)); excused {
		r.finish(Pass, message+"; "+by)
		return
	}
	r.result.Since = e.clock.instant(since)
	r.result.Detection.Start = r.result.Since
	r.fail(message)
}

// oneOff says who called a bucket a one-off event, "" where nobody did.
func (r *runner) oneOff(b Bucket, e extent) string {
	at := e.clock.instant(b.Start)
	for _, a := range r.answers {
		if a.Word == AnswerOneOff && !at.Before(a.Start) && at.Before(a.End) {
			return a.said()
		}
	}
	return ""
}

// excused reports whether people said that a deviation since a time is no fault,
// and who.
func (r *runner) excused(since time.Time) (string, bool) {
	for _, a := range r.answers {
		if a.excuses(since, r.now) {
			return a.said(), true
		}
	}
	return "", false
}

// bucketAt returns the start of the bucket that the detector knows by a time.
func (d detected) bucketAt(known time.Time) time.Time {
	for i, v := range d.verdicts {
		if !v.Start.Before(known) {
			return d.buckets[i].Start
		}
	}
	return known
}
