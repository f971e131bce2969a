package checks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dw/checks/detect"
)

// Preview is how often a volume check would have spoken in the past.
type Preview struct {
	Check    string        `json:"check"`
	Judge    string        `json:"judge"`
	From     time.Time     `json:"from"`
	To       time.Time     `json:"to"`
	Buckets  int           `json:"buckets"` // that were judged
	Learning int           `json:"learning"`
	Messages []PastMessage `json:"messages"`
	SQL      string        `json:"sql"`
}

// PastMessage is one message that would have been sent: further alarms within 24
// hours belong to it.
type PastMessage struct {
	At   time.Time `json:"at"` // end of the bucket
	Text string    `json:"text"`
}

// PreviewDays bounds the days of a preview.
const (
	DefaultPreviewDays = 60
	MaxPreviewDays     = 90
)

// PreviewVolume says how often a check that uses history would have spoken in the
// days before now, each bucket judged by those before it: a volume check, or one
// with anomaly. It asks one GROUP BY for each thing that is judged. It refuses
// other checks, and days beyond 1 to 90.
func PreviewVolume(ctx context.Context, spec Spec, q Querier, now time.Time, days int) (Preview, error) {
	if spec.kind() != KindVolume && !spec.Anomaly {
		return Preview{}, fmt.Errorf("check %s is of kind %s; only volume checks, and those with anomaly, have a past that can be judged", spec.Name, spec.Kind)
	}
	if days < 1 || days > MaxPreviewDays {
		return Preview{}, fmt.Errorf("%d days are not between 1 and %d", days, MaxPreviewDays)
	}
	if wrong := spec.Validate(); len(wrong) > 0 {
		return Preview{}, fmt.Errorf("preview check %s: %w", spec.Name, wrong[0])
	}
	p, err := previewVolume(ctx, spec, q, now.UTC(), days)
	if err != nil {
		return Preview{}, fmt.Errorf("preview check %s: %w", spec.Name, err)
	}
	return p, nil
}

func previewVolume(ctx context.Context, spec Spec, q Querier, now time.Time, days int) (Preview, error) {
	r := runner{ctx: ctx, spec: spec, q: q, now: now}
	t, e, err := r.timed()
	if err != nil {
		return Preview{}, err
	}
	if e.empty() {
		return Preview{}, errors.New("the table has no rows yet")
	}
	if spec.Anomaly {
		return r.previewAnomaly(t, e, days)
	}
	rule := newVolumeRule(spec, e.clock.loc, e.clock.now)
	history := detectorDays
	if spec.judge() != JudgeDetector {
		history = 7 * spec.weeks()
	}
	first, reach := rule.reach(e, days+history)
	h, err := readHistory(ctx, q, t, e, spec.Where, []Bucket{reach}, !aligned(e.clock.loc, reach.Start, reach.End), measureRows)
	if err != nil {
		return Preview{}, err
	}
	rule.history = h
	p := Preview{
		Check: spec.Name, Judge: spec.judge(), SQL: h.sql,
		From: maxTime(first.Start, rule.open.Start.AddDate(0, 0, -days)), To: rule.open.Start,
	}
	if spec.judge() == JudgeDetector {
		return p, p.byDetector(rule, h, first)
	}
	p.byWeeks(rule)
	return p, nil
}

// byDetector lists what the detector would have said.
func (p *Preview) byDetector(rule volumeRule, h history, first Bucket) error {
	c, err := rule.spec.detectConfig(rule.grid.loc)
	if err != nil {
		return err
	}
	d, err := detectVolume(c, rule.grid, h, first, rule.recent[0])
	if err != nil {
		return err
	}
	for i, v := range d.verdicts {
		if d.buckets[i].Start.Before(p.From) {
			continue
		}
		young := v.Days < learnDays
		p.count(young)
		if !young && v.State == detect.Alarm && !rule.spec.slightly(v.Window) {
			p.say(d.buckets[i].End, v.Text(rule.grid.loc, "rows"))
		}
	}
	return nil
}

// previewAnomaly lists what would have been said of each measure.
func (r *runner) previewAnomaly(t target, e extent, days int) (Preview, error) {
	rule := newVolumeRule(r.spec, e.clock.loc, e.clock.now)
	first, reach := rule.reach(e, days+detectorDays)
	p := Preview{
		Check: r.spec.Name, Judge: JudgeDetector,
		From: maxTime(first.Start, rule.open.Start.AddDate(0, 0, -days)), To: rule.open.Start,
	}
	all, err := r.measures(t, e)
	if err != nil {
		return Preview{}, err
	}
	c, err := r.spec.detectConfig(e.clock.loc)
	if err != nil {
		return Preview{}, err
	}
	for _, m := range all {
		h, err := readHistory(r.ctx, r.q, t, e, r.spec.Where, []Bucket{reach}, !aligned(e.clock.loc, reach.Start, reach.End), m.sql)
		if err != nil {
			return Preview{}, err
		}
		f, err := m.judge(c, rule.grid, h, first, rule.recent[0])
		if err != nil {
			return Preview{}, fmt.Errorf("judge %s: %w", m.name, err)
		}
		p.SQL = h.sql
		p.byFinding(f, r.spec, rule.grid, e)
	}
	return p, nil
}

// byFinding lists what would have been said of one measure.
func (p *Preview) byFinding(f finding, spec Spec, g grid, e extent) {
	own := Preview{}
	for i, v := range f.d.verdicts {
		if f.d.buckets[i].Start.Before(p.From) {
			continue
		}
		young := v.Days < learnDays
		p.count(young)
		if !young && v.State == detect.Alarm && !spec.smallChange(v.Window) {
			own.say(f.d.buckets[i].End, f.text(spec.Table, i, g, e))
		}
	}
	p.Messages = append(p.Messages, own.Messages...)
	slices.SortStableFunc(p.Messages, func(a, b PastMessage) int { return a.At.Compare(b.At) })
}

// byWeeks lists what the median of earlier weeks would have said.
func (p *Preview) byWeeks(rule volumeRule) {
	for b := rule.grid.containing(p.From); b.Start.Before(p.To); b = rule.grid.containing(b.End) {
		at := newVolumeRule(rule.spec, rule.grid.loc, b.End.Add(rule.spec.Delay))
		at.history, at.known = rule.history, rule.known
		j := at.judge(b)
		p.count(j.samples < minSamples)
		if j.bad {
			p.say(b.End, fmt.Sprintf("%s rows in %s, usually %s", countText(j.actual), rule.grid.label(b), countText(j.expected)))
		}
	}
}

func (p *Preview) count(learning bool) {
	if learning {
		p.Learning++
		return
	}
	p.Buckets++
}

// say adds a message unless one was sent within 24 hours.
func (p *Preview) say(at time.Time, text string) {
	if n := len(p.Messages); n > 0 && at.Sub(p.Messages[n-1].At) < 24*time.Hour {
		return
	}
	p.Messages = append(p.Messages, PastMessage{at.UTC(), text})
}
