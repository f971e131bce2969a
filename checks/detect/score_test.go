package detect

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// fault is a stretch of a series that is known to be wrong.
type fault struct {
	Span
	kind string
}

// labelled is a series of which the faults are known.
type labelled struct {
	config Config
	points []Point
	faults []fault
	ignore []Span
	from   time.Time // from where alarms count
}

// tally is what a detector made of labelled series.
type tally struct {
	faults, hits, false int
	days                float64
	delays              []float64
	missed              []string
}

func (c *tally) add(o tally) {
	c.faults, c.hits, c.false, c.days = c.faults+o.faults, c.hits+o.hits, c.false+o.false, c.days+o.days
	c.delays, c.missed = append(c.delays, o.delays...), append(c.missed, o.missed...)
}

func (c tally) recall() float64 { return float64(c.hits) / float64(c.faults) }

func (c tally) f1() float64 {
	precision := float64(c.hits) / float64(max(c.hits+c.false, 1))
	return 2 * precision * c.recall() / max(precision+c.recall(), 1e-9)
}

func (c tally) falseIn30Days() float64 { return float64(c.false) / c.days * 30 }

func (c tally) String() string {
	return fmt.Sprintf("%d of %d found, F1 %.2f, recall %.2f, %.2f false in 30 days, median delay %.1f h, missed %v",
		c.hits, c.faults, c.f1(), c.recall(), c.falseIn30Days(), median(slices.Clone(c.delays)), c.missed)
}

// grace is how long after a fault an alarm still belongs to it.
const grace = 3 * time.Hour

func overlaps(v Verdict, s Span, after time.Duration) bool {
	return v.Start.Before(s.End.Add(after)) && v.End.After(s.Start)
}

// tallyUp runs a detector over a series and counts found faults and false
// messages: alarms outside every fault and every ignored span, one in 24 hours.
func (l labelled) tallyUp(t testing.TB) tally {
	t.Helper()
	verdicts := judge(t, l.config, l.points)
	alarms := slices.DeleteFunc(verdicts, func(v Verdict) bool { return v.State != Alarm || v.Start.Before(l.from) })
	out := tally{days: l.points[len(l.points)-1].Start.Sub(l.from).Hours() / 24}
	for _, f := range l.faults {
		out.faults++
		i := slices.IndexFunc(alarms, func(v Verdict) bool { return overlaps(v, f.Span, 0) })
		if i < 0 {
			out.missed = append(out.missed, f.kind)
			continue
		}
		out.hits++
		out.delays = append(out.delays, alarms[i].End.Sub(f.Start).Hours())
	}
	var last time.Time
	for _, v := range alarms {
		known := slices.ContainsFunc(l.faults, func(f fault) bool { return overlaps(v, f.Span, grace) }) ||
			slices.ContainsFunc(l.ignore, func(s Span) bool { return overlaps(v, s, 0) })
		if !known && (last.IsZero() || v.Start.Sub(last) >= day) {
			out.false++
			last = v.Start
		}
	}
	return out
}

func judge(t testing.TB, c Config, points []Point) []Verdict {
	t.Helper()
	verdicts, err := Judge(c, points)
	if err != nil {
		t.Fatal(err)
	}
	return verdicts
}
