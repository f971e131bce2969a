package slackdev

import (
	"strconv"
	"strings"
	"time"
)

// date renders <!date^unix^format^link|fallback> in the reader's zone.
func (r reader) date(target, fallback string) node {
	parts := strings.Split(target, "^")
	if len(parts) < 3 {
		return txt(fallback)
	}
	seconds, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return txt(unescape(fallback))
	}
	shown := el("time", at("title", time.Unix(seconds, 0).UTC().Format("2006-01-02 15:04:05 UTC")),
		txt(r.formatDate(seconds, unescape(parts[2]))))
	if len(parts) > 3 {
		return anchor(unescape(parts[3]), shown)
	}
	return shown
}

// formatDate fills Slack's date tokens, 24 hours a day, in the reader's zone.
func (r reader) formatDate(seconds int64, format string) string {
	t := time.Unix(seconds, 0).In(r.zone())
	return strings.NewReplacer(
		"{date_num}", t.Format("2006-01-02"), "{date_slash}", t.Format("01/02/2006"),
		"{date_long_pretty}", t.Format("Monday, January 2, 2006"), "{date_long}", t.Format("Monday, January 2, 2006"),
		"{date_short_pretty}", t.Format("Jan 2, 2006"), "{date_short}", t.Format("Jan 2, 2006"),
		"{date_pretty}", t.Format("January 2, 2006"), "{date}", t.Format("January 2, 2006"),
		"{time_secs}", t.Format("15:04:05"), "{time}", t.Format("15:04"),
		"{day_divider_pretty}", t.Format("Monday, January 2"), "{ago}", t.Format("Jan 2, 15:04"),
	).Replace(format)
}

func (r reader) zone() *time.Location {
	if zone, err := time.LoadLocation(r.user.TZ); err == nil {
		return zone
	}
	return time.UTC
}

// clock is the time of day of a timestamp and its full form, in the reader's zone.
func (r reader) clock(ts string) (short, full string) {
	t, ok := stampTime(ts)
	if !ok {
		return ts, ts
	}
	t = t.In(r.zone())
	return t.Format("15:04"), t.Format("Mon 2 Jan 2006 15:04:05 MST")
}
