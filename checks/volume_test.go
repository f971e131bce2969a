package checks_test

import (
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/sqlite"
)

func TestVolume(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		layout string
		weeks  int
		change func(time.Time, share) int
		spec   func(*checks.Spec)
		mem    memory
		status checks.Status
		since  string // hour and minute of Since, empty for none
		says   []string
	}{
		"pass: an ordinary hour":                        {status: checks.Pass, says: []string{"400 rows", "Thu 2026-10-01 11:00–12:00 UTC", "median of 8 weeks"}},
		"pass: times as seconds":                        {layout: "unix", status: checks.Pass},
		"pass: times as text with a space, found by dw": {layout: datetime, status: checks.Pass},
		"pass: a small change":                          {change: cut(11, 13, "", 0.9), status: checks.Pass},
		"pass: a change under min_change": {
			change: cut(11, 13, "", 0.7), status: checks.Pass,
			spec: func(s *checks.Spec) { s.MinChange = 40 },
		},
		"pass: a change under min_rows": {
			change: cut(11, 13, "", 0.5), status: checks.Pass,
			spec: func(s *checks.Spec) { s.MinRows = 201 },
		},
		"fail: a change of just min_rows": {
			change: cut(11, 13, "", 0.5), status: checks.Fail, since: "11:00",
			spec: func(s *checks.Spec) { s.MinRows = 200 },
		},
		"fail: one channel is gone, the others are normal": {
			change: cut(11, 13, "boxoffice", 0), status: checks.Fail, since: "11:00",
			says: []string{"280 rows", "usually 400", "since 2026-10-01 11:00:00 UTC"},
		},
		"fail: the onset is hours ago": {change: cut(8, 13, "boxoffice", 0), status: checks.Fail, since: "08:00"},
		"fail: an hour is there twice": {change: cut(11, 12, "", 2), status: checks.Fail, since: "11:00"},
		"fail: too many empty hours":   {change: cut(8, 13, "", 0), status: checks.Fail, since: "08:00", says: []string{"0 rows"}},
		"warn: severity warn": {
			change: cut(11, 13, "", 0.5), status: checks.Warn, since: "11:00",
			spec: func(s *checks.Spec) { s.Severity = checks.SeverityWarn },
		},
		"warn: a threshold of its own": {
			status: checks.Warn, says: []string{"should be > 500"},
			spec: func(s *checks.Spec) { s.Warn = checks.Threshold{Op: ">", Low: 500} },
		},
		"late: the newest rows are not there": {
			change: cut(9, 13, "", 0), status: checks.Late,
			says: []string{"noticed", "rows from 2026-10-01 09:00:00 UTC on are not there yet", "newest row at 2026-10-01 08:59:37"},
		},
		"late: the load stopped in the hour": {change: cutHalf(11), status: checks.Late, says: []string{"noticed", "not there yet"}},
		"late: three empty hours, all rows come in the fourth": {
			change: fat(8, 11, 11), status: checks.Late,
			says: []string{"noticed: late load", "about 1,200 rows missing from 2026-10-01 08:00:00 UTC on arrived in"},
		},
		"late: the rows are arriving in the running hour": {
			change: fat(9, 12, 12), status: checks.Late,
			says: []string{"noticed: late load", "arrived after 2026-10-01 12:00:00 UTC"},
		},
		"fail: empty hours and no more than usual now": {change: cut(9, 12, "", 0), status: checks.Fail, since: "09:00"},
		"pass: late rows went to their own hours":      {change: same, status: checks.Pass},
		"learning: two weeks":                          {weeks: 2, status: checks.Learning, says: []string{"learning 2 of 3"}},
		"pass: three weeks":                            {weeks: 3, status: checks.Pass, says: []string{"median of 3 weeks"}},
		"pass: a condition": {
			change: cut(11, 13, "boxoffice", 0), status: checks.Pass,
			spec: func(s *checks.Spec) { s.Where = "channel = 'web' -- the rest is not asked" },
		},
		"fail: a condition": {
			change: cut(11, 13, "boxoffice", 0), status: checks.Fail, since: "11:00", says: []string{"0 rows"},
			spec: func(s *checks.Spec) { s.Where = "channel = 'boxoffice'" },
		},
		"pass: hours of a zone that begin at half past": {
			status: checks.Pass, says: []string{"16:00–17:00 IST"},
			spec: func(s *checks.Spec) { s.Zone = "Asia/Kolkata" },
		},
		"error: the format is another": {
			status: checks.Error, says: []string{"set time_format to that instead of datetime"},
			spec: func(s *checks.Spec) { s.TimeFormat = checks.FormatDatetime },
		},
		"error: times are not in UTC": {layout: "%Y-%m-%dT%H:%M:%S+02:00", status: checks.Error, says: []string{"not in UTC"}},
		"error: times are days":       {layout: "%Y-%m-%d", status: checks.Error, says: []string{"is neither"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWarehouse(t)
			w.fill(orDefault(c.layout, rfc3339), orDefault(c.weeks, 8), c.change)
			spec := volumeSpec()
			if c.spec != nil {
				c.spec(&spec)
			}
			r := checks.Run(t.Context(), spec, w.open(sqlite.Options{}), c.mem, now)
			if r.Status != c.status {
				t.Fatalf("status %s, want %s: %s %s", r.Status, c.status, r.Message, r.Problem)
			}
			for _, text := range c.says {
				if !strings.Contains(r.Message+r.Problem, text) {
					t.Errorf("%q does not say %q", r.Message+r.Problem, text)
				}
			}
			if got := sinceText(r); got != c.since {
				t.Errorf("since %q, want %q", got, c.since)
			}
			if c.status != checks.Error && (r.Bucket == nil || r.Observed == nil || r.SQL == "" || r.At != now) {
				t.Errorf("incomplete: %+v", r)
			}
		})
	}
}

