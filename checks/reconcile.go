package checks

import (
	"context"
	"fmt"
	"math"
	"time"
)

// side is one of the two tables that a reconcile check compares.
type side struct {
	q          Querier
	connection string
	table      string
	where      string
	time       string // time column, may be empty
}

// reconcile runs a reconcile check: the same aggregate over two tables, on one
// connection or two; with a time column the rows of each closed bucket of the
// last day (of the last week, by day).
func (r *runner) reconcile() error {
	if r.other == nil {
		return fmt.Errorf("there is no connection %q to compare with", r.spec.ToConnection)
	}
	left := side{r.q, r.spec.Connection, r.spec.Table, r.spec.Where, r.spec.TimeColumn}
	right := side{r.other, orDefault(r.spec.ToConnection, r.spec.Connection), r.spec.To, r.spec.ToWhere, orDefault(r.spec.ToTime, r.spec.TimeColumn)}
	if r.spec.TimeColumn != "" {
		return r.reconcileBuckets(left, right)
	}
	expression := orDefault(r.spec.Expression, "count(*)")
	a, sqlA, err := left.value(r.ctx, expression)
	if err != nil {
		return err
	}
	b, sqlB, err := right.value(r.ctx, expression)
	if err != nil {
		return err
	}
	r.result.SQL = sqlA + ";\n" + sqlB
	text := fmt.Sprintf("%s has %s rows, %s has %s", left.name(), numberText(a), right.name(), numberText(b))
	if r.spec.Expression != "" {
		text = fmt.Sprintf("%s is %s for %s and %s for %s", oneLine(expression), numberText(a), left.name(), numberText(b), right.name())
	}
	return r.compare(a, b, text)
}

// name tells a side for a person.
func (s side) name() string {
	if s.connection == "" {
		return s.table
	}
	return s.table + " on " + s.connection
}

// value asks one side for an aggregate.
func (s side) value(ctx context.Context, expression string) (float64, string, error) {
	t, err := resolve(ctx, s.q, s.table)
	if err != nil {
		return 0, "", err
	}
	st := metricStatement(t, expression, filter{condition: s.where})
	row, err := askOne(ctx, s.q, st, 1)
	if err != nil {
		return 0, "", err
	}
	value, err := metricValue(row[0], expression, s.name())
	return value, st.render(), err
}

// difference is how far two numbers are apart, in rows or in percent of the
// greater, as the thresholds are.
func (r *runner) difference(a, b float64) (float64, string) {
	apart := math.Abs(a - b)
	if !r.spec.percent() {
		return apart, "rows"
	}
	return 100 * ratio(apart, max(math.Abs(a), math.Abs(b))), "percent"
}

// compare judges the difference of two numbers.
func (r *runner) compare(a, b float64, text string) error {
	value, unit := r.difference(a, b)
	r.observe(value, unit)
	r.defaultThreshold(Threshold{Op: "="})
	if value > 0 {
		text += fmt.Sprintf("; the difference is %s %s", formatNumber(roundTo(value, 4)), unit)
	}
	return r.settle(value, text)
}

// reconcileBuckets compares the rows of every closed bucket and judges the worst.
func (r *runner) reconcileBuckets(left, right side) error {
	loc, err := loadZone(r.spec.Zone)
	if err != nil {
		return err
	}
	g := newGrid(r.spec.Bucket, loc)
	var buckets []Bucket
	for b := g.newestClosed(r.now, r.spec.Delay); len(buckets) < lookback(g.day); b = g.before(b) {
		buckets = append(buckets, b)
	}
	span := Bucket{Start: buckets[len(buckets)-1].Start, End: buckets[0].End}
	a, err := left.history(r, span, loc)
	if err != nil {
		return err
	}
	b, err := right.history(r, span, loc)
	if err != nil {
		return err
	}
	r.result.SQL = a.sql + ";\n" + b.sql
	return r.judgeBuckets(g, buckets, a, b, left, right)
}

// history counts the rows of one side by bucket.
func (s side) history(r *runner, span Bucket, loc *time.Location) (history, error) {
	t, err := resolve(r.ctx, s.q, s.table)
	if err != nil {
		return history{}, err
	}
	e, err := measureExtent(r.ctx, s.q, t, s.time, "", r.spec.Zone, r.now)
	if err != nil {
		return history{}, err
	}
	if e.column.date {
		return history{}, unfit("leave out time_column and use where", "column %s of %s holds days without a time of day", s.time, s.table)
	}
	if e.empty() {
		return history{}, unfit("see why no row is loaded", "table %s has no row up to now, so there is nothing to compare", s.name())
	}
	return readHistory(r.ctx, s.q, t, e, s.where, []Bucket{span}, !aligned(loc, span.Start, span.End), measureRows)
}

// judgeBuckets finds the worst bucket, and since when they differ.
func (r *runner) judgeBuckets(g grid, buckets []Bucket, a, b history, left, right side) error {
	worst, worstValue, unit := 0, -1.0, "rows"
	var value float64
	for i, bucket := range buckets {
		if value, unit = r.difference(a.count(bucket), b.count(bucket)); value > worstValue {
			worst, worstValue = i, value
		}
	}
	bucket := buckets[worst]
	r.observe(worstValue, unit)
	r.result.Bucket = &bucket
	r.defaultThreshold(Threshold{Op: "="})
	text := fmt.Sprintf("%s and %s agree in %d buckets", left.name(), right.name(), len(buckets))
	if worstValue > 0 {
		text = fmt.Sprintf("%s has %s rows in %s and %s has %s: the difference is %s %s, the worst of %d buckets", left.name(),
			countText(a.count(bucket)), g.label(bucket), right.name(), countText(b.count(bucket)), formatNumber(roundTo(worstValue, 4)), unit, len(buckets))
	}
	if err := r.settle(worstValue, text); err != nil {
		return err
	}
	if r.result.Status == Fail || r.result.Status == Warn {
		r.result.Since = r.firstDiffering(buckets, a, b)
	}
	return nil
}

// firstDiffering is the start of the oldest bucket that does not pass.
func (r *runner) firstDiffering(buckets []Bucket, a, b history) time.Time {
	var since time.Time
	for _, bucket := range buckets {
		value, _ := r.difference(a.count(bucket), b.count(bucket))
		if !r.spec.Threshold.Holds(value) || !r.spec.Fail.Holds(value) || !r.spec.Warn.Holds(value) {
			since = bucket.Start
		}
	}
	return since
}

// numberText writes a whole number with commas, another as it is.
func numberText(v float64) string {
	if v == math.Trunc(v) {
		return countText(v)
	}
	return formatNumber(roundTo(v, 6))
}
