package lineage

import (
	"fmt"
	"strings"
	"time"
)

// DueFunc returns the instants of a schedule in (from, to], oldest first. spec
// is a cron expression or an interval ("@every 1h", counted from from), zone an
// IANA name, empty for UTC. A schedule that cannot be read is an error.
type DueFunc func(spec, zone string, from, to time.Time) ([]time.Time, error)

// horizon is how far ahead a schedule is searched. A schedule with no instant
// within it is treated like one that is not known.
const horizon = 400 * 24 * time.Hour

// read is one moment at which an asset takes in what feeds it.
type read struct {
	at    time.Time
	why   string
	loose bool // at is the latest it can be, not the clock's
}

// first returns the first instant of a schedule at or after from. The span is
// widened step by step, so that a schedule that fires each second is cheap.
func (due DueFunc) first(s Schedule, from time.Time) (time.Time, error) {
	// An instant that is exactly from lies outside (from, to].
	for _, span := range []time.Duration{0, time.Hour, 25 * time.Hour, 8 * 24 * time.Hour, 32 * 24 * time.Hour, horizon} {
		after := from
		if span == 0 {
			after = from.Add(-time.Nanosecond)
		}
		instants, err := due(s.Spec, s.Zone, after, from.Add(span))
		if err != nil {
			return time.Time{}, err
		}
		for _, at := range instants {
			if !at.Before(from) {
				return at.UTC(), nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("no instant within %d days", int(horizon.Hours()/24))
}

// daily turns the time of an SLA into a schedule.
func (s SLA) daily() (Schedule, error) {
	at, err := time.Parse("15:04", s.By)
	if err != nil {
		return Schedule{}, fmt.Errorf("SLA %q is not a time of day such as 07:00", s.By)
	}
	return Schedule{Spec: fmt.Sprintf("%d %d * * *", at.Minute(), at.Hour()), Zone: s.Zone}, nil
}

// interval says that a schedule counts elapsed time. Its instants are not known
// to the minute, only that there is one in each span.
func (s Schedule) interval() bool {
	return strings.HasPrefix(strings.TrimSpace(s.Spec), "@every")
}

func (s Schedule) why(what string) string {
	text := fmt.Sprintf("%s %s", what, s.String())
	if s.interval() {
		text += " (an interval: at the latest)"
	}
	return text
}
