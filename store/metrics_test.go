package store_test

import (
	"slices"
	"testing"
	"time"

	"dw/store"
)

// TestMetrics: a delivery may be repeated; the first value at a time stays and
// another is told; a reader sees what is new; old values go.
func TestMetrics(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, newPath func(testing.TB) string) {
		db := open(t, newPath(t))
		now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
		value := func(metric string, minute int, v float64) store.MetricValue {
			return store.MetricValue{Metric: metric, At: now.Add(time.Duration(minute) * time.Minute), Value: v}
		}
		put := func(want store.MetricsPut, values ...store.MetricValue) {
			t.Helper()
			if got, err := db.PutMetrics(t.Context(), values, now); err != nil || got != want {
				t.Fatalf("put %+v, %v; want %+v", got, err, want)
			}
		}
		put(store.MetricsPut{Recorded: 3}, value("a.b", 1, 0.5), value("a.b", 2, -7), value("c", 1, 3))
		put(store.MetricsPut{Recorded: 1, Known: 1, Other: 1}, value("a.b", 1, 0.5), value("a.b", 2, 8), value("c", 2, 4))
		first, err := db.MetricsAfter(t.Context(), 0, 3)
		if err != nil || len(first) != 3 || first[1].Value != -7 || !first[1].At.Equal(now.Add(2*time.Minute)) {
			t.Fatalf("first %+v, %v", first, err)
		}
		rest, err := db.MetricsAfter(t.Context(), first[2].Rev, 10)
		if err != nil || len(rest) != 1 || rest[0].Metric != "c" || rest[0].Value != 4 {
			t.Errorf("rest %+v, %v", rest, err)
		}
		if _, err := db.PutMetrics(t.Context(), nil, now.AddDate(2, 0, 0)); err != nil {
			t.Fatal(err)
		}
		if left, err := db.MetricsAfter(t.Context(), 0, 10); err != nil || len(left) != 1 || left[0].Value != 4 {
			t.Errorf("left, and only the newest was to be: %+v, %v", slices.Clone(left), err)
		}
	})
}

// TestMetricsAfterATrim: a value that is the newest to arrive and the oldest by time
// goes, and the next is seen all the same by who has read that far.
func TestMetricsAfterATrim(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, newPath func(testing.TB) string) {
		db := open(t, newPath(t))
		now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
		put := func(at, now time.Time) {
			t.Helper()
			if _, err := db.PutMetrics(t.Context(), []store.MetricValue{{Metric: "a", At: at, Value: 1}}, now); err != nil {
				t.Fatal(err)
			}
		}
		put(now, now)
		put(now.AddDate(0, 0, -400).Add(time.Minute), now) // backfilled, newest first
		read, err := db.MetricsAfter(t.Context(), 0, 9)
		if err != nil || len(read) != 2 {
			t.Fatalf("read %+v, %v", read, err)
		}
		put(now, now.Add(time.Hour)) // sent again: nothing arrives, and the old one goes
		put(now.Add(time.Hour), now.Add(time.Hour))
		fresh, err := db.MetricsAfter(t.Context(), read[1].Rev, 9)
		if err != nil || len(fresh) != 1 || !fresh[0].At.Equal(now.Add(time.Hour)) {
			t.Errorf("fresh %+v, %v", fresh, err)
		}
	})
}
