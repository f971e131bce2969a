package checks

import "time"

// grid cuts time into the buckets of a volume check in its zone.
type grid struct {
	day bool // days of the zone's calendar, else hours
	loc *time.Location
}

func newGrid(size string, loc *time.Location) grid { return grid{day: size == BucketDay, loc: loc} }

// containing returns the bucket in which an instant lies. A day lasts 23 or 25
// hours where the clock changes; an hour is always one elapsed hour.
func (g grid) containing(t time.Time) Bucket {
	wall := wallClock(t, g.loc)
	if !g.day {
		into := time.Duration(wall.Minute())*time.Minute + time.Duration(wall.Second())*time.Second
		start := t.Truncate(time.Second).Add(-into).UTC()
		return Bucket{Start: start, End: start.Add(time.Hour)}
	}
	midnight := time.Date(wall.Year(), wall.Month(), wall.Day(), 0, 0, 0, 0, time.UTC)
	start, _ := resolveWall(midnight, g.loc)
	end, _ := resolveWall(midnight.AddDate(0, 0, 1), g.loc)
	return Bucket{Start: start, End: end}
}

// before returns the bucket just before another.
func (g grid) before(b Bucket) Bucket { return g.containing(b.Start.Add(-time.Second)) }

// newestClosed returns the newest bucket that closed at least delay ago.
func (g grid) newestClosed(now time.Time, delay time.Duration) Bucket {
	return g.before(g.containing(now.Add(-delay)))
}

// weeksBefore returns the span at the same wall times of an earlier week, and
// false where the clock of that week skips its start.
func weeksBefore(b Bucket, weeks int, loc *time.Location) (Bucket, bool) {
	start, exists := resolveWall(wallClock(b.Start, loc).AddDate(0, 0, -7*weeks), loc)
	if !exists {
		return Bucket{}, false
	}
	if length := b.End.Sub(b.Start); length <= time.Hour {
		return Bucket{Start: start, End: start.Add(length)}, true
	}
	end, _ := resolveWall(wallClock(b.End, loc).AddDate(0, 0, -7*weeks), loc)
	return Bucket{Start: start, End: end}, true
}

// aligned reports whether the zone's hours begin on hours of UTC from one
// instant to another; where they do not, counts are read by quarters.
func aligned(loc *time.Location, from, to time.Time) bool {
	for t := from; ; {
		_, offset := t.In(loc).Zone()
		if offset%3600 != 0 {
			return false
		}
		_, end := t.In(loc).ZoneBounds()
		if end.IsZero() || end.After(to) {
			return true
		}
		t = end
	}
}
