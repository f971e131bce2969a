package checks

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// letters is what a dead-letter table holds.
type letters struct {
	total  float64 // all rows
	fresh  float64 // rows that the last check did not see
	first  time.Time
	last   time.Time
	newest time.Time // of all rows
	clock  clock
}

// deadLetter runs a dead_letter check: the rows that have come since the last
// check. A table that does not exist holds none: it is made with its first row.
func (r *runner) deadLetter() error {
	previous, known, err := r.previous()
	if err != nil {
		return err
	}
	r.result.Watermark = previous.Watermark
	t, err := resolve(r.ctx, r.q, r.spec.Table)
	if _, ok := errors.AsType[*MissingTableError](err); ok {
		r.observe(0, "rows")
		r.result.Watermark = time.Time{}
		r.decide(0, fmt.Sprintf("there is no dead-letter table %s, which counts as no rows", r.spec.Table))
		return nil
	}
	if err != nil {
		return err
	}
	found, err := r.readLetters(t, previous.Watermark)
	if err != nil {
		return err
	}
	// Rows with an old time that came late: the number tells, the times do not.
	// Without an earlier check Count is zero, and all rows are new.
	found.fresh = max(found.fresh, found.total-float64(previous.Count))
	r.observe(found.fresh, "rows")
	r.result.Count = int64(found.total)
	r.result.FirstRow, r.result.LastRow, r.result.Since = found.first, found.last, found.clock.instant(found.first)
	if found.newest.After(previous.Watermark) {
		r.result.Watermark = found.newest
	}
	return r.judgeLetters(found, previous.Watermark, known)
}

// readLetters counts all rows and those newer than the watermark.
func (r *runner) readLetters(t target, watermark time.Time) (letters, error) {
	if r.spec.TimeColumn == "" {
		return r.countLetters(t)
	}
	e, err := measureExtent(r.ctx, r.q, t, r.spec.TimeColumn, r.spec.TimeFormat, r.spec.Zone, r.now)
	if err != nil {
		return letters{}, err
	}
	newest := e.last
	if e.future.After(newest) {
		newest = e.future
	}
	s := lettersStatement(t, e.column, r.spec.Where, watermark)
	r.result.SQL = s.render()
	row, err := askOne(r.ctx, r.q, s, 4)
	if err != nil {
		return letters{}, err
	}
	counts, err := toCounts(row[:2])
	if err != nil {
		return letters{}, fmt.Errorf("read the counts: %w", err)
	}
	found := letters{total: counts[0], fresh: counts[1], newest: newest, clock: e.clock}
	if row[2] != nil {
		if _, found.first, err = readTime(row[2], e.column.format); err != nil {
			return letters{}, err
		}
		if _, found.last, err = readTime(row[3], e.column.format); err != nil {
			return letters{}, err
		}
	}
	return found, nil
}

// countLetters counts a table without a time column.
func (r *runner) countLetters(t target) (letters, error) {
	s := countStatement(t, filter{condition: r.spec.Where})
	r.result.SQL = s.render()
	row, err := askOne(r.ctx, r.q, s, 1)
	if err != nil {
		return letters{}, err
	}
	total, err := toCount(row[0])
	return letters{total: total}, err
}

// lettersStatement counts all rows, and those after a watermark with their first
// and last time. A dead-letter table is small; one scan answers all four.
func lettersStatement(t target, c timeColumn, where string, watermark time.Time) *statement {
	s := &statement{dialect: t.dialect}
	if watermark.IsZero() {
		s.add("SELECT count(*), count(*), min(", c.sorted(), "), max(", c.sorted(), ") FROM ", t.quoted)
		return s.condition("WHERE", where)
	}
	newer := func(then string) {
		s.add("CASE WHEN ", c.sorted(), " > ").instant(c, c.after(watermark)).add(" THEN ", then, " END")
	}
	s.add("SELECT count(*), count(")
	newer("1")
	s.add("), min(")
	newer(c.sorted())
	s.add("), max(")
	newer(c.sorted())
	return s.add(") FROM ", t.quoted).condition("WHERE", where)
}

// judgeLetters decides by share and by number.
func (r *runner) judgeLetters(found letters, since time.Time, known bool) error {
	what := fmt.Sprintf("%s new dead-letter rows in %s", countText(found.fresh), r.spec.Table)
	if !known {
		what += " (no earlier check: all rows are new)"
	}
	if !found.first.IsZero() {
		what += fmt.Sprintf(", first at %s, last at %s", found.clock.text(found.first), found.clock.text(found.last))
	}
	if r.spec.Share > 0 {
		share, err := r.deadShare(found.fresh, since)
		if err != nil {
			return err
		}
		what += fmt.Sprintf(", %s%% of the rows", formatNumber(roundTo(share, 3)))
		if share > r.spec.Share {
			r.fail(fmt.Sprintf("%s, allowed are %s%%", what, formatNumber(r.spec.Share)))
			return nil
		}
	}
	if (r.spec.Share == 0 || r.spec.Max > 0) && found.fresh > float64(r.spec.Max) {
		r.fail(fmt.Sprintf("%s, allowed are %d", what, r.spec.Max))
		return nil
	}
	r.decide(found.fresh, what)
	return nil
}

// deadShare returns what percent of the rows since a time are dead letters.
func (r *runner) deadShare(dead float64, since time.Time) (float64, error) {
	if dead == 0 {
		return 0, nil
	}
	good, err := countSince(r.ctx, r.q, r.spec, since, r.now)
	if err != nil {
		return 0, fmt.Errorf("count the good rows: %w", err)
	}
	return 100 * dead / (dead + good), nil
}

// countSince counts the rows of the main table after a time, all of them where
// the time is zero.
func countSince(ctx context.Context, q Querier, spec Spec, since, now time.Time) (float64, error) {
	t, err := resolve(ctx, q, spec.MainTable)
	if err != nil {
		return 0, err
	}
	s := countStatement(t, filter{})
	if !since.IsZero() {
		e, err := measureExtent(ctx, q, t, orDefault(spec.MainTime, spec.TimeColumn), "", spec.Zone, now)
		if err != nil {
			return 0, err
		}
		s.add(" WHERE ", e.column.sorted(), " > ").instant(e.column, e.column.after(since))
	}
	row, err := askOne(ctx, q, s, 1)
	if err != nil {
		return 0, err
	}
	return toCount(row[0])
}
