package demo

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Variants of the day.
const (
	variantDay     = "boxoffice" // records without the wire format go to the dead letter
	variantNone    = "none"      // no fault
	variantDropApp = "drop=app"  // the rows of one channel go nowhere
	variantLate    = "late"      // three empty hours, then everything
	variantNight   = "migration" // the second day: a column that the nightly load reads is renamed at 23:40
)

// Variants lists the names of the variants, the worked day first.
func Variants() []string {
	return []string{variantDay, variantNone, variantDropApp, variantLate, variantNight}
}

func checkVariant(name string) error {
	known := Variants()
	if slices.Contains(known, name) {
		return nil
	}
	return fmt.Errorf("there is no variant %q; there are: %s", name, strings.Join(known, ", "))
}

// storyZone is where the story plays.
const storyZone = "Europe/Berlin"

// storyDay is an on-sale Tuesday; the eight weeks before it hold the autumn's
// change of clocks.
type storyDay struct {
	zone *time.Location
}

func newStoryDay() (storyDay, error) {
	zone, err := time.LoadLocation(storyZone)
	if err != nil {
		return storyDay{}, fmt.Errorf("load the story's time zone: %w", err)
	}
	return storyDay{zone: zone}, nil
}

// at returns a time of the story's day by its wall clock.
func (d storyDay) at(hour, minute int) time.Time {
	return time.Date(2026, time.November, 24, hour, minute, 0, 0, d.zone)
}

// clock writes a time as the story's people read it.
func (d storyDay) clock(t time.Time) string { return t.In(d.zone).Format("15:04") }

// weeksOfHistory is how far back the warehouse reaches.
const weeksOfHistory = 8
