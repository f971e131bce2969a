package checks

import "time"

// wallClock returns what a clock in loc shows at an instant, written as UTC and
// cut to the second.
func wallClock(t time.Time, loc *time.Location) time.Time {
	local := t.In(loc)
	return time.Date(local.Year(), local.Month(), local.Day(),
		local.Hour(), local.Minute(), local.Second(), 0, time.UTC)
}

// resolveWall returns the instant, in UTC, at which a clock in loc first shows
// a wall time (written as UTC), and true. Where the clock skips that time it
// returns the first instant after the gap, and false. time.Date alone does not
// say which of two instants it picks.
func resolveWall(wall time.Time, loc *time.Location) (time.Time, bool) {
	// No zone was ever 26 hours from UTC, so this instant shows an earlier time.
	at := wall.Add(-26 * time.Hour)
	for {
		local := at.In(loc)
		_, offset := local.Zone()
		start, end := local.ZoneBounds()
		candidate := wall.Add(-time.Duration(offset) * time.Second)
		if !start.IsZero() && candidate.Before(start) {
			return start.UTC(), false
		}
		if end.IsZero() || candidate.Before(end) {
			return candidate, true
		}
		at = end
	}
}
