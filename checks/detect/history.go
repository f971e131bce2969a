package detect

import "time"

// How far back a detector remembers, in days.
const (
	trainDays     = 70 // buckets that shape and level are learned from
	calibrateDays = 56 // forecasts and daily maxima that the spread is learned from
)

// bucket is one remembered bucket.
type bucket struct {
	start   time.Time
	raw     float64 // observed
	y       float64 // the same in rows
	mu      float64 // expected, as forecast before its day began; 0 is no forecast
	mood    float64 // part of the forecast that is yesterday's echo, in logs
	slot    int     // of the week
	hour    int     // slot of the day
	day     int     // number of the local day since the first
	known   bool    // the source answered
	holiday bool
	flagged bool // part of an alarm
	mask    bool // kept out of training
	used    bool // evidence already spent on an alarm
}

// trainable reports whether shape and level may be learned from a bucket.
func (b *bucket) trainable() bool { return b.known && !b.holiday && !b.mask }

// evidence reports whether a bucket may count in a window.
func (b *bucket) evidence() bool { return b.known && !b.holiday && !b.used && b.mu > 0 }

// calendar places instants in the slots of a zone's week.
type calendar struct {
	zone     *time.Location
	perDay   int
	step     time.Duration
	holidays map[Date]bool
	near     map[Date]bool // within nearHoliday days of a holiday
}

// nearHoliday is how many days around a holiday are judged more leniently.
const nearHoliday = 3

func newCalendar(c Config) calendar {
	cal := calendar{
		zone: c.Zone, step: c.Bucket, perDay: int(day / c.Bucket),
		holidays: map[Date]bool{}, near: map[Date]bool{},
	}
	if cal.zone == nil {
		cal.zone = time.UTC
	}
	for _, h := range c.Holidays {
		cal.holidays[h] = true
		for off := -nearHoliday; off <= nearHoliday; off++ {
			at := time.Date(h.Year, h.Month, h.Day+off, 12, 0, 0, 0, time.UTC)
			cal.near[DateOf(at, time.UTC)] = true
		}
	}
	return cal
}

// place returns the slot of the day and of the week, Monday first, in which a
// bucket starts by the clock on the zone's wall. Where the clock is set back two
// buckets share a slot; where it is set forward a slot stays empty that day.
func (c calendar) place(start time.Time) (hour, slot int) {
	local := start.In(c.zone)
	clock := time.Duration(local.Hour())*time.Hour + time.Duration(local.Minute())*time.Minute
	hour = min(int(clock/c.step), c.perDay-1)
	return hour, (int(local.Weekday())+6)%7*c.perDay + hour
}
