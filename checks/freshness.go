package checks

import (
	"fmt"
	"strings"
	"time"
)

// freshness runs a freshness check: the age of the newest row that is not in the
// future.
func (r *runner) freshness() error {
	t, e, err := r.timed()
	if err != nil {
		return err
	}
	newest, err := r.newestRow(t, e)
	if err != nil {
		return err
	}
	if newest.IsZero() {
		r.fail(neverLoaded(t.name, r.spec.Where, e))
		return nil
	}
	age := max(0, e.clock.now.Sub(newest))
	limit := r.spec.MaxAge.Seconds()
	r.observe(age.Seconds(), "seconds")
	r.result.High, r.result.LastRow = &limit, newest
	what := fmt.Sprintf("newest row of %s is from %s, %s old", t.name, e.clock.text(newest), ageText(age))
	if age > r.spec.MaxAge {
		r.result.Since = e.clock.instant(newest.Add(r.spec.MaxAge))
		r.fail(what + ", allowed is " + ageText(r.spec.MaxAge))
		return nil
	}
	r.decide(age.Seconds(), what)
	return nil
}

// newestRow returns the newest time among the rows that meet the condition.
func (r *runner) newestRow(t target, e extent) (time.Time, error) {
	s := extentStatement(t, e.column)
	r.result.SQL = s.render()
	if e.empty() || r.spec.Where == "" {
		return e.last, nil
	}
	s = e.column.newestStatement(t, r.spec.Where, e.clock.now)
	r.result.SQL = s.render()
	return e.column.newestUntil(r.ctx, r.q, t, r.spec.Where, e.clock.now)
}

// neverLoaded says why there is no newest row.
func neverLoaded(table, where string, e extent) string {
	switch {
	case !e.empty() && where != "":
		return fmt.Sprintf("no row of %s has ever met the condition %s", table, oneLine(where))
	case !e.future.IsZero():
		return fmt.Sprintf("table %s has no row up to now; its only rows lie in the future, the newest at %s", table, e.clock.text(e.future))
	}
	return fmt.Sprintf("table %s has never been loaded: no row has a time", table)
}

// ageText writes a duration to the second without idle units.
func ageText(d time.Duration) string {
	d = d.Round(time.Second)
	if days := d / (24 * time.Hour); days >= 2 {
		return fmt.Sprintf("%d days", days)
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