func orDefault[T comparable](v, byDefault T) T {
	var zero T
	if v == zero {
		return byDefault
	}
	return v
}

func sinceText(r checks.Result) string {
	if r.Since.IsZero() {
		return ""
	}
	return r.Since.Format("15:04")
}

// cut changes the rows of a channel, or of all, in the hours [from, to) of today.
func cut(from, to int, channel string, factor float64) func(time.Time, share) int {
	return func(hour time.Time, s share) int {
		if between(hour, from, to) && (channel == "" || channel == s.channel) {
			return int(float64(s.rows) * factor)
		}
		return s.rows
	}
}

// fat empties the hours [from, to) of today and puts their rows into another.
// In the running hour, of which a third is over, three times as many are laid
// out to have them by now.
func fat(from, to, into int) func(time.Time, share) int {
	return func(hour time.Time, s share) int {
		switch {
		case between(hour, from, to):
			return 0
		case between(hour, into, into+1) && into == now.Hour():
			return s.rows + 3*(to-from)*s.rows
		case between(hour, into, into+1):
			return s.rows * (to - from + 1)
		}
		return s.rows
	}
}

// cutHalf is a load that stands still from the middle of an hour on; the rows
// are laid out late so that only the first half of them is kept.
func cutHalf(stop int) func(time.Time, share) int {
	return func(hour time.Time, s share) int {
		switch {
		case between(hour, stop, stop+1):
			return s.rows / 3
		case between(hour, stop+1, 24):
			return 0
		}
		return s.rows
	}
}

func TestVolumeResultHasItsRange(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	w.fill(rfc3339, 8, cut(11, 13, "boxoffice", 0))
	r := checks.Run(t.Context(), volumeSpec(), w.open(sqlite.Options{}), nil, now)
	off, known := r.PercentOff()
	if !known || off > -28 || off < -32 {
		t.Errorf("off by %v %%", off)
	}
	if r.Low == nil || r.High == nil || *r.Low >= *r.Expected || *r.High <= *r.Expected || r.Observed.Value >= *r.Low {
		t.Errorf("range %v to %v around %v, observed %v", *r.Low, *r.High, *r.Expected, r.Observed.Value)
	}
	if r.Samples != 8 || r.Bucket.Start.Hour() != 11 || r.Asset != "sqlite://orders" || r.Domain != "sales" || r.Connected != "warehouse" {
		t.Errorf("result %+v", r)
	}
	if where := r.SQL[strings.Index(r.SQL, "WHERE"):strings.Index(r.SQL, "GROUP BY")]; strings.Contains(where, "substr") {
		t.Errorf("the condition has a function on the time column: %s", where)
	}
}

