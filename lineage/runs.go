package lineage

import (
	"errors"
	"fmt"
	"time"
)

// errNoSchedule says that neither the asset nor a job that builds it has a
// schedule.
var errNoSchedule = errors.New("no schedule known")

// heldError says that a pause keeps an asset from running.
type heldError struct{ by AssetID }

func (e *heldError) Error() string { return "held while " + string(e.by) + " is paused" }

// nextRun returns when a node next takes in its inputs at or after from: by its
// own schedule, else by that of a job that directly feeds, that is builds, it.
// The error is errNoSchedule, a *heldError, or says what is wrong with a
// schedule.
func (g *Graph) nextRun(n int32, from time.Time, due DueFunc) (read, error) {
	a := g.assets[n]
	if a.Paused {
		return read{}, &heldError{by: a.ID}
	}
	if a.Schedule != nil {
		at, err := due.first(*a.Schedule, from)
		if err != nil {
			return read{}, fmt.Errorf("schedule %s cannot be used: %w", a.Schedule, err)
		}
		return read{at: at, why: a.Schedule.why("schedule"), loose: a.Schedule.interval()}, nil
	}
	return g.nextBuild(n, from, due)
}

// nextBuild is nextRun for an asset without a schedule of its own. The earliest
// of its jobs counts; a paused job counts only if there is no other.
func (g *Graph) nextBuild(n int32, from time.Time, due DueFunc) (read, error) {
	var best read
	failed := errNoSchedule
	for _, job := range g.builders(n) {
		a := g.assets[job]
		next, err := g.ownRun(a, from, due)
		switch {
		case err != nil:
			failed = err
		case best.at.IsZero() || next.Before(best.at):
			best = read{at: next, why: a.Schedule.why("built by " + a.Name + ", schedule"), loose: a.Schedule.interval()}
		}
	}
	if best.at.IsZero() {
		return read{}, failed
	}
	return best, nil
}

func (g *Graph) ownRun(a Asset, from time.Time, due DueFunc) (time.Time, error) {
	if a.Paused {
		return time.Time{}, &heldError{by: a.ID}
	}
	at, err := due.first(*a.Schedule, from)
	if err != nil {
		return time.Time{}, fmt.Errorf("schedule %s of %s cannot be used: %w", a.Schedule, a.Name, err)
	}
	return at, nil
}

// builders returns the jobs with a schedule that directly feed a node.
func (g *Graph) builders(n int32) []int32 {
	var out []int32
	for up := range g.up.neighbours(n) {
		if a := g.assets[up]; a.Kind == KindJob && a.Schedule != nil {
			out = append(out, up)
		}
	}
	return out
}
