package checks

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// dimension runs a dimension check: the rows of the newest closed bucket by the
// values of each dimension, against the same bucket of earlier weeks. It sees one
// value fall while others rise, which the number of all rows does not tell.
func (r *runner) dimension() error {
	t, err := resolve(r.ctx, r.q, r.spec.Table)
	if err != nil {
		return err
	}
	e, b, err := r.newestBucket(t)
	if err != nil {
		return err
	}
	label := newGrid(r.spec.Bucket, e.clock.loc).label(b)
	r.result.Bucket = &b
	s, err := newSplitter(r.ctx, r.spec, r.q, b)
	if young, ok := errors.AsType[*youngError](err); ok {
		return r.learning(young.weeks, young.Error())
	}
	if err != nil {
		return err
	}
	r.result.Samples = len(s.spans) - 1
	bad, judged, err := r.badValues(s)
	r.result.SQL = strings.Join(s.asked, ";\n")
	if err != nil {
		return err
	}
	r.observe(float64(len(bad)), "segments")
	if len(bad) == 0 {
		r.finish(Pass, fmt.Sprintf("all %d values of %s in %s are as usual in %s", judged, strings.Join(r.spec.Dimensions, ", "), t.name, label))
		return nil
	}
	r.result.Since = e.clock.instant(b.Start)
	r.fail(fmt.Sprintf("%d of %d values are not as usual in %s of %s: %s", len(bad), judged, label, t.name, strings.Join(cut(bad), "; ")))
	return r.sayLastRight()
}

// badValues judges every value of every dimension and says which are unusual. A
// dimension that cannot be split whole is an error: a part of it is no answer.
func (r *runner) badValues(s *splitter) (bad []string, judged int, err error) {
	for _, dimension := range r.spec.Dimensions {
		d, err := s.split(r.ctx, dimension)
		if err != nil {
			return nil, 0, fmt.Errorf("split by %s: %w", dimension, err)
		}
		if d.Skipped != "" {
			return nil, 0, unfit("name a column with fewer values", "split by %s: %s", dimension, d.Skipped)
		}
		least := r.spec.MinShare / 100 * expectedRows(d.Elements)
		for _, e := range d.Elements {
			if max(e.Expected, e.Actual) < least {
				continue
			}
			judged++
			if r.unusual(e) {
				bad = append(bad, fmt.Sprintf("%s=%s has %s rows, usually %s", dimension, short(e.Value), countText(e.Actual), countText(e.Expected)))
			}
		}
	}
	return bad, judged, nil
}

// unusual applies the gates for small changes beside the value's own spread.
func (r *runner) unusual(e Element) bool {
	difference := math.Abs(e.Actual - e.Expected)
	return !e.Usual && difference >= r.spec.minRows() && difference > e.Expected*r.spec.minChange()/100
}

func expectedRows(elements []Element) float64 {
	var sum float64
	for _, e := range elements {
		sum += e.Expected
	}
	return sum
}
