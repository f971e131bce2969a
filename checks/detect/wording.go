package detect

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Text says a verdict in one plain sentence: what was observed, what is usual
// and within which range, since when. Times are shown in zone; unit names what
// is counted, such as "rows", or "% NULL" of a ratio.
func (v Verdict) Text(zone *time.Location, unit string) string {
	here := fmt.Sprintf("%s %s in %s", number(v.Observed), unit, label(v.Start, v.End, zone))
	switch v.State {
	case Unknown:
		return fmt.Sprintf("the source did not say what it holds for %s: unknown, not zero", label(v.Start, v.End, zone))
	case Learning:
		return fmt.Sprintf("%s; learning, day %d of %d", here, v.Days, speakAfter)
	case Holiday:
		return here + "; a day that is not judged"
	case Alarm:
		return v.alarmText(zone, unit, here)
	}
	return here + ", usually " + number(v.Expected) + between(v.Low, v.High)
}

// alarmText tells of the window that spoke.
func (v Verdict) alarmText(zone *time.Location, unit, here string) string {
	w := v.Window
	since := ", since " + w.Since.In(zone).Format("Mon 2006-01-02 15:04 MST")
	switch {
	case w.Start.Equal(v.Start):
		// The bucket alone: its own figures, in its own unit.
		here += ", usually " + number(v.Expected) + between(v.Low, v.High)
	case unit == "rows":
		here = fmt.Sprintf("%s rows in the %s up to %s, usually %s%s", number(w.Observed), span(v.End.Sub(w.Start)),
			v.End.In(zone).Format("Mon 2006-01-02 15:04 MST"), number(w.Expected), between(w.Low, w.High))
	default:
		// The sums of a ratio are those of an effective number of rows: told as a factor.
		return fmt.Sprintf("%s, the last of %s at %s times what is usual (%s)%s", here, span(v.End.Sub(w.Start)),
			number(w.Observed/w.Expected), number(v.Expected), since)
	}
	if w.Late {
		return here + since + "; the rows that were missing before came with it: a late load, nothing is lost"
	}
	return here + ", " + off(w.Observed, w.Expected) + since
}

// off says how far an observation is from what is usual.
func off(observed, expected float64) string {
	percent := 100 * (observed/expected - 1)
	switch {
	case observed == 0:
		return "none at all"
	case percent < 0:
		return number(-percent) + " % short"
	case percent >= 200:
		return number(observed/expected) + " times as many"
	}
	return number(percent) + " % over"
}

func between(low, high float64) string {
	if high <= 0 {
		return ""
	}
	return fmt.Sprintf(" (%s to %s)", number(low), number(high))
}

// span writes a length of time in hours or days.
func span(d time.Duration) string {
	switch {
	case d < time.Hour:
		return fmt.Sprintf("%d minutes", int(d.Minutes()))
	case d == time.Hour:
		return "hour"
	case d > 48*time.Hour && d%day == 0:
		return fmt.Sprintf("%d days", int(d/day))
	}
	return number(d.Hours()) + " hours"
}

// label names a bucket in a zone.
func label(start, end time.Time, zone *time.Location) string {
	if end.Sub(start) > 12*time.Hour {
		return start.In(zone).Format("Mon 2006-01-02")
	}
	return start.In(zone).Format("Mon 2006-01-02 15:04") + "–" + end.In(zone).Format("15:04 MST")
}

// number writes a figure with commas between thousands, and with a decimal where
// it is small and not whole.
func number(v float64) string {
	if v < 10 && math.Abs(v-math.Round(v)) >= 0.05 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	digits := strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	var parts []string
	for len(digits) > 3 {
		parts = append([]string{digits[len(digits)-3:]}, parts...)
		digits = digits[:len(digits)-3]
	}
	return strings.Join(append([]string{digits}, parts...), ",")
}
