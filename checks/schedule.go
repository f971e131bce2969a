package checks

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// maxInstants bounds how many instants one call of Due may walk through.
const maxInstants = 10_000

// ErrTooMany says that a span holds more than 10,000 instants of a schedule.
var ErrTooMany = errors.New("more than 10000 instants in the span; ask for a shorter one")

// ErrNever says that a schedule has no instant in the years that were searched.
var ErrNever = errors.New("the schedule never fires")

// schedule is a parsed specification: either an interval or a cron expression
// that is read on the wall clock of a zone.
type schedule struct {
	every time.Duration // > 0 for an interval
	cron  cron.Schedule // evaluated on wall times written as UTC
	loc   *time.Location
}

// Due returns the instants of a schedule in (from, to], oldest first, in UTC.
// spec is five cron fields, a descriptor such as @hourly, "@every 5m" or a bare
// duration ("30s"); zone is an IANA name, empty means UTC. A local time that
// does not exist fires at the first instant after the gap; one that occurs
// twice fires once, the first. An interval follows elapsed time and is anchored
// at from. More than 10,000 instants are ErrTooMany.
func Due(spec, zone string, from, to time.Time) ([]time.Time, error) {
	s, err := parseSchedule(spec, zone)
	if err != nil {
		return nil, err
	}
	var due []time.Time
	for at := from; ; {
		next, err := s.next(at)
		if errors.Is(err, ErrNever) {
			return due, nil
		}
		if err != nil {
			return nil, fmt.Errorf("find what is due by %q: %w", spec, err)
		}
		if next.After(to) {
			return due, nil
		}
		if len(due) == maxInstants {
			return nil, fmt.Errorf("find what is due by %q: %w", spec, ErrTooMany)
		}
		due = append(due, next)
		at = next
	}
}

// Next returns the first instant of a schedule strictly after a time, in UTC;
// spec and zone are read as by Due. A schedule with no instant in the fifteen
// years that follow is ErrNever.
func Next(spec, zone string, after time.Time) (time.Time, error) {
	s, err := parseSchedule(spec, zone)
	if err != nil {
		return time.Time{}, err
	}
	next, err := s.next(after)
	if err != nil {
		return time.Time{}, fmt.Errorf("find the next instant of %q: %w", spec, err)
	}
	return next, nil
}

// Last returns the newest instant of a schedule at or before a time, in UTC;
// spec and zone are read as by Due. An interval has no grid of its own: its
// last instant is one interval before at. A schedule with no instant in the ten
// years before is ErrNever.
func Last(spec, zone string, at time.Time) (time.Time, error) {
	s, err := parseSchedule(spec, zone)
	if err != nil {
		return time.Time{}, err
	}
	if s.every > 0 {
		return at.Add(-s.every).UTC(), nil
	}
	last, err := s.last(at)
	if err != nil {
		return time.Time{}, fmt.Errorf("find the last instant of %q: %w", spec, err)
	}
	return last, nil
}

// parseSchedule reads a specification and its zone.
func parseSchedule(spec, zone string) (schedule, error) {
	loc, err := loadZone(zone)
	if err != nil {
		return schedule{}, fmt.Errorf("read the schedule %q: %w", spec, err)
	}
	text := strings.TrimSpace(spec)
	if every, ok, err := parseInterval(text); ok {
		if err != nil {
			return schedule{}, fmt.Errorf("read the schedule %q: %w", spec, err)
		}
		return schedule{every: every, loc: loc}, nil
	}
	if strings.Contains(text, "TZ=") {
		return schedule{}, fmt.Errorf("read the schedule %q: name the zone in its own key, not in the schedule", spec)
	}
	parsed, err := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor).Parse(text)
	if err != nil {
		return schedule{}, fmt.Errorf("read the schedule %q (five cron fields, @hourly, @daily, \"@every 5m\" or \"5m\"): %w", spec, err)
	}
	if fields, ok := parsed.(*cron.SpecSchedule); ok {
		fields.Location = time.UTC
	}
	return schedule{cron: parsed, loc: loc}, nil
}

// parseInterval reads "@every 5m" or a bare duration; ok is false for text of
// any other form.
func parseInterval(text string) (every time.Duration, ok bool, err error) {
	rest, marked := strings.CutPrefix(text, "@every ")
	every, err = time.ParseDuration(strings.TrimSpace(rest))
	switch {
	case err != nil && marked:
		return 0, true, fmt.Errorf("%q is not a duration such as 30s, 5m or 1h", rest)
	case err != nil:
		return 0, false, nil
	case every < time.Second:
		return 0, true, errors.New("an interval is at least one second")
	}
	return every, true, nil
}

// loadZone returns the named location, UTC for an empty name. The machine's own
// zone is refused: the same file must mean the same on every machine.
func loadZone(zone string) (*time.Location, error) {
	if zone == "" {
		return time.UTC, nil
	}
	if zone == "Local" {
		return nil, errors.New(`zone "Local" depends on the machine; name an IANA zone such as Europe/Berlin`)
	}
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return nil, fmt.Errorf("zone %q is not an IANA zone such as Europe/Berlin", zone)
	}
	return loc, nil
}

// next returns the first instant strictly after a time, in UTC.
func (s schedule) next(after time.Time) (time.Time, error) {
	if s.every > 0 {
		return after.Add(s.every).UTC(), nil
	}
	wall := wallClock(after, s.loc)
	for range maxInstants {
		wall = nextWall(s.cron, wall)
		if wall.IsZero() {
			return time.Time{}, ErrNever
		}
		if at, _ := resolveWall(wall, s.loc); at.After(after) {
			return at, nil
		}
	}
	return time.Time{}, ErrTooMany
}

// nextWall asks the cron expression for the next wall time. The parser gives up
// after five years, which is less than the eight between some leap days, so it
// is asked again from where it stopped.
func nextWall(c cron.Schedule, wall time.Time) time.Time {
	for range 3 {
		if next := c.Next(wall); !next.IsZero() {
			return next
		}
		wall = time.Date(wall.Year()+5, time.December, 31, 23, 59, 59, 0, time.UTC)
	}
	return time.Time{}
}

// last finds the newest instant at or before a time: it widens a window until
// it holds an instant, then halves it, going by next alone.
func (s schedule) last(at time.Time) (time.Time, error) {
	const horizon = 10 * 366 * 24 * time.Hour
	var low, found time.Time
	for span := time.Hour; ; span = min(4*span, horizon) {
		low = at.Add(-span)
		next, err := s.next(low)
		if err == nil && !next.After(at) {
			found = next
			break
		}
		if err != nil && !errors.Is(err, ErrNever) {
			return time.Time{}, err
		}
		if span == horizon {
			return time.Time{}, ErrNever
		}
	}
	for high := at; high.Sub(found) > time.Second; {
		middle := found.Add(high.Sub(found) / 2)
		next, err := s.next(middle)
		if err != nil && !errors.Is(err, ErrNever) {
			return time.Time{}, err
		}
		if err == nil && !next.After(at) {
			found = next
		} else {
			high = middle
		}
	}
	return s.newestWithin(found, at)
}

// newestWithin steps from a known instant to the newest one at or before at.
func (s schedule) newestWithin(found, at time.Time) (time.Time, error) {
	for range maxInstants {
		next, err := s.next(found)
		if errors.Is(err, ErrNever) || (err == nil && next.After(at)) {
			return found, nil
		}
		if err != nil {
			return time.Time{}, err
		}
		found = next
	}
	return time.Time{}, ErrTooMany
}
