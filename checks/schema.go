package checks

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// schema runs a schema check: the columns of a table against those that were
// learned, and against what the check requires, forbids and types. What was
// learned is kept in the Result. It stays as it was while the table differs, so
// that a change is bad until it is taken back or accepted.
func (r *runner) schema() error {
	t, err := resolve(r.ctx, r.q, r.spec.Table)
	if err != nil {
		return err
	}
	previous, known, err := r.previous()
	if err != nil {
		return err
	}
	r.result.SQL = "-- the catalogue's columns of " + t.quoted
	contract := r.spec.contractProblems(t.columns)
	if !known || len(previous.Schema) == 0 || r.accepted(previous.At) {
		r.result.Schema = t.columns
		r.learned(t, contract)
		return nil
	}
	d := diffSchemas(previous.Schema, t.columns, r.spec.AllowNew)
	if len(contract) == 0 && d.count() > 0 && r.asApproved(previous.Schema, t.columns) {
		r.observe(0, "changes")
		r.result.Schema = t.columns
		r.finish(Pass, fmt.Sprintf("the %d columns of %s are as they were, but for what was approved: %s", len(t.columns), t.name, renamesText(r.spec.Renamed)))
		return nil
	}
	r.observe(float64(d.count()+len(contract)), "changes")
	r.result.Renamed = d.renamed
	if d.count()+len(contract) == 0 {
		r.result.Schema = t.columns
		r.finish(Pass, fmt.Sprintf("the %d columns of %s are as they were%s", len(t.columns), t.name, d.newText()))
		return nil
	}
	r.result.Schema = previous.Schema
	r.result.Since = previous.At
	if previous.Status != Pass && !previous.Since.IsZero() {
		r.result.Since = previous.Since
	}
	return r.changed(t, d, contract)
}

// accepted reports whether what was found up to a time is accepted, so that the
// columns are learned anew.
func (r *runner) accepted(at time.Time) bool {
	return !at.After(r.spec.AcceptedAt) && !r.now.Before(r.spec.AcceptedAt)
}

// learned finishes the first run.
func (r *runner) learned(t target, contract []string) {
	r.observe(float64(len(contract)), "changes")
	text := fmt.Sprintf("learned the %d columns of %s; the next run compares with them", len(t.columns), t.name)
	if len(contract) > 0 {
		r.fail(strings.Join(cut(contract), "; ") + "; " + text)
		return
	}
	r.finish(Learning, text)
}

// changed finishes a run that found a difference. Columns that are gone or of
// another type break their readers; the rest is a warning.
func (r *runner) changed(t target, d schemaDiff, contract []string) error {
	loc, err := loadZone(r.spec.Zone)
	if err != nil {
		return err
	}
	parts := append(cut(contract), d.sentences()...)
	text := fmt.Sprintf("the columns of %s changed after %s: %s", t.name, timeText(r.result.Since, loc), strings.Join(parts, "; "))
	if d.count() > 0 {
		text += "; if it is meant, set accepted_at to " + nextSecond(r.now).Format(time.RFC3339) + " or later"
	}
	if d.breaks() || len(contract) > 0 {
		r.fail(text)
		return nil
	}
	r.finish(Warn, text)
	return nil
}

// contractProblems says how columns differ from what the check demands.
func (s Spec) contractProblems(columns []Column) []string {
	find := func(name string) (Column, bool) {
		at := slices.IndexFunc(columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
		if at < 0 {
			return Column{}, false
		}
		return columns[at], true
	}
	var wrong []string
	for _, name := range s.Columns {
		if _, found := find(name); !found {
			wrong = append(wrong, "required column "+short(name)+" is not there")
		}
	}
	for _, name := range s.Forbidden {
		if _, found := find(name); found {
			wrong = append(wrong, "forbidden column "+short(name)+" is there")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Types)) {
		column, found := find(name)
		switch {
		case !found:
			wrong = append(wrong, "column "+short(name)+" of type "+short(s.Types[name])+" is not there")
		case !strings.EqualFold(column.Type, s.Types[name]):
			wrong = append(wrong, "column "+short(name)+" is "+short(column.Type)+", not "+short(s.Types[name]))
		}
	}
	return wrong
}

// maxListed is how many changes of one sort a sentence names.
const maxListed = 5

// cut shortens a list to what one message holds.
func cut(list []string) []string {
	if len(list) <= maxListed {
		return list
	}
	return append(slices.Clone(list[:maxListed]), fmt.Sprintf("and %d more", len(list)-maxListed))
}

// short cuts a name to 40 characters.
func short(name string) string {
	if runes := []rune(name); len(runes) > 40 {
		return string(runes[:39]) + "…"
	}
	return name
}
