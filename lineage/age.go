package lineage

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// spanText writes a duration for people: "13 h 25 m", "4 d 2 h", "40 s".
func spanText(d time.Duration) string {
	d = d.Abs()
	days, hours, minutes := int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d m", minutes)
	case days == 0:
		return fmt.Sprintf("%d h %d m", hours, minutes)
	default:
		return fmt.Sprintf("%d d %d h", days, hours)
	}
}

// Age writes how old what the source states is at now: "3 h 20 m", or
// "unknown" for a source that does not say when it was made.
func (p Provenance) Age(now time.Time) string {
	if p.SeenAt.IsZero() {
		return "unknown"
	}
	return spanText(max(0, now.Sub(p.SeenAt)))
}

// oldAfter is the age at which what a source states counts half in a score and is
// shown as old (lineage.md section 6).
const oldAfter = 30 * day

// Old says that the source has not stated it for oldAfter before now.
func (p Provenance) Old(now time.Time) bool {
	return !p.SeenAt.IsZero() && now.Sub(p.SeenAt) > oldAfter
}

// Moment writes when something is read and how far off that is: "02:00 UTC (in 13 h
// 25 m)", on the clock of a zone; one that is not known is written as UTC.
func Moment(at, now time.Time, zone string) string {
	distance := "in " + spanText(at.Sub(now))
	if at.Before(now) {
		distance = spanText(now.Sub(at)) + " ago"
	}
	return clockText(at, now, zone) + " (" + distance + ")"
}

// clockText writes an instant on the clock of a zone, with the day where it is
// not within the next 24 hours. A zone that is not known is written as UTC.
func clockText(at, now time.Time, zone string) string {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		loc, zone = time.UTC, "UTC"
	}
	layout := "15:04"
	if d := at.Sub(now); d < 0 || d >= 24*time.Hour {
		layout = "Mon 2 Jan 15:04"
	}
	return at.In(loc).Format(layout) + " " + zoneName(zone)
}

// PlainName takes out of a name what would break a line of text.
func PlainName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, name)
	return strings.Join(strings.Fields(clean), " ")
}

// plural writes a count with its noun: "1 job", "3 models", "2 queries".
func plural(n int, noun string) string {
	switch {
	case n == 1:
		return fmt.Sprintf("1 %s", noun)
	case strings.HasSuffix(noun, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	default:
		return fmt.Sprintf("%d %ss", n, noun)
	}
}
