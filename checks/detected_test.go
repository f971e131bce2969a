package checks_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/sqlite"
)

// steady makes a table with forty rows an hour by day and ten by night, of the
// seventy days up to now; but tells how many a given hour has.
func steady(t *testing.T, but map[string]int) *warehouse {
	t.Helper()
	w := newWarehouse(t)
	if err := w.w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.path, steadyFile(t), 0o600); err != nil {
		t.Fatal(err)
	}
	w.connect()
	for hour, n := range but {
		at, err := time.Parse("2006-01-02 15", "2026-"+hour)
		if err != nil {
			t.Fatal(err)
		}
		w.exec("DELETE FROM orders WHERE created_at >= ? AND created_at < ?", at.Format(datetimeLayout), at.Add(time.Hour).Format(datetimeLayout))
		w.exec("DELETE FROM plan")
		w.exec("INSERT INTO plan VALUES (?, ?)", at.Format(datetimeLayout), n)
		w.fromPlan()
	}
	return w
}

// steadies holds the file with nothing changed: it is the same for every test.
var steadies struct {
	sync.Mutex
	file []byte
}

func steadyFile(t *testing.T) []byte {
	t.Helper()
	steadies.Lock()
	defer steadies.Unlock()
	if steadies.file != nil {
		return steadies.file
	}
	w := newWarehouse(t, "CREATE TABLE orders (id INTEGER PRIMARY KEY, channel TEXT, device TEXT, created_at TEXT)", "CREATE TABLE plan (at TEXT, n INTEGER)", "BEGIN")
	for at := now.Add(-70 * 24 * time.Hour).Truncate(time.Hour); !at.After(now); at = at.Add(time.Hour) {
		n := 10 + (at.YearDay()*7+at.Hour()*3)%3
		if at.Hour() >= 8 {
			n += 30
		}
		w.exec("INSERT INTO plan VALUES (?, ?)", at.Format(datetimeLayout), n)
	}
	w.fromPlan()
	w.exec("COMMIT")
	if err := w.w.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(w.path)
	if err != nil {
		t.Fatal(err)
	}
	steadies.file = file
	return file
}

// fromPlan spreads the planned rows over their hours, up to now.
func (e *warehouse) fromPlan() {
	e.t.Helper()
	e.exec(`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 200)
		INSERT INTO orders (channel, device, created_at) SELECT 'web', 'phone', datetime(p.at, '+' || (3600 * (i.n - 1) / p.n) || ' seconds') FROM plan p JOIN i ON i.n <= p.n
		WHERE datetime(p.at, '+' || (3600 * (i.n - 1) / p.n) || ' seconds') <= ?`, now.Format(datetimeLayout))
}

const datetimeLayout = "2006-01-02 15:04:05"

func detectorSpec() checks.Spec {
	spec := volumeSpec()
	spec.Judge = checks.JudgeDetector
	return spec
}

