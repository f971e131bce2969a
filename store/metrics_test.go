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
		if left, err := db.MetricsAfter(t.Context(), 0, 10); err != nil || len(left) != 0 {
			t.Errorf("left %+v, %v", slices.Clone(left), err)
		}
	})
}
