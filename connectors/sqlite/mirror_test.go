package sqlite_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/sqlite"
)

// TestMirrorIsJudged: a series is judged by the kinds of check that judge a table,
// as of its newest points, and one that stopped is never a pass.
func TestMirrorIsJudged(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 12, 30, 0, 0, time.UTC)
	var all []sqlite.Point
	add := func(series string, at time.Time, value float64) {
		all = append(all, sqlite.Point{Series: series, At: at, Value: value, Rev: int64(len(all) + 1)})
	}
	for hour := range 24 * 7 * 6 {
		at := now.Truncate(time.Hour).Add(-time.Duration(hour+1) * time.Hour)
		add("shop.latency", at.Add(10*time.Minute), 100+float64(hour%24))
	}
	add("stopped", now.Add(-5*time.Hour), 1)
	var asked int
	m, err := sqlite.NewMirror(func(_ context.Context, rev int64, limit int) ([]sqlite.Point, error) {
		asked++
		rest := all[rev:]
		return rest[:min(limit, len(rest))], nil
	}, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	latest := func(spec checks.Spec) checks.Spec {
		spec.Name, spec.Kind, spec.Expression, spec.TimeColumn, spec.Bucket = "c", checks.KindMetric, "avg(value)", "at", checks.BucketHour
		return spec
	}
	run := func(name string, spec checks.Spec, want checks.Status) checks.Result {
		t.Helper()
		r := checks.Run(t.Context(), spec, m, nil, now)
		if r.Status != want {
			t.Errorf("%s: %s, want %s: %s %s", name, r.Status, want, r.Message, r.Problem)
		}
		return r
	}
	threshold := func(text string) checks.Threshold {
		parsed, err := checks.ParseThreshold(text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	r := run("within its threshold", latest(checks.Spec{Table: "shop.latency", Threshold: threshold("< 101")}), checks.Pass)
	if r.Observed == nil || r.Observed.Value != 100 {
		t.Errorf("observed %+v", r.Observed)
	}
	run("warns", latest(checks.Spec{Table: "shop.latency", Warn: threshold("< 100"), Fail: threshold("< 200")}), checks.Warn)
	run("fails", latest(checks.Spec{Table: "shop.latency", Threshold: threshold("< 50")}), checks.Fail)
	run("as in earlier weeks", latest(checks.Spec{Table: "shop.latency"}), checks.Pass)
	run("no value since", latest(checks.Spec{Table: "stopped", Threshold: threshold("> 0")}), checks.Error)
	run("stopped", checks.Spec{Name: "c", Kind: checks.KindFreshness, Table: "stopped", TimeColumn: "at", MaxAge: 2 * time.Hour}, checks.Fail)
	run("never pushed", latest(checks.Spec{Table: "shop.latencyy", Threshold: threshold("> 0")}), checks.Error)
	// What comes later is seen by the next question.
	add("shop.latency", now.Truncate(time.Hour).Add(-time.Minute), 300)
	add("late", now, 1)
	run("a new value", latest(checks.Spec{Table: "shop.latency", Threshold: threshold("< 101")}), checks.Fail)
	run("a new series", checks.Spec{Name: "c", Kind: checks.KindFreshness, Table: "late", TimeColumn: "at", MaxAge: time.Hour}, checks.Pass)
	if asked == 0 {
		t.Error("the series were not read")
	}
}

// TestMirrorOfABrokenSource: where the values cannot be read nothing passes, and
// the file is gone at the end.
func TestMirrorOfABrokenSource(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	m, err := sqlite.NewMirror(func(context.Context, int64, int) ([]sqlite.Point, error) { return nil, errors.New("no database") }, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Columns(t.Context(), "x"); err == nil {
		t.Error("columns of a series that cannot be read")
	}
	if _, err := m.Select(t.Context(), "SELECT 1"); err == nil {
		t.Error("an answer without what is new")
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
