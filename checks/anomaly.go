package checks

import (
	"fmt"
	"math"
	"strings"
	"time"

	"dw/checks/detect"
)

// measure is one thing that the detector judges by bucket beside the number of
// rows.
type measure struct {
	sql   string // an aggregate
	name  string // as people call it
	ratio bool   // NULLs of a column, judged as a percentage of the rows
}

// finding is what the detector says of one measure. Figures are in the measure's
// own unit.
type finding struct {
	measure
	d     detected
	at    int  // of the alarm that stands, -1 for none
	blank bool // the newest bucket has no rows to measure
}

// anomalous runs a missing or metric check that the detector judges.
func (r *runner) anomalous() error {
	t, e, err := r.timed()
	if err != nil {
		return err
	}
	if e.empty() {
		return unfit("see why no row is loaded", "table %s has no row up to now, so there is nothing to judge", t.name)
	}
	if err := r.bucketFits(t, e); err != nil {
		return err
	}
	all, err := r.measures(t, e)
	if err != nil {
		return err
	}
	findings := make([]finding, len(all))
	var rule volumeRule
	for i, m := range all {
		if findings[i], rule, err = r.find(t, e, m); err != nil {
			return err
		}
	}
	return r.tellFindings(findings, rule, e)
}

// measures lists what the check measures.
func (r *runner) measures(t target, e extent) ([]measure, error) {
	if r.spec.kind() == KindMetric {
		from := e.clock.now.AddDate(0, 0, -detectorDays)
		if r.spec.Bucket == BucketDay || !aligned(e.clock.loc, from, e.clock.now) {
			return nil, unfit("leave out anomaly, or judge by the hour in a zone of whole hours", "an expression is measured by whole hours alone")
		}
		return []measure{{sql: r.spec.Expression, name: oneLine(r.spec.Expression)}}, nil
	}
	columns, err := t.columnList(r.spec.Columns)
	if err != nil {
		return nil, err
	}
	out := make([]measure, len(columns))
	for i, column := range columns {
		out[i] = measure{sql: "count(*) FILTER (WHERE " + column + " IS NULL)", name: r.spec.Columns[i], ratio: true}
	}
	return out, nil
}

// find judges one measure over its history.
func (r *runner) find(t target, e extent, m measure) (finding, volumeRule, error) {
	l, err := r.openLedger(t, e, e.clock.now.AddDate(0, 0, -detectorDays-1), m.sql)
	if err != nil {
		return finding{}, volumeRule{}, err
	}
	spec := r.spec
	spec.Delay, _ = l.delay(spec)
	rule := newVolumeRule(spec, e.clock.loc, e.clock.now)
	from, reach := rule.reach(e, detectorDays)
	if rule.history, err = l.count(r, t, e, []Bucket{reach}); err != nil {
		return finding{}, rule, err
	}
	r.result.SQL = rule.history.sql
	c, err := r.asAnswered(l, e, rule.grid.day)
	if err != nil {
		return finding{}, rule, err
	}
	f, err := m.judge(c, rule.grid, rule.history, from, rule.recent[0])
	if err != nil {
		return finding{}, rule, fmt.Errorf("judge %s: %w", m.name, err)
	}
	return f, rule, nil
}

// judge judges the buckets from one to another that have rows.
func (m measure) judge(c detect.Config, g grid, h history, from, to Bucket) (finding, error) {
	f := finding{measure: m, at: -1}
	buckets, points := g.series(h, from, to)
	var kept []detect.Point
	for i, b := range buckets {
		rows, value := h.count(b), h.sum(h.values, b)
		if rows == 0 {
			continue // unknown, not zero
		}
		if m.ratio {
			value *= 100 / rows
		}
		if value < 0 {
			return f, unfit("leave out anomaly: earlier weeks are compared then", "it is %s in %s, and the detector judges values from 0 up", formatNumber(value), g.label(b))
		}
		f.d.buckets = append(f.d.buckets, b)
		kept = append(kept, detect.Point{Start: points[i].Start, Value: value})
	}
	f.blank = len(kept) == 0 || !f.d.buckets[len(kept)-1].Start.Equal(to.Start)
	scale := 1.0
	if m.ratio {
		c.Metric = detect.Ratio
	} else {
		scale = scaleOf(kept)
	}
	for i := range kept {
		kept[i].Value *= scale
	}
	verdicts, err := detect.Judge(c, kept)
	if err != nil {
		return f, err
	}
	f.d.verdicts = verdicts
	f.at = f.d.standingFrom(lookback(g.day), math.SmallestNonzeroFloat64)
	for i := range verdicts {
		unscale(&verdicts[i], scale)
	}
	return f, nil
}

