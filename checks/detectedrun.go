package checks

import (
	"fmt"
	"time"

	"dw/checks/detect"
)

// volumeDetected runs a volume check that the detector judges.
func (r *runner) volumeDetected(t target, e extent) error {
	rule := newVolumeRule(r.spec, e.clock.loc, e.clock.now)
	from, reach := rule.reach(e, detectorDays)
	h, err := readHistory(r.ctx, r.q, t, e, r.spec.Where, []Bucket{reach}, e.clock.loc)
	if err != nil {
		return err
	}
	rule.history, r.result.SQL = h, h.sql
	d, err := detectVolume(r.spec, rule.grid, h, from, rule.recent[0])
	if err != nil {
		return err
	}
	if len(d.verdicts) == 0 {
		return r.learning(0, fmt.Sprintf("table %s holds no whole %s yet", t.name, orDefault(r.spec.Bucket, BucketHour)))
	}
	return r.tell(rule, d, e)
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

// tell says what the detector's verdicts mean for the check.
func (r *runner) tell(rule volumeRule, d detected, e extent) error {
	newest := d.verdicts[len(d.verdicts)-1]
	bucket := d.buckets[len(d.buckets)-1]
	r.observe(newest.Observed, "rows")
	r.result.Bucket, r.result.Samples = &bucket, newest.Days
	if newest.Expected > 0 {
		r.result.Expected, r.result.Low, r.result.High = &newest.Expected, &newest.Low, &newest.High
	}
	zone := e.clock.zone
	if rule.grid.day {
		zone = time.UTC
	}
	at := d.standing(lookback(rule.grid.day))
	switch {
	case newest.State == detect.Learning || newest.State == detect.Holiday:
		// A day that is not judged has no answer: it must not look like a pass.
		r.finish(Learning, newest.Text(zone, "rows"))
	case at < 0 || r.spec.slightly(d.verdicts[at].Window):
		newest.State = detect.Normal
		r.decide(newest.Observed, newest.Text(zone, "rows"))
	default:
		r.alarm(rule, d, at, e, newest.Text(zone, "rows"))
	}
	return nil
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
		r.finish(Late, "noticed: "+v.Text(zone, "rows"))
		return
	}
	if v.Window.Observed < v.Window.Expected {
		if message, late := rule.lateness(d.shortRun(since), e); late {
			r.finish(Late, message)
			return
		}
	}
	r.result.Since = e.clock.instant(since)
	message := v.Text(zone, "rows")
	if at < len(d.verdicts)-1 {
		message += "; it goes on: " + newest
	}
	r.fail(message)
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
