package signals

import (
	"strconv"
	"strings"
	"time"
)

// layouts are how the tools write times. Those without a zone are UTC: that is
// what each of these tools means by them.
func layouts() []string {
	return []string{
		time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
		"2006-01-02 15:04:05.999999999", "20060102T150405.999999Z", "2006-01-02",
	}
}

// parseTime reads a time as a tool writes it, or seconds or milliseconds since
// 1970. It is zero for what cannot be read and for years before 2000, which
// stand for "never".
func parseTime(text string) time.Time {
	text = strings.TrimSpace(text)
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		if number > 1e11 { // milliseconds; as seconds it would be the year 5138
			return since2000(time.UnixMilli(int64(number)))
		}
		return since2000(time.Unix(int64(number), 0))
	}
	for _, layout := range layouts() {
		if at, err := time.Parse(layout, text); err == nil {
			return since2000(at)
		}
	}
	return time.Time{}
}

func since2000(at time.Time) time.Time {
	if at = at.UTC(); at.Year() < 2000 || at.Year() > 9999 {
		return time.Time{}
	}
	return at
}

// firstTime is the first of some texts that is a time.
func firstTime(texts ...string) time.Time {
	for _, text := range texts {
		if at := parseTime(text); !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}