// scaleOf is the power of ten that brings usual values to tens of thousands: the
// detector takes values for counts, whose chance of counting is nothing there.
func scaleOf(points []detect.Point) float64 {
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = p.Value
	}
	middle := median(values)
	if middle <= 0 {
		return 1
	}
	return math.Pow(10, 4-math.Floor(math.Log10(middle)))
}

// unscale brings a verdict's figures back to the measure's unit.
func unscale(v *detect.Verdict, scale float64) {
	for _, figure := range []*float64{&v.Observed, &v.Expected, &v.Low, &v.High, &v.Window.Observed, &v.Window.Expected, &v.Window.Low, &v.Window.High} {
		*figure /= scale
	}
}

// tellFindings says what the findings mean: the first that is no fault speaks for
// the check where none is one.
func (r *runner) tellFindings(all []finding, rule volumeRule, e extent) error {
	newest := rule.recent[0]
	var alarms []finding
	for _, f := range all {
		if f.blank {
			// No answer must not look like a pass.
			r.finish(Learning, fmt.Sprintf("there is no row in %s to measure %s of", rule.grid.label(newest), f.name))
			return nil
		}
		if days := f.d.verdicts[len(f.d.verdicts)-1].Days; days < learnDays {
			return r.learningDays(days, f.text(r.spec.Table, len(f.d.verdicts)-1, rule.grid, e))
		}
		if f.at >= 0 && !r.spec.smallChange(f.d.verdicts[f.at].Window) {
			alarms = append(alarms, f)
		}
	}
	lead := all[0]
	if len(alarms) > 0 {
		lead = alarms[0]
	}
	r.describeFinding(lead, newest, e)
	last := lead.d.verdicts[len(lead.d.verdicts)-1]
	switch {
	case len(alarms) > 0:
		r.alarmOf(alarms, rule.grid, e)
	case last.State == detect.Holiday && r.oneOff(newest, e) != "":
		r.finish(Pass, lead.text(r.spec.Table, len(lead.d.verdicts)-1, rule.grid, e)+"; "+r.oneOff(newest, e))
	case last.State == detect.Holiday:
		r.finish(Learning, lead.text(r.spec.Table, len(lead.d.verdicts)-1, rule.grid, e)+"; a day that is not judged")
	default:
		r.finish(Pass, lead.text(r.spec.Table, len(lead.d.verdicts)-1, rule.grid, e))
	}
	return nil
}

// smallChange reports whether a deviation is below the check's own min_change.
func (s Spec) smallChange(w detect.Window) bool {
	return math.Abs(w.Observed-w.Expected) < s.MinChange/100*w.Expected
}

// describeFinding fills in what was observed and expected in the newest bucket.
func (r *runner) describeFinding(f finding, newest Bucket, e extent) {
	v := f.d.verdicts[len(f.d.verdicts)-1]
	unit := "value"
	if f.ratio {
		unit = "percent"
	}
	r.observe(v.Observed, unit)
	r.result.Bucket, r.result.Samples = &newest, v.Days
	r.result.Expected, r.result.Low, r.result.High = &v.Expected, &v.Low, &v.High
	r.result.Detection = &Detection{End: e.clock.instant(newest.End)}
}

// alarmOf says what is unusual, since when.
func (r *runner) alarmOf(alarms []finding, g grid, e extent) {
	var texts []string
	var since time.Time
	for _, f := range alarms {
		texts = append(texts, f.text(r.spec.Table, f.at, g, e))
		if at := e.clock.instant(f.d.bucketAt(f.d.verdicts[f.at].Window.Since)); since.IsZero() || at.Before(since) {
			since = at
		}
	}
	message := strings.Join(texts, "; ")
	if by, excused := r.excused(since); excused {
		r.finish(Pass, message+"; "+by)
		return
	}
	r.result.Since, r.result.Detection.Start = since, since
	r.fail(message)
}

// text says one verdict in words.
func (f finding) text(table string, i int, g grid, e extent) string {
	v := f.d.verdicts[i]
	if f.ratio {
		zone := e.clock.zone
		if g.day {
			zone = time.UTC
		}
		if v.State == detect.Learning || v.State == detect.Holiday {
			v.State = detect.Normal
		}
		return v.Text(zone, "% NULL of "+f.name)
	}
	figure := func(n float64) string { return formatNumber(roundTo(n, 4)) }
	text := fmt.Sprintf("%s of %s is %s in %s, usually %s", f.name, table, figure(v.Observed), g.label(f.d.buckets[i]), figure(v.Expected))
	if v.High > 0 {
		text += fmt.Sprintf(" (%s to %s)", figure(v.Low), figure(v.High))
	}
	if v.State != detect.Alarm {
		return text
	}
	if v.Window.Expected > 0 { // of nothing there is no percentage
		text += fmt.Sprintf(", %+.0f %%", 100*(v.Window.Observed/v.Window.Expected-1))
	}
	return text + ", since " + e.clock.text(f.d.bucketAt(v.Window.Since))
}
