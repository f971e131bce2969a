package main

import (
	"strings"
	"testing"
	"time"
)

func TestMetricOf(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		args    []string
		at      string
		want    time.Time
		refuses string
	}{
		"now":          {[]string{"shop.latency", "1.5"}, "", now, ""},
		"at a time":    {[]string{"shop.latency", "1.5"}, "2026-03-04T12:00:00+02:00", now.Add(-2 * time.Hour), ""},
		"no number":    {[]string{"shop.latency", "much"}, "", now, `"much" is no number`},
		"a wrong name": {[]string{"Shop Latency", "1"}, "", now, "small letters"},
		"no time":      {[]string{"shop.latency", "1.5"}, "noon", now, `--at "noon"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := metricOf(c.args, c.at, now)
			if c.refuses != "" {
				if err == nil || !strings.Contains(err.Error(), c.refuses) {
					t.Errorf("error %v, want %q", err, c.refuses)
				}
				return
			}
			if err != nil || v.Value != 1.5 || !v.At.Equal(c.want) {
				t.Errorf("got %+v, %v", v, err)
			}
		})
	}
}
