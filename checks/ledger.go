package checks

import (
	"fmt"
	"slices"
	"time"
)

// ledger is a history as one run of a check sees it: what is kept of it, and what
// it must read.
type ledger struct {
	shelf    Shelf // nil: nothing is kept, and all is read
	history  History
	kept     Kept
	now      time.Time // as of when the check is asked
	lateness time.Duration
	days     bool                  // the column has days alone: nothing tells when within one a row came
	before   map[time.Time]float64 // rows of the kept spans that are found to hold others now
}

// openLedger looks up what is kept of the rows that a check counts, from an
// instant on.
func (r *runner) openLedger(t target, e extent, from time.Time, measure string) (*ledger, error) {
	l := &ledger{now: e.clock.now, lateness: orDefault(r.spec.Lateness, DefaultLateness), days: e.clock.days, before: map[time.Time]float64{}}
	l.history = History{
		Connection: r.spec.Connection, Table: t.quoted, Where: r.spec.Where, Column: e.column.quoted, Format: e.column.format,
		Measure: measure, Quarters: !aligned(e.clock.loc, from, e.clock.now),
	}
	shelf, keeps := r.mem.(Shelf)
	if !keeps || r.spec.Connection == "" {
		return l, nil
	}
	var err error
	if l.kept, err = shelf.Kept(r.ctx, l.history, from); err != nil {
		return nil, fmt.Errorf("read the history that dw keeps of table %s: %w", t.name, err)
	}
	l.shelf = shelf
	return l, nil
}

// unread returns the parts of some spans that must be read: what is not kept, and
// what was too young, when it was read last, to hold all its rows.
func (l *ledger) unread(spans []Bucket) []Bucket {
	settled := l.settled()
	var out []Bucket
	for _, span := range mergeSpans(slices.Clone(spans)) {
		for at := span.Start; at.Before(span.End); at = at.Add(l.history.step()) {
			end := at.Add(l.history.step())
			if _, known := l.kept.Spans[at]; known && !end.After(settled) {
				continue
			}
			if end.After(span.End) {
				end = span.End
			}
			out = append(out, Bucket{at, end})
		}
	}
	return mergeSpans(out)
}

// settled is up to where what is kept is not read again: it was old enough when it
// was read last, and lies before the time as of which the check is asked, which may
// be within a span that has ended since.
func (l *ledger) settled() time.Time {
	settled := l.kept.Until.Add(-l.lateness)
	if settled.After(l.now) {
		return l.now
	}
	return settled
}

// count returns the rows of some spans, reads what is not kept, and keeps it.
func (l *ledger) count(r *runner, t target, e extent, spans []Bucket) (history, error) {
	if l.shelf == nil {
		return readHistory(r.ctx, r.q, t, e, r.spec.Where, spans, l.history.Quarters, l.history.Measure)
	}
	h := history{counts: map[time.Time]float64{}, values: map[time.Time]float64{}, quarters: l.history.Quarters, first: e.first}
	for at, span := range l.kept.Spans {
		if at.Add(l.history.step()).After(l.now) {
			continue
		}
		h.counts[at], h.values[at] = span.Rows, span.Value
	}
	unread := l.unread(spans)
	if len(unread) == 0 {
		return h, nil
	}
	read, err := readHistory(r.ctx, r.q, t, e, r.spec.Where, unread, l.history.Quarters, l.history.Measure)
	if err != nil {
		return history{}, err
	}
	h.sql = read.sql
	var changed []KeptSpan
	for _, span := range unread {
		for at := span.Start; at.Before(span.End); at = at.Add(l.history.step()) {
			h.counts[at], h.values[at] = read.counts[at], read.values[at]
			if now, differs := l.differs(at, read.counts[at], read.values[at]); differs {
				changed = append(changed, now)
			}
		}
	}
	if err := l.shelf.Keep(r.ctx, l.history, changed, l.now); err != nil {
		return history{}, fmt.Errorf("keep the history of table %s: %w", t.name, err)
	}
	return h, nil
}

// differs reports whether a span that has ended is not kept as it is now, and
// returns how it is to be kept.
func (l *ledger) differs(at time.Time, rows, value float64) (KeptSpan, bool) {
	end := at.Add(l.history.step())
	was, known := l.kept.Spans[at]
	if end.After(l.now) || known && was.Rows == rows && was.Value == value {
		return KeptSpan{}, false
	}
	if known {
		l.before[at] = was.Rows
	}
	now := was.grown(value, rows, l.kept.Now.Sub(end), l.lateness)
	now.Start = at
	return now, true
}
