package checks

import (
	"fmt"
	"strings"
)

// mostLanded is how many buckets with late rows are named.
const mostLanded = 3

// landed says which closed buckets were short when they were read before and have
// their rows now, or "" for none. expected is what each bucket should hold.
func (l *ledger) landed(spec Spec, g grid, h history, buckets []Bucket, expected func(int) float64) string {
	var named []string
	more := 0
	for i, b := range buckets {
		now, was := h.count(b), h.count(b)
		for at := b.Start; at.Before(b.End); at = at.Add(l.history.step()) {
			if before, known := l.before[at]; known {
				was += before - h.counts[at]
			}
		}
		usual := expected(i)
		short := usual - was
		if now <= was || short < spec.minRows() || short < spec.minChange()/100*usual {
			continue
		}
		if len(named) == mostLanded {
			more++
			continue
		}
		named = append(named, fmt.Sprintf("%s now %s of %s expected", g.brief(b), countText(now), countText(usual)))
	}
	if len(named) == 0 {
		return ""
	}
	if more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return "late rows landed: " + strings.Join(named, ", ")
}

// brief names a bucket by its start in the grid's zone.
func (g grid) brief(b Bucket) string {
	if g.day {
		return b.Start.In(g.loc).Format("Mon 2006-01-02")
	}
	return b.Start.In(g.loc).Format("15:04")
}
