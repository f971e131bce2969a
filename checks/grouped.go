package checks

import (
	"fmt"
	"strings"
)

const (
	// maxGroups is how many groups a check may have.
	maxGroups = 200
	// maxGroupBy is by how many columns a check may be grouped.
	maxGroupBy = 2
)

// tally is a question that one row answers, and how the row is read. The
// statement ends with its conditions, so that it can be grouped.
type tally struct {
	ask  *statement
	read func(row []any) (reading, error)
}

// reading is the number that is judged.
type reading struct {
	value float64
	unit  string
	text  string
}

// judgeTally asks once and decides, for every group where the check is grouped.
func (r *runner) judgeTally(t target, q tally) error {
	if len(r.spec.GroupBy) > 0 {
		return r.judgeGroups(t, q)
	}
	r.result.SQL = q.ask.render()
	rows, err := ask(r.ctx, r.q, q.ask)
	if err != nil {
		return err
	}
	if len(rows.Values) != 1 {
		return fmt.Errorf("expected one row, got %d", len(rows.Values))
	}
	found, err := q.read(rows.Values[0])
	if err != nil {
		return err
	}
	r.observe(found.value, found.unit)
	return r.settle(found.value, found.text)
}

// judgeGroups asks for every group at once and takes the worst verdict. More
// groups than the cap are an error: a part of them is no answer.
func (r *runner) judgeGroups(t target, q tally) error {
	columns, err := t.columnList(r.spec.GroupBy)
	if err != nil {
		return err
	}
	s := q.ask.grouped(columns)
	r.result.SQL = s.render()
	rows, err := ask(r.ctx, r.q, s)
	switch {
	case err != nil:
		return err
	case len(rows.Values) > maxGroups:
		return unfit("group by a column with fewer values", "there are more than %d groups by %s", maxGroups, strings.Join(r.spec.GroupBy, ", "))
	case len(rows.Values) == 0:
		return unfit("see why no row is there", "there is no row of %s to group", t.name)
	}
	return r.worstGroup(t, q, rows, len(columns))
}

// worstGroup decides on each group and keeps the worst verdict, the first of
// several alike.
func (r *runner) worstGroup(t target, q tally, rows Rows, width int) error {
	status, bad := Pass, []string{}
	var observed *Measure
	for _, row := range rows.Values {
		found, err := q.read(row[width:])
		if err != nil {
			return fmt.Errorf("group %s: %w", r.groupName(row[:width]), err)
		}
		r.observe(found.value, found.unit)
		r.decide(found.value, found.text)
		if r.result.Status != Pass {
			bad = append(bad, r.groupName(row[:width])+": "+r.result.Message)
		}
		if observed == nil || worse(r.result.Status, status) {
			status, observed = r.result.Status, r.result.Observed
		}
	}
	r.result.Observed = observed
	what := fmt.Sprintf("%d groups of %s by %s", len(rows.Values), t.name, strings.Join(r.spec.GroupBy, ", "))
	if len(bad) == 0 {
		r.finish(Pass, "all "+what+" are right")
		return nil
	}
	r.finish(status, fmt.Sprintf("%d of %s: %s", len(bad), what, strings.Join(cut(bad), "; ")))
	return r.sayLastRight()
}

// worse reports whether a is a worse verdict than b.
func worse(a, b Status) bool {
	rank := map[Status]int{Pass: 0, Warn: 1, Fail: 2}
	return rank[a] > rank[b]
}

// groupName names a group without showing private values.
func (r *runner) groupName(values []any) string {
	parts := make([]string, len(values))
	for i, value := range values {
		text := short(toText(value))
		if _, hidden := r.spec.private(r.spec.GroupBy[i : i+1]); hidden {
			text = "(private)"
		}
		parts[i] = r.spec.GroupBy[i] + "=" + text
	}
	return strings.Join(parts, ", ")
}

// grouped turns a statement of aggregates into one by group.
func (s *statement) grouped(columns []string) *statement {
	a := *s.parts
	a.groups = columns
	return a.statement()
}

// validateGroups checks by what a check is grouped.
func (s Spec) validateGroups(kind string, p *problems) {
	if len(s.GroupBy) == 0 {
		return
	}
	if kind != KindRowCount && kind != KindMetric && kind != KindMissing && kind != KindAcceptedValues && kind != KindRange {
		p.add("group_by", "a %s check cannot be grouped; row_count, metric, missing, accepted_values and range can", kind)
	}
	if len(s.GroupBy) > maxGroupBy {
		p.add("group_by", "%d columns are too many, at most %d", len(s.GroupBy), maxGroupBy)
	}
	if kind == KindMetric && s.TimeColumn != "" {
		p.add("group_by", "a metric by bucket cannot be grouped; leave out time_column")
	}
	for i, column := range s.GroupBy {
		s.validateListed("group_by", i, column, p)
	}
}
