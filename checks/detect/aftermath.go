package detect

import (
	"math"
	"slices"
)

// Constants of what follows an alarm.
const (
	habitWeeks = 5    // newest weeks that a habit is looked for in
	habitTimes = 2    // least weeks in which it showed
	askDays    = 3    // whole days of one sign, after which it is asked whether they are usual
	shiftDays  = 7    // days of one sign that are a new level without an answer
	shiftLeast = 0.08 // by which each is off
	shiftFlags = 0.15 // share of their buckets that alarmed
	spentDays  = 20   // whose evidence a new level spends
)

// admitHabits returns to training the slots that alarm in most weeks: what
// happens every Monday is no fault. While it is asked whether a level is usual,
// nothing is: a habit would take by silence what nobody has said.
func (d *Detector) admitHabits() {
	if d.asked && d.asks() {
		return
	}
	recent := d.since(7 * habitWeeks)
	flagged := make([]int, 7*d.calendar.perDay)
	clean := make([]int, len(flagged))
	for i := range recent {
		switch b := &recent[i]; {
		case !b.known || b.holiday:
		case b.flagged:
			flagged[b.slot]++
		default:
			clean[b.slot]++
		}
	}
	for i := range recent {
		if s := recent[i].slot; recent[i].mask && flagged[s] >= habitTimes && flagged[s] > clean[s] {
			recent[i].mask = covers(d.config.Faults, recent[i].start)
		}
	}
}

// noticeShift asks once whether a new level is usual after a few whole days of
// one sign, and adopts it when people said so or, where nobody could be asked,
// after enough of them.
func (d *Detector) noticeShift() {
	if d.config.Metric != Count {
		return
	}
	off, days := d.shift()
	switch {
	case days >= shiftDays && !d.asks(), days > 0 && slices.Contains(d.config.NewLevels, d.date.Before()):
		d.adopt(off, days)
		d.asked = false
	case days >= askDays && !d.asked:
		d.question, d.asked = math.Exp(off), true
		d.holdBack(days)
	case days == 0:
		d.asked = false
	case d.asked:
		d.holdBack(days)
	}
}

// holdBack keeps the days of a level that people are asked about out of training
// until they have answered: it would be learned by and by, which is silence too.
func (d *Detector) holdBack(days int) {
	if !d.asks() {
		return
	}
	for i := len(d.buckets) - 1; i >= 0 && d.buckets[i].day >= d.day-days; i-- {
		d.buckets[i].mask = true
	}
}

// asks reports whether people can be asked about a level by now: then their
// silence is no answer.
func (d *Detector) asks() bool {
	newest := d.buckets[len(d.buckets)-1].start
	return !d.config.AskFrom.IsZero() && newest.After(d.config.AskFrom)
}

// dayOff is how far one whole day was off.
type dayOff struct {
	log     float64
	flagged float64 // share of its buckets
}

// shift returns the median log ratio of the newest whole days that are all off
// on one side, and how many there are, up to shiftDays.
func (d *Detector) shift() (off float64, days int) {
	var logs []float64
	flagged := 0.0
	for back := 1; len(logs) < shiftDays; back++ {
		o, ok, holiday := d.dayOff(d.day - back)
		if holiday {
			continue
		}
		if !ok || math.Abs(o.log) < shiftLeast || len(logs) > 0 && o.log*logs[0] < 0 {
			break
		}
		logs = append(logs, o.log)
		flagged += o.flagged
	}
	days = len(logs)
	open := d.asked && d.asks() // it may have fallen silent, and is a question still
	if days == 0 || !open && flagged/float64(days) < shiftFlags {
		return 0, 0
	}
	return median(logs), days
}

// dayOff compares a day with its forecasts; ok is false where it has none, and
// where people called it a fault, which is no level.
func (d *Detector) dayOff(number int) (o dayOff, ok, holiday bool) {
	y, mu, n := 0.0, 0.0, 0.0
	for i := len(d.buckets) - 1; i >= 0 && d.buckets[i].day >= number; i-- {
		b := &d.buckets[i]
		if b.day != number || !b.known || b.mu <= 0 {
			continue
		}
		if b.holiday || covers(d.config.Faults, b.start) {
			return dayOff{}, false, b.holiday
		}
		y, mu, n = y+b.y, mu+b.mu, n+1
		if b.flagged {
			o.flagged++
		}
	}
	if mu <= 0 || n < float64(d.calendar.perDay)/2 {
		return dayOff{}, false, false
	}
	o.flagged /= n
	o.log = math.Log((y + halfARow) / (mu + halfARow))
	return o, true, false
}

// adopt takes a log ratio as the new level: the days that showed it are trained
// on again, against the new level.
func (d *Detector) adopt(off float64, days int) {
	d.level.log += off
	for i := range d.buckets {
		b := &d.buckets[i]
		if b.day >= d.day-spentDays {
			b.used = true
		}
		if b.day >= d.day-days && !b.holiday {
			b.mask = covers(d.config.Faults, b.start)
			b.mu *= math.Exp(off)
		}
	}
	d.tails.forget(days)
}
