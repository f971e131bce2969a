package lineage

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// setReads fills in when the consumer reads bad data, and why then.
func (g *Graph) setReads(c *Consumer, n int32, at arrival, opts BlastOptions) {
	first, err := g.firstRead(n, at.ready, opts.Due)
	if held, ok := errors.AsType[*heldError](err); ok {
		c.NextReadWhy = g.pausedWhy(*c, held.by, at, opts)
		if held.by != c.ID {
			c.HeldBy = held.by
		}
		return
	}
	c.Zone = g.clockZone(n)
	next := first
	if err == nil && first.at.Before(opts.Now) {
		c.AlreadyHarmedAt = &first.at
		next, err = g.firstRead(n, opts.Now, opts.Due)
	}
	if err != nil {
		c.Unknown, c.NextReadWhy = true, err.Error()
		return
	}
	c.NextRead = &next.at
	c.NextReadWhy = strings.Join(append([]string{next.why}, g.wayWhy(at, opts.Now)...), "; ")
}

// firstRead returns the first read of a node at or after from: its next run or
// its SLA, whichever comes first. Where one of the two cannot be used the other
// stands, and its why says so.
func (g *Graph) firstRead(n int32, from time.Time, due DueFunc) (read, error) {
	run, err := g.nextRun(n, from, due)
	var held *heldError
	sla := g.assets[n].SLA
	if sla == nil || errors.As(err, &held) {
		return run, err
	}
	by, slaErr := sla.next(from, due)
	switch {
	case err != nil && slaErr != nil && !errors.Is(err, errNoSchedule):
		return read{}, errors.Join(err, slaErr)
	case err != nil && slaErr != nil:
		return read{}, slaErr
	case err != nil && !errors.Is(err, errNoSchedule):
		by.why += "; " + err.Error()
		return by, nil
	case slaErr != nil:
		run.why += "; " + slaErr.Error()
		return run, nil
	case err != nil || by.at.Before(run.at):
		return by, nil
	}
	return run, nil
}

// next returns when the promise next falls due, at or after from.
func (s SLA) next(from time.Time, due DueFunc) (read, error) {
	daily, err := s.daily()
	if err != nil {
		return read{}, err
	}
	at, err := due.first(daily, from)
	if err != nil {
		return read{}, fmt.Errorf("SLA %s cannot be used: %w", &s, err)
	}
	return read{at: at, why: "SLA " + s.String()}, nil
}

// pausedWhy says what is paused, and what may have happened before it was.
func (g *Graph) pausedWhy(c Consumer, by AssetID, at arrival, opts BlastOptions) string {
	why := "paused"
	if by != c.ID {
		why = "not built while " + string(by) + " is paused"
	}
	if run, ran := g.ranBefore(by, at.ready, opts.Now, opts.Due); ran {
		why += "; since when is not known: a read at " + instantText(run) + " may have happened"
	}
	return why
}

// wayWhy says what on the way decides, or leaves open, when the rows arrive.
func (g *Graph) wayWhy(at arrival, now time.Time) []string {
	var out []string
	if at.wait >= 0 && at.ready.After(now) {
		out = append(out, fmt.Sprintf("the rows arrive when %s runs at %s",
			g.assets[at.wait].Name, instantText(at.ready)))
	}
	if at.loose > 0 {
		out = append(out, plural(at.loose, "hop")+" on the way with no known time of the next run, counted as immediate")
	}
	return out
}

// clockZone is the zone on whose clock people follow an asset.
func (g *Graph) clockZone(n int32) string {
	a := g.assets[n]
	if a.Schedule != nil {
		return a.Schedule.Zone
	}
	if a.SLA != nil {
		return a.SLA.Zone
	}
	if jobs := g.builders(n); len(jobs) > 0 {
		return g.assets[jobs[0]].Schedule.Zone
	}
	return ""
}

func instantText(at time.Time) string { return at.UTC().Format(time.RFC3339) }