// TestVolumeOfLastWeeksIncident checks that an incident does not become the next
// week's baseline.
func TestVolumeOfLastWeeksIncident(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	w.fill(rfc3339, 8, nil)
	w.exec("DELETE FROM orders WHERE created_at >= '2026-09-24T08:00:00' AND created_at < '2026-09-24T12:00:00'")
	r := checks.Run(t.Context(), volumeSpec(), w.open(sqlite.Options{}), nil, now)
	if r.Status != checks.Pass {
		t.Errorf("status %s: %s", r.Status, r.Message)
	}
}

func TestVolumeLosesItsHistory(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, "CREATE TABLE orders (created_at TEXT)")
	db := w.open(sqlite.Options{})
	r := checks.Run(t.Context(), volumeSpec(), db, memory{}, now)
	if r.Status != checks.Learning || r.Samples != 0 {
		t.Errorf("a new empty table gave %s: %s", r.Status, r.Message)
	}
	mem := memory{"orders volume": {Status: checks.Pass, Samples: 8}}
	for range 2 {
		r = checks.Run(t.Context(), volumeSpec(), db, mem, now)
		if r.Status != checks.Fail || !strings.Contains(r.Message, "history is gone") {
			t.Errorf("an emptied table gave %s: %s", r.Status, r.Message)
		}
		mem["orders volume"] = r
	}
	r = checks.Run(t.Context(), volumeSpec(), db, forgetful{}, now)
	if r.Status != checks.Error || !strings.Contains(r.Problem, "the disk is gone") {
		t.Errorf("a memory that cannot be read gave %s: %s", r.Status, r.Problem)
	}
}

// TestVolumeIgnoresTheFuture checks that one row with a wrong clock does not hide
// that the load stands still.
func TestVolumeIgnoresTheFuture(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	w.fill(rfc3339, 8, cut(10, 13, "", 0))
	w.exec("INSERT INTO orders (created_at) VALUES ('2099-01-01T00:00:00Z')")
	r := checks.Run(t.Context(), volumeSpec(), w.open(sqlite.Options{}), nil, now)
	if r.Status != checks.Late || !strings.Contains(r.Message, "newest row at 2026-10-01 09:59:37") {
		t.Errorf("status %s: %s", r.Status, r.Message)
	}
}

// TestVolumeByDay checks days of a zone, across the end of summer time.
func TestVolumeByDay(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, "CREATE TABLE orders (channel TEXT, created_at TEXT)")
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	today := time.Date(2026, 10, 26, 9, 0, 0, 0, berlin)
	w.exec("BEGIN")
	for day := range 70 {
		for hour := range 27 {
			at := today.AddDate(0, 0, -day).Add(time.Duration(hour-10) * time.Hour)
			if at.After(today) || at.Day() != today.AddDate(0, 0, -day).Day() {
				continue
			}
			for minute := range 10 {
				w.exec("INSERT INTO orders VALUES ('web', ?)", at.Add(time.Duration(minute)*time.Minute).UTC().Format(time.RFC3339))
			}
		}
	}
	w.exec("COMMIT")
	spec := volumeSpec()
	spec.Bucket, spec.Zone = checks.BucketDay, "Europe/Berlin"
	db := w.open(sqlite.Options{})
	r := checks.Run(t.Context(), spec, db, nil, today)
	if r.Status != checks.Pass || r.Bucket.End.Sub(r.Bucket.Start) != 25*time.Hour || r.Observed.Value != 250 || *r.Expected != 240 {
		t.Errorf("status %s: %s; bucket %v", r.Status, r.Message, r.Bucket)
	}
	w.exec("DELETE FROM orders WHERE created_at >= '2026-10-24T10:00:00' AND created_at < '2026-10-25T20:00:00'")
	r = checks.Run(t.Context(), spec, db, nil, today)
	if r.Status != checks.Fail || r.Since.Format(time.RFC3339) != "2026-10-23T22:00:00Z" {
		t.Errorf("status %s since %v: %s", r.Status, r.Since, r.Message)
	}
}
