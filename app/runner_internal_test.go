package app

import (
	"slices"
	"testing"
	"time"

	"dw/checks"
)

// TestJudgedAt: a re-check asks about every hour since the onset that has closed
// on the clocks of the check's zone, and about now where there is none.
func TestJudgedAt(t *testing.T) {
	t.Parallel()
	at := func(clock string) time.Time {
		parsed, err := time.Parse("15:04", clock)
		if err != nil {
			t.Fatal(err)
		}
		return time.Date(2026, 6, 10, parsed.Hour(), parsed.Minute(), 0, 0, time.UTC)
	}
	hourly := checks.Spec{Kind: checks.KindVolume, Delay: 10 * time.Minute}
	india, daily := hourly, hourly
	india.Zone, daily.Bucket = "Asia/Kolkata", checks.BucketDay
	for name, tc := range map[string]struct {
		spec       checks.Spec
		since, now time.Time
		want       []time.Time
	}{
		"two closed hours":         {hourly, at("10:20"), at("12:30"), []time.Time{at("11:10"), at("12:10")}},
		"the delay is waited for":  {hourly, at("10:00"), at("11:09"), []time.Time{at("11:09")}},
		"half an hour from UTC":    {india, at("10:40"), at("12:50"), []time.Time{at("11:40"), at("12:40")}},
		"no onset":                 {hourly, time.Time{}, at("12:30"), []time.Time{at("12:30")}},
		"a day is asked as of now": {daily, at("10:20"), at("12:30"), []time.Time{at("12:30")}},
		"other kinds too":          {checks.Spec{Kind: checks.KindUnique}, at("10:20"), at("12:30"), []time.Time{at("12:30")}},
	} {
		if got := new(runner).judgedAt(tc.spec, tc.since, tc.now); !slices.EqualFunc(got, tc.want, time.Time.Equal) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
