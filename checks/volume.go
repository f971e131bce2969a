package checks

import (
	"fmt"
	"math"
	"time"
)

// volumeRule judges buckets against the same hours of earlier weeks.
type volumeRule struct {
	spec    Spec
	grid    grid
	history history
	recent  []Bucket // newest closed bucket first
	open    Bucket   // from the end of the newest closed bucket up to now
	known   map[time.Time][]float64
}

// judged is one bucket with what was expected of it.
type judged struct {
	bucket   Bucket
	actual   float64
	expected float64
	spread   float64
	samples  int
	bad      bool
}

func (j judged) short() bool { return j.actual < j.expected }

func (j judged) missing() float64 { return j.expected - j.actual }

// lookback is how many closed buckets are judged to find the onset.
func lookback(day bool) int {
	if day {
		return 7
	}
	return 24
}

// newVolumeRule lays out the buckets that a check looks at.
func newVolumeRule(spec Spec, loc *time.Location, now time.Time) volumeRule {
	v := volumeRule{spec: spec, grid: newGrid(spec.Bucket, loc), known: map[time.Time][]float64{}}
	newest := v.grid.newestClosed(now, spec.Delay)
	v.open = Bucket{Start: newest.End, End: nextSecond(now)}
	for b := newest; len(v.recent) < lookback(v.grid.day); b = v.grid.before(b) {
		v.recent = append(v.recent, b)
	}
	return v
}

// spans returns all that must be counted: the recent buckets up to now, and the
// same span of each earlier week.
func (v volumeRule) spans() []Bucket {
	whole := Bucket{Start: v.recent[len(v.recent)-1].Start, End: v.open.End}
	spans := []Bucket{whole}
	for week := 1; week <= v.spec.weeks(); week++ {
		wall := wallClock(whole.Start, v.grid.loc).AddDate(0, 0, -7*week)
		start, _ := resolveWall(wall, v.grid.loc)
		end := v.grid.containing(whole.End).End.AddDate(0, 0, -7*week)
		// A clock change between the weeks moves the end by an hour.
		spans = append(spans, Bucket{Start: v.grid.containing(start).Start, End: end.Add(time.Hour)})
	}
	return spans
}

// references returns the counts of the same bucket in earlier weeks, as far as
// the table reaches back. The bucket itself is never among them.
func (v volumeRule) references(b Bucket) []float64 {
	if counts, found := v.known[b.Start]; found {
		return counts
	}
	var counts []float64
	for week := 1; week <= v.spec.weeks(); week++ {
		earlier, exists := weeksBefore(b, week, v.grid.loc)
		if exists && v.history.knows(earlier) {
			counts = append(counts, v.history.count(earlier))
		}
	}
	v.known[b.Start] = counts
	return counts
}

// judge compares one bucket with its references.
func (v volumeRule) judge(b Bucket) judged {
	references := v.references(b)
	expected := median(references)
	j := judged{
		bucket:   b,
		actual:   v.history.count(b),
		expected: expected,
		spread:   spreadOf(expected, v.pooledShare(expected)),
		samples:  len(references),
	}
	j.bad = j.samples >= minSamples && math.Abs(j.missing()) > v.allowance(j)
	return j
}

// allowance is how far a count may be from what is expected: the widest of the
// statistical band and the two gates for small changes.
func (v volumeRule) allowance(j judged) float64 {
	// A difference of exactly min_rows counts, hence the half row.
	return max(allowedSpreads*j.spread, j.expected*v.spec.minChange()/100, v.spec.minRows()-0.5)
}

// pooledShare measures the relative spread over all recent buckets of like size:
// a handful of weeks gives no usable spread for one hour alone.
func (v volumeRule) pooledShare(expected float64) float64 {
	var shares []float64
	for _, b := range v.recent {
		references := v.references(b)
		centre := median(references)
		if len(references) < minSamples || centre <= 0 || centre > 4*expected || centre < expected/4 {
			continue
		}
		for _, d := range deviations(references, centre) {
			shares = append(shares, d/centre)
		}
	}
	return madToSigma * median(shares)
}

// badRun returns the judged buckets that are bad in one direction without a
// break, going back from recent[from].
func (v volumeRule) badRun(from int, short bool) []judged {
	var run []judged
	for _, b := range v.recent[min(from, len(v.recent)):] {
		j := v.judge(b)
		if !j.bad || j.short() != short {
			break
		}
		run = append(run, j)
	}
	return run
}

// volume runs a volume check.
func (r *runner) volume() error {
	t, e, err := r.timed()
	if err != nil {
		return err
	}
	if err := r.bucketFits(t, e); err != nil {
		return err
	}
	if e.empty() && !e.future.IsZero() {
		return unfit("correct the times, or leave such rows out with where", "table %s has no row up to now; its only rows lie in the future, the newest at %s", t.name, e.clock.text(e.future))
	}
	if e.empty() {
		return r.learning(0, fmt.Sprintf("table %s has no rows yet", t.name))
	}
	if r.spec.judge() == JudgeDetector {
		return r.volumeDetected(t, e)
	}
	rule := newVolumeRule(r.spec, e.clock.loc, e.clock.now)
	spans := mergeSpans(rule.spans())
	l, err := r.openLedger(t, e, spans[0].Start, measureRows)
	if err != nil {
		return err
	}
	if rule.history, err = l.count(r, t, e, spans); err != nil {
		return err
	}
	r.landed(l, rule, rule.recent, func(i int) float64 { return rule.judge(rule.recent[i]).expected })
	r.result.SQL = rule.history.sql
	newest := rule.judge(rule.recent[0])
	r.describe(rule, newest)
	if newest.samples < minSamples {
		return r.learning(newest.samples, fmt.Sprintf("only %d earlier weeks are known", newest.samples))
	}
	return r.verdict(rule, newest, e)
}

// describe fills in what was observed and expected of the newest bucket.
func (r *runner) describe(rule volumeRule, j judged) {
	low, high := max(0, j.expected-rule.allowance(j)), j.expected+rule.allowance(j)
	r.observe(j.actual, "rows")
	r.result.Bucket = &Bucket{Start: j.bucket.Start, End: j.bucket.End}
	r.result.Samples = j.samples
	if j.samples >= minSamples {
		r.result.Expected, r.result.Low, r.result.High = &j.expected, &low, &high
	}
}

// verdict says what a judged bucket means.
func (r *runner) verdict(rule volumeRule, j judged, e extent) error {
	what := fmt.Sprintf("%s rows in %s, usually %s (median of %d weeks)",
		countText(j.actual), rule.grid.label(j.bucket), countText(j.expected), j.samples)
	if !j.bad {
		r.decide(j.actual, what+r.andLanded())
		return nil
	}
	run := rule.badRun(0, j.short())
	if message, late := rule.lateness(run, e); late {
		r.finish(Late, message+r.andLanded())
		return nil
	}
	began := run[len(run)-1].bucket.Start
	r.result.Since = e.clock.instant(began)
	since := ", since "
	if len(run) == len(rule.recent) {
		since = ", since at least "
	}
	r.fail(what + since + e.clock.text(began) + r.andLanded())
	return nil
}
