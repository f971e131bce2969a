package checks_test

import (
	"strings"
	"testing"
	"time"

	"dw/checks"
)

// dailyRows fills a table of days, forty rows each, for sixty days up to now; the
// last whole day and the running one have two.
const dailyRows = `INSERT INTO daily SELECT d::date FROM generate_series(date '2026-08-01', date '2026-10-01', interval '1 day') AS d,
	generate_series(1, 40) AS n WHERE d < date '2026-09-30' OR n <= 2`

// TestDaysWithoutTimeOfDay checks that a column of PostgreSQL's type date is
// counted by the days written in it, whatever the zone, and that a day is judged
// when it has ended where the check lives.
func TestDaysWithoutTimeOfDay(t *testing.T) {
	t.Parallel()
	pg := postgres(t, "CREATE TABLE daily (day date)", dailyRows)
	for name, c := range map[string]struct {
		zone   string
		at     time.Time
		status checks.Status
		says   string
	}{
		"over in UTC":              {"UTC", now, checks.Fail, "2 rows in Wed 2026-09-30"},
		"over in New York":         {"America/New_York", now, checks.Fail, "2 rows in Wed 2026-09-30"},
		"not over in New York":     {"America/New_York", time.Date(2026, 10, 1, 2, 0, 0, 0, time.UTC), checks.Pass, "40 rows in Tue 2026-09-29"},
		"over in Tokyo before UTC": {"Asia/Tokyo", time.Date(2026, 9, 30, 16, 0, 0, 0, time.UTC), checks.Fail, "2 rows in Wed 2026-09-30"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := checks.Spec{Name: "c", Kind: "volume", Judge: checks.JudgeWeeks, Table: "daily", TimeColumn: "day", Bucket: "day", Zone: c.zone}
			r := checks.Run(t.Context(), spec, pg, nil, c.at)
			if r.Status != c.status || !strings.Contains(r.Message, c.says) {
				t.Errorf("%s: %s %s", r.Status, r.Message, r.Problem)
			}
			loc, err := time.LoadLocation(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			if midnight := time.Date(2026, 9, 30, 0, 0, 0, 0, loc); c.status == checks.Fail && !r.Since.Equal(midnight) {
				t.Errorf("since %s, want %s", r.Since, midnight)
			}
		})
	}
	hourly := checks.Spec{Name: "c", Kind: "volume", Table: "daily", TimeColumn: "day"}
	if r := checks.Run(t.Context(), hourly, pg, nil, now); r.Status != checks.Error || !strings.Contains(r.Problem, "set bucket to day") {
		t.Errorf("hours of days: %s %s", r.Status, r.Problem)
	}
	fresh := checks.Spec{Name: "c", Kind: "freshness", Table: "daily", TimeColumn: "day", MaxAge: 12 * time.Hour, Zone: "Asia/Tokyo"}
	r := checks.Run(t.Context(), fresh, pg, nil, now)
	if r.Status != checks.Fail || !strings.Contains(r.Message, "newest row of daily is from 2026-10-01, 21h20m old") {
		t.Errorf("freshness: %s %s %s", r.Status, r.Message, r.Problem)
	}
}

// TestTextTimesInTheLanguageOfTheDatabase checks that text is compared byte by
// byte: in a natural order, .25 of a second comes after .5.
func TestTextTimesInTheLanguageOfTheDatabase(t *testing.T) {
	t.Parallel()
	pg := postgres(t, "CREATE COLLATION natural_order (provider = icu, locale = 'en-u-kn-true')",
		`CREATE TABLE events (at text COLLATE natural_order)`,
		`INSERT INTO events VALUES ('2026-10-01T12:19:59.25Z'), ('2026-10-01T12:19:59.5Z')`)
	spec := checks.Spec{Name: "c", Kind: "freshness", Table: "events", TimeColumn: "at", MaxAge: time.Hour}
	if r := checks.Run(t.Context(), spec, pg, nil, now); r.Observed == nil || r.Observed.Value != 0.5 {
		t.Errorf("%s: %s %s", r.Status, r.Message, r.Problem)
	}
}

// TestTwoFormatsInOneColumn checks that text which cannot be compared is refused.
func TestTwoFormatsInOneColumn(t *testing.T) {
	t.Parallel()
	spec := checks.Spec{Kind: "freshness", Table: "events", TimeColumn: "at", MaxAge: time.Hour}
	r := run(t, spec, nil, "CREATE TABLE events (at TEXT)", "INSERT INTO events VALUES ('2026-10-01 12:00:00'), ('2026-10-01T11:00:00Z')")
	if r.Status != checks.Error || !strings.Contains(r.Problem, "first time in column at of events") {
		t.Errorf("%s: %s %s", r.Status, r.Message, r.Problem)
	}
}
