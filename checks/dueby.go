package checks

import (
	"fmt"
	"time"
)

// deadline is the newest time of day by which a table must have had a row of
// that day.
type deadline struct {
	at  time.Time // the instant of By
	day time.Time // the first instant of its day
}

// newestDeadline returns the deadline that has passed last. A time of day that
// the clock skips is met at the first instant after the gap.
func newestDeadline(by, zone string, now time.Time) (deadline, error) {
	clock, err := time.Parse("15:04", by)
	if err != nil {
		return deadline{}, fmt.Errorf("%q is not a time of day such as 07:00", by)
	}
	loc, err := loadZone(zone)
	if err != nil {
		return deadline{}, err
	}
	at, err := Last(fmt.Sprintf("%d %d * * *", clock.Minute(), clock.Hour()), zone, now)
	if err != nil {
		return deadline{}, err
	}
	wall := wallClock(at, loc)
	day, _ := resolveWall(time.Date(wall.Year(), wall.Month(), wall.Day(), 0, 0, 0, 0, time.UTC), loc)
	return deadline{at: at, day: day}, nil
}

// judgeDue finishes a freshness check whose newest row is older than the day of
// the last deadline, and reports whether it did.
func (r *runner) judgeDue(t target, e extent, newest time.Time) (bool, error) {
	if r.spec.By == "" {
		return false, nil
	}
	due, err := newestDeadline(r.spec.By, r.spec.Zone, r.now)
	if err != nil || !e.clock.instant(newest).Before(due.day) {
		return false, err
	}
	r.result.Since = due.at
	r.fail(fmt.Sprintf("table %s has no row of %s, which was due by %s; its newest is from %s", t.name,
		due.day.In(e.clock.zone).Format("2006-01-02"), due.at.In(e.clock.zone).Format("15:04 MST"), e.clock.text(newest)))
	return true, nil
}
