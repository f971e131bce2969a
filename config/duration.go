package config

import (
	"fmt"
	"strconv"
	"time"
)

// Duration is a span of time. It is written as Go writes it ("90s", "5m",
// "2h30m") or as a bare number of seconds.
type Duration time.Duration

// Std returns the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// Or returns d, or other where d is zero.
func (d Duration) Or(other time.Duration) time.Duration {
	if d == 0 {
		return other
	}
	return time.Duration(d)
}

func parseDuration(text string) (Duration, error) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return checkedDuration(time.Duration(seconds*float64(time.Second)), text)
	}
	span, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no duration: write 90s, 5m, 2h or a number of seconds", text)
	}
	return checkedDuration(span, text)
}

func checkedDuration(span time.Duration, text string) (Duration, error) {
	if span < 0 {
		return 0, fmt.Errorf("%q is negative", text)
	}
	return Duration(span), nil
}
