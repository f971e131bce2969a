package checks

import "time"

// clock is how a check reads times: in which zone it counts hours and days, and
// what the time is now. A column of days without a time of day has no zone of
// its own: its days are those of the check's zone, kept as if they were UTC's.
type clock struct {
	now  time.Time
	loc  *time.Location // of the buckets
	zone *time.Location // of the people
	days bool
}

func newClock(days bool, zone string, now time.Time) (clock, error) {
	loc, err := loadZone(zone)
	if err != nil {
		return clock{}, err
	}
	if days {
		return clock{now: wallClock(now, loc), loc: time.UTC, zone: loc, days: true}, nil
	}
	return clock{now: now, loc: loc, zone: loc}, nil
}

// instant returns when a time of the column was.
func (c clock) instant(t time.Time) time.Time {
	if !c.days {
		return t
	}
	at, _ := resolveWall(t, c.zone)
	return at
}

// text writes a time of the column for a person.
func (c clock) text(t time.Time) string {
	if c.days {
		return t.Format("2006-01-02")
	}
	return timeText(t, c.zone)
}
