package checks

import (
	"fmt"
	"strings"
	"time"
)

// clockSkew is how far ahead of dw's clock the newest row may lie.
const clockSkew = 15 * time.Minute

// freshness runs a freshness check: the age of the newest row.
func (r *runner) freshness() error {
	t, e, err := r.timed()
	if err != nil {
		return err
	}
	if err := r.refuseFuture(t, e); err != nil {
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
	r.observe(age.Seconds(), "seconds")
	r.result.LastRow = newest
	if done, err := r.judgeDue(t, e, newest); done || err != nil {
		return err
	}
	if r.spec.MaxAge > 0 {
		limit := r.spec.MaxAge.Seconds()
		r.result.High = &limit
	}
	what := fmt.Sprintf("newest row of %s is from %s, %s old", t.name, e.clock.text(newest), ageText(age))
	if r.spec.MaxAge > 0 && age > r.spec.MaxAge {
		r.result.Since = e.clock.instant(newest.Add(r.spec.MaxAge))
		r.fail(what + ", allowed is " + ageText(r.spec.MaxAge))
		return nil
	}
	r.decide(age.Seconds(), what)
	return nil
}

// refuseFuture refuses to tell the age of a table that holds rows from the
// future: their clock, or the zone in which the column is kept, is wrong, and so
// may be that of every other row. A condition may leave them out.
func (r *runner) refuseFuture(t target, e extent) error {
	newest := e.future
	if !newest.IsZero() && r.spec.Where != "" {
		row, err := askOne(r.ctx, r.q, newestOfAll(t, e.column, r.spec.Where), 1)
		if err != nil || row[0] == nil {
			return err
		}
		if _, newest, err = readTime(row[0], e.column.format); err != nil {
			return err
		}
	}
	if newest.Sub(e.clock.now) <= clockSkew {
		return nil
	}
	return unfit("correct the rows or the zone in which they are written, or leave such rows out with where",
		"the newest row of %s is from %s, which is in the future, so its age tells nothing", t.name, e.clock.text(newest))
}

// newestOfAll asks for the newest time under a condition, be it in the future.
func newestOfAll(t target, c timeColumn, where string) *statement {
	return (&statement{dialect: t.dialect}).add("SELECT max(", c.sorted(), ") FROM ", t.quoted).condition("WHERE", where)
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
