package checks

import (
	"fmt"
	"math"
)

// metric runs a metric check: an aggregate over the table, or with a time column
// over its newest closed bucket, against thresholds or, where none is set, the
// same bucket of earlier weeks.
func (r *runner) metric() error {
	if r.spec.Anomaly {
		return r.anomalous()
	}
	t, f, err := r.judgedTable()
	if err != nil {
		return err
	}
	if r.spec.TimeColumn != "" {
		return r.metricOfBucket(t, f)
	}
	r.defaultThreshold(Threshold{})
	return r.judgeTally(t, tally{metricStatement(t, r.spec.Expression, f), func(row []any) (reading, error) {
		value, err := metricValue(row[0], r.spec.Expression, "table "+t.name+f.text())
		return reading{value, "value", fmt.Sprintf("%s of %s is %s", oneLine(r.spec.Expression), t.name, formatNumber(roundTo(value, 6)))}, err
	}})
}

// metricStatement asks for an expression, which has passed the guard, over the
// rows of a table.
func metricStatement(t target, expression string, f filter) *statement {
	a := over(t, f, func(s *statement) { s.where(expression) })
	a.alone = !additive(expression)
	return a.statement()
}

// metricValue reads the value of an expression. NULL, as of an average over no
// rows, is no number and never a pass.
func metricValue(value any, expression, over string) (float64, error) {
	if value == nil {
		return 0, unfit("wrap it in coalesce(…, 0) if that means zero", "%s over %s is NULL: there was no value to work on", oneLine(expression), over)
	}
	number, err := toFloat(value)
	if err != nil {
		return 0, unfit("write an expression that is a number", "read %s: %v", oneLine(expression), err)
	}
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return 0, fmt.Errorf("%s over %s is %v, which no threshold can judge", oneLine(expression), over, number)
	}
	return number, nil
}

// metricOfBucket judges the newest closed bucket.
func (r *runner) metricOfBucket(t target, f filter) error {
	e, b, err := r.newestBucket(t)
	if err != nil {
		return err
	}
	spans := referenceSpans(b, r.spec.weeks(), e.clock.loc, e.first)
	s := bucketsStatement(t, r.spec.Expression, e.column, spans, f)
	r.result.SQL = s.render()
	row, err := askOne(r.ctx, r.q, s, len(spans))
	if err != nil {
		return err
	}
	label := newGrid(r.spec.Bucket, e.clock.loc).label(b)
	value, err := metricValue(row[0], r.spec.Expression, label)
	if err != nil {
		return err
	}
	r.observe(value, "value")
	r.result.Bucket = &b
	text := fmt.Sprintf("%s of %s is %s in %s", oneLine(r.spec.Expression), t.name, formatNumber(roundTo(value, 6)), label)
	if r.spec.thresholdSet() {
		r.defaultThreshold(Threshold{})
		r.decide(value, text)
	} else if err := r.againstWeeks(value, row[1:], text); err != nil {
		return err
	}
	if r.result.Status == Fail || r.result.Status == Warn {
		r.result.Since = e.clock.instant(b.Start)
	}
	return r.sayLastRight()
}

// newestBucket measures the time column and returns the newest closed bucket.
func (r *runner) newestBucket(t target) (extent, Bucket, error) {
	e, err := measureExtent(r.ctx, r.q, t, r.spec.TimeColumn, r.spec.TimeFormat, r.spec.Zone, r.now)
	if err != nil {
		return extent{}, Bucket{}, err
	}
	if e.empty() {
		return extent{}, Bucket{}, unfit("see why no row is loaded", "table %s has no row up to now, so there is nothing to judge", t.name)
	}
	if err := r.bucketFits(t, e); err != nil {
		return extent{}, Bucket{}, err
	}
	return e, newGrid(r.spec.Bucket, e.clock.loc).newestClosed(e.clock.now, r.spec.Delay), nil
}

// bucketFits refuses to count days by the hour.
func (r *runner) bucketFits(t target, e extent) error {
	if e.column.date && r.spec.Bucket != BucketDay {
		return unfit("set bucket to day", "column %s of %s holds days without a time of day", r.spec.TimeColumn, t.name)
	}
	return nil
}

// bucketsStatement asks for an expression over each of some spans at once.
func bucketsStatement(t target, expression string, c timeColumn, spans []Bucket, f filter) *statement {
	s := (&statement{dialect: t.dialect}).add("SELECT ")
	for i, span := range spans {
		if i > 0 {
			s.add(",\n  ")
		}
		s.add("(SELECT ").where(expression).add(" FROM ", t.quoted, " WHERE ").within(c, span).only("AND", f).add(")")
	}
	a := over(t, f, func(s *statement) { s.where(expression) })
	a.column, a.spans, a.alone = c, spans, !additive(expression)
	s.parts = &a
	return s
}

// againstWeeks judges a value by the same bucket of earlier weeks: it is usual
// within four times their spread, and within min_change percent in any case.
func (r *runner) againstWeeks(value float64, earlier []any, text string) error {
	var references []float64
	for _, v := range earlier {
		if n, err := toFloat(v); v != nil && err == nil {
			references = append(references, n)
		}
	}
	if len(references) < minSamples {
		return r.learning(len(references), fmt.Sprintf("%s, and only %d earlier weeks are known", text, len(references)))
	}
	expected := median(references)
	spread := madToSigma * median(deviations(references, expected))
	allowance := max(allowedSpreads*spread, math.Abs(expected)*r.spec.minChange()/100)
	low, high := expected-allowance, expected+allowance
	r.result.Expected, r.result.Low, r.result.High, r.result.Samples = &expected, &low, &high, len(references)
	text = fmt.Sprintf("%s, usually %s (%s to %s in %d weeks)", text,
		formatNumber(roundTo(expected, 4)), formatNumber(roundTo(low, 4)), formatNumber(roundTo(high, 4)), len(references))
	if value < low || value > high {
		r.fail(text)
		return nil
	}
	r.finish(Pass, text)
	return nil
}

// thresholdSet reports whether the check names any threshold.
func (s Spec) thresholdSet() bool {
	return !s.Threshold.IsZero() || !s.Fail.IsZero() || !s.Warn.IsZero()
}

// percent reports whether a threshold of the check is a percentage.
func (s Spec) percent() bool { return s.Threshold.Percent || s.Fail.Percent || s.Warn.Percent }