// TestVolumeByDetector judges the hour from 11:00 of Thursday, 1 October.
func TestVolumeByDetector(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		but    map[string]int
		spec   func(*checks.Spec)
		status checks.Status
		since  string
		says   []string
	}{
		"pass: an ordinary hour": {status: checks.Pass, says: []string{"rows in Thu 2026-10-01 11:00–12:00 UTC, usually 4"}},
		"fail: one hour is half empty": {
			but: map[string]int{"10-01 11": 18}, status: checks.Fail, since: "11:00",
			says: []string{"18 rows in Thu 2026-10-01 11:00", "usually 41", "% short, since Thu 2026-10-01 11:00 UTC"},
		},
		"fail: a third is missing since 08:00 and still is": {
			but: map[string]int{"10-01 08": 27, "10-01 09": 27, "10-01 10": 27, "10-01 11": 27}, status: checks.Fail, since: "08:00",
			says: []string{"short"},
		},
		"pass: a fault of yesterday is over": {
			but: map[string]int{"09-30 11": 0, "09-30 12": 0}, status: checks.Pass,
		},
		"pass: fewer rows than min_rows": {
			but: map[string]int{"10-01 11": 18}, status: checks.Pass,
			spec: func(s *checks.Spec) { s.MinRows = 50 },
		},
		"learning: a holiday has no answer": {
			but: map[string]int{"10-01 11": 18}, status: checks.Learning, says: []string{"a day that is not judged"},
			spec: func(s *checks.Spec) { s.Holidays = []string{"2026-10-01"} },
		},
		"late: three empty hours, then all": {
			but: map[string]int{"10-01 08": 0, "10-01 09": 0, "10-01 10": 0, "10-01 11": 164}, status: checks.Late,
			says: []string{"noticed", "late load, nothing is lost"},
		},
		"late: the newest hour is not there yet": {
			but: map[string]int{"10-01 11": 0, "10-01 12": 0}, status: checks.Late, says: []string{"not there yet"},
		},
		"error: a holiday that is no date": {
			status: checks.Error, says: []string{"holidays"}, spec: func(s *checks.Spec) { s.Holidays = []string{"1 May"} },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := detectorSpec()
			if c.spec != nil {
				c.spec(&spec)
			}
			r := checks.Run(t.Context(), spec, steady(t, c.but).open(sqlite.Options{}), nil, now)
			if r.Status != c.status {
				t.Fatalf("status %s, want %s: %s %s", r.Status, c.status, r.Message, r.Problem)
			}
			if got := sinceText(r); got != c.since {
				t.Errorf("since %q, want %q", got, c.since)
			}
			for _, text := range c.says {
				if !strings.Contains(r.Message+r.Problem, text) {
					t.Errorf("%q does not say %q", r.Message+r.Problem, text)
				}
			}
			if r.Status == checks.Fail && (r.Expected == nil || r.Low == nil || *r.Low >= *r.Expected || *r.High <= *r.Expected) {
				t.Errorf("no range around what is expected: %+v", r)
			}
		})
	}
}

// TestPreview: both ways to judge say how often they would have spoken, and about
// what.
func TestPreview(t *testing.T) {
	t.Parallel()
	w := steady(t, map[string]int{"09-22 11": 0, "09-22 12": 0, "09-28 15": 0})
	for _, judge := range []string{checks.JudgeDetector, checks.JudgeWeeks} {
		t.Run(judge, func(t *testing.T) {
			spec := detectorSpec()
			spec.Judge = judge
			p, err := checks.PreviewVolume(t.Context(), spec, w.open(sqlite.Options{}), now, 20)
			if err != nil {
				t.Fatal(err)
			}
			var at []string
			for _, m := range p.Messages {
				at = append(at, m.At.Format("01-02 15"))
			}
			if fmt.Sprint(at) != "[09-22 12 09-28 16]" || p.Buckets != 20*24 || p.Learning != 0 || p.Judge != judge {
				t.Errorf("it would have spoken at %v on %d buckets, learning %d: %+v", at, p.Buckets, p.Learning, p.Messages)
			}
		})
	}
}

func TestPreviewRefuses(t *testing.T) {
	t.Parallel()
	w := steady(t, nil).open(sqlite.Options{})
	fresh := volumeSpec()
	fresh.Kind = checks.KindFreshness
	if _, err := checks.PreviewVolume(t.Context(), fresh, w, now, 60); err == nil || !strings.Contains(err.Error(), "only volume checks") {
		t.Errorf("freshness: %v", err)
	}
	for _, days := range []int{0, 91} {
		if _, err := checks.PreviewVolume(t.Context(), volumeSpec(), w, now, days); err == nil {
			t.Errorf("%d days: no error", days)
		}
	}
	gone := volumeSpec()
	gone.Table = "elsewhere"
	if _, err := checks.PreviewVolume(t.Context(), gone, w, now, 60); err == nil || !strings.Contains(err.Error(), "elsewhere") {
		t.Errorf("a table that is not there: %v", err)
	}
}
