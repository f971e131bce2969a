package checks_test

import (
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/sqlite"
)

// TestLateLoadAsItHappens plays a load that stands still from 09:00 and brings
// everything at 12:10, once with rows that keep the time of the event and once
// with rows that carry the time of the load. It is noticed and never a failure.
func TestLateLoadAsItHappens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		arrive func(*warehouse)
		want   []checks.Status
	}{
		"time of the event": {
			func(w *warehouse) {
				for hour := 9; hour <= 12; hour++ {
					w.all(clock(hour, 0))
				}
			},
			[]checks.Status{checks.Pass, checks.Pass, checks.Late, checks.Late, checks.Late, checks.Pass},
		},
		"time of the load": {
			func(w *warehouse) {
				// A third of the running hour is over: nine thirds are missing.
				for range 1 + 9 {
					w.all(clock(12, 0))
				}
			},
			[]checks.Status{checks.Pass, checks.Pass, checks.Late, checks.Late, checks.Late, checks.Late},
		},
		"lost for good": {
			func(w *warehouse) { w.all(clock(12, 0)) },
			[]checks.Status{checks.Pass, checks.Pass, checks.Late, checks.Late, checks.Late, checks.Fail},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWarehouse(t)
			w.fill(rfc3339, 8, cut(9, 24, "", 0))
			db := w.open(sqlite.Options{})
			for i, at := range []time.Time{clock(9, 20), clock(9, 50), clock(10, 20), clock(11, 20), clock(12, 5), clock(12, 20)} {
				if at.Equal(now) {
					w.exec("BEGIN")
					c.arrive(w)
					w.exec("COMMIT")
				}
				if r := checks.Run(t.Context(), volumeSpec(), db, nil, at); r.Status != c.want[i] {
					t.Errorf("at %s: %s, want %s: %s %s", at.Format("15:04"), r.Status, c.want[i], r.Message, r.Problem)
				}
			}
		})
	}
}

// clock is a time of the day of now.
func clock(hour, minute int) time.Time {
	return time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, time.UTC)
}

// all writes an ordinary hour, of the running one what there is by now.
func (e *warehouse) all(hour time.Time) {
	e.t.Helper()
	for _, s := range channels() {
		e.hour(rfc3339, hour, s, true)
	}
}
