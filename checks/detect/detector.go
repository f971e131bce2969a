package detect

import (
	"fmt"
	"math"
	"time"
)

// Ages, in days, at which a detector begins to do things.
const (
	speakAfter    = 5   // gives verdicts
	calmAfter     = 28  // takes its threshold as it is
	youngPenalty  = 0.6 // share by which the threshold is higher at first
	maskAfter     = 21  // keeps alarmed buckets out of training
	holidayFactor = 1.4 // threshold near a holiday
	keepDays      = trainDays + 2
)

// Detector judges the buckets of one series in order. It is not safe for
// concurrent use.
type Detector struct {
	config   Config
	calendar calendar
	windows  []window
	buckets  []bucket // oldest first
	day      int      // number of the newest bucket's day
	date     Date
	level    level
	shape    profile
	spread   spread
	echo     echo
	tails    *tails
	sums     sums
	rates    rates
	spoken   spoken
	episode  episode
	question float64 // of a new level, for the next verdict
	asked    bool
	scores   []scored // of the newest bucket, by window
}

// New returns a detector that has seen nothing. It refuses a Config whose bucket
// does not divide a day or whose budget is out of range.
func New(c Config) (*Detector, error) {
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("set up a detector: %w", err)
	}
	cal := newCalendar(c)
	windows := lengths(cal.perDay)
	longest := 0
	for _, w := range windows {
		longest = max(longest, w.buckets)
	}
	return &Detector{
		config: c, calendar: cal, windows: windows, day: -1,
		shape: flatProfile(cal.perDay), spread: newSpread(windows, cal.perDay),
		echo: newEcho(cal.perDay), tails: newTails(windows, cal.perDay), sums: newSums(longest),
		scores: make([]scored, len(windows)), spoken: spoken{perDay: cal.perDay},
	}, nil
}

// Observe takes the next bucket and judges it. Buckets between the last one and
// this are unknown, not zero.
func (d *Detector) Observe(start time.Time, value float64) (Verdict, error) {
	if math.IsNaN(value) || math.IsInf(value, 0) || value < 0 {
		return Verdict{}, fmt.Errorf("judge the bucket of %s: %g is not a count or a percentage", start.Format(time.RFC3339), value)
	}
	if err := d.advance(start); err != nil {
		return Verdict{}, err
	}
	return d.take(start, value, true), nil
}

// advance fills the gap before a bucket with unknown ones.
func (d *Detector) advance(start time.Time) error {
	if len(d.buckets) == 0 {
		return nil
	}
	next := d.buckets[len(d.buckets)-1].start.Add(d.config.Bucket)
	if start.Before(next) || start.Sub(next)%d.config.Bucket != 0 {
		return fmt.Errorf("judge the bucket of %s: %w, the next one is %s", start.Format(time.RFC3339), ErrOrder, next.Format(time.RFC3339))
	}
	for ; next.Before(start); next = next.Add(d.config.Bucket) {
		d.take(next, 0, false)
	}
	return nil
}

// take appends a bucket and judges it.
func (d *Detector) take(start time.Time, value float64, known bool) Verdict {
	if date := DateOf(start, d.calendar.zone); d.day < 0 || date != d.date {
		d.beginDay(date)
	}
	b := bucket{start: start, raw: value, y: value, known: known, day: d.day}
	b.holiday = d.calendar.holidays[d.date] || covers(d.config.OneOffs, start)
	b.mask = covers(d.config.Faults, start)
	b.hour, b.slot = d.calendar.place(start)
	d.forecast(&b)
	d.buckets = append(d.buckets, b)
	return d.judge()
}

// forecast fills in what a bucket is expected to hold.
func (d *Detector) forecast(b *bucket) {
	if d.config.Metric == Ratio {
		d.rates.forecast(b)
		return
	}
	if d.level.known {
		b.mood = d.level.mood
		b.mu = math.Exp(d.level.log+d.level.mood) * d.shape.slots[b.slot]
	}
}

// beginDay ends the day before and learns from it.
func (d *Detector) beginDay(date Date) {
	d.day, d.date = d.day+1, date
	if d.day == 0 {
		return
	}
	d.tails.endDay()
	d.forgetOld()
	d.learn()
}

// forgetOld drops buckets that no training looks at.
func (d *Detector) forgetOld() {
	from := 0
	for from < len(d.buckets) && d.buckets[from].day < d.day-keepDays {
		from++
	}
	d.buckets = d.buckets[:copy(d.buckets, d.buckets[from:])]
}

// since returns the remembered buckets of the last days.
func (d *Detector) since(days int) []bucket {
	from := len(d.buckets)
	for from > 0 && d.buckets[from-1].day >= d.day-days {
		from--
	}
	return d.buckets[from:]
}

// learn brings all that was learned up to the end of yesterday.
func (d *Detector) learn() {
	d.admitHabits()
	d.noticeShift()
	recent := d.since(calibrateDays)
	d.echo.learn(recent, d.phi(1))
	d.spread.calibrate(recent, d.windows, d.echo)
	if d.config.Metric == Ratio {
		d.rates.learn(d.since(trainDays), d.calendar.perDay)
		d.tails.fit(ratioNature)
		return
	}
	d.learnLevel()
	d.tails.fit(natureOf(d.phi(1), meanForecast(recent)))
}

// learnLevel learns the level of yesterday and fits the shape.
func (d *Detector) learnLevel() {
	rows, mean, share := d.yesterday()
	t := trainer{
		perDay: d.calendar.perDay, buckets: d.since(trainDays), today: d.day,
		phi: d.phi(1), phiDay: d.phi(24), shape: d.shape,
	}
	if !t.fit() {
		return
	}
	d.shape = t.shape
	if !d.level.known || d.day < levelAfter {
		d.level.set(t.level, levelPrior*levelPrior)
		return
	}
	d.level.update(rows, mean, share, d.phi(24))
}

// yesterday returns what the clean buckets of the day before held, what was
// forecast for them without mood, and their share of the day's mass.
func (d *Detector) yesterday() (rows, mean, share float64) {
	whole := 0.0
	for _, b := range d.since(1) {
		plain := b.mu / math.Exp(b.mood)
		whole += plain
		if b.trainable() {
			rows += b.y
			mean += plain
		}
	}
	return rows, mean, mean / max(whole, math.SmallestNonzeroFloat64)
}

// phi is the relative spread of sums over so many hours.
func (d *Detector) phi(hours float64) float64 {
	for i, w := range d.windows {
		if !w.fast && w.hours >= hours {
			return d.spread.phi[i]
		}
	}
	return d.spread.phi[0]
}

// meanForecast is the mean of the forecasts that there are.
func meanForecast(buckets []bucket) float64 {
	sum, n := 0.0, 0.0
	for i := range buckets {
		if buckets[i].mu > 0 {
			sum, n = sum+buckets[i].mu, n+1
		}
	}
	return sum / max(n, 1)
}
