package detect

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"
)

// alarmsIn lists the alarms of a stretch, in hours from the start.
func alarmsIn(verdicts []Verdict, from, n int) []Verdict {
	return slices.DeleteFunc(slices.Clone(verdicts[from:min(from+n, len(verdicts))]), func(v Verdict) bool { return v.State != Alarm })
}

func TestFindsTheUsualFaults(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		base    float64
		stretch int
		recall  float64
		false   float64
		f1      float64
	}{
		"6,000 rows an hour": {6000, 1, 0.92, 0.5, 0.93},
		"300 rows an hour":   {300, 1, 0.92, 0.5, 0.93},
		"12 rows an hour":    {12, 3, 0.6, 1.5, 0.65},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all tally
			for seed := range uint64(2) {
				all.add(faulty(7000+seed, c.base, c.stretch).tallyUp(t))
			}
			t.Log(all)
			if all.recall() < c.recall || all.falseIn30Days() > c.false || all.f1() < c.f1 {
				t.Errorf("%s; want F1 %.2f, recall %.2f, %.1f false", all, c.f1, c.recall, c.false)
			}
		})
	}
}

// TestCausal: what is said of a bucket does not depend on what comes after it.
func TestCausal(t *testing.T) {
	t.Parallel()
	l := faulty(1, 300, 1)
	whole := judge(t, l.config, l.points)
	for _, n := range []int{24 * 3, 24*30 + 7, 24*63 + 12, 24*90 + 23, 24*140 + 1} {
		for i, v := range judge(t, l.config, l.points[:n]) {
			want := whole[i]
			if i == n-1 {
				// Only the newest verdict carries its range.
				v.Low, v.High, want.Low, want.High = 0, 0, 0, 0
			}
			if v != want {
				t.Fatalf("bucket %d of %d: %+v, in the whole series %+v", i, n, v, want)
			}
		}
	}
}

// TestWeeksLater: a series says the same wherever in the calendar it lies.
func TestWeeksLater(t *testing.T) {
	t.Parallel()
	l := faulty(2, 300, 1)
	l.points = l.points[:24*100]
	whole := judge(t, l.config, l.points)
	for _, weeks := range []int{1, 52, 500} {
		moved := slices.Clone(l.points)
		for i := range moved {
			moved[i].Start = moved[i].Start.AddDate(0, 0, 7*weeks)
		}
		for i, v := range judge(t, l.config, moved) {
			if v.State != whole[i].State || v.Expected != whole[i].Expected {
				t.Fatalf("%d weeks later bucket %d is %v, was %v", weeks, i, v, whole[i])
			}
		}
	}
}

// TestScale: where counting noise is nothing, ten times the rows say the same.
func TestScale(t *testing.T) {
	t.Parallel()
	l := faulty(3, 1e7, 1)
	l.points = l.points[:24*120]
	whole := judge(t, l.config, l.points)
	for i := range l.points {
		l.points[i].Value *= 10
	}
	for i, v := range judge(t, l.config, l.points) {
		if v.State != whole[i].State {
			t.Fatalf("bucket %d is %v at ten times the rows, was %v", i, v, whole[i])
		}
	}
}

// TestBudget: the budget of false messages is what makes it speak more often.
func TestBudget(t *testing.T) {
	t.Parallel()
	l := faulty(4, 12, 3)
	count := func(budget float64) int {
		l.config.Budget = budget
		return len(alarmsIn(judge(t, l.config, l.points), 0, len(l.points)))
	}
	tight, usual, wide := count(0.02), count(0), count(5)
	if tight >= usual || usual >= wide {
		t.Errorf("alarms at budgets 0.02, 0.2, 5: %d, %d, %d; want more each time", tight, usual, wide)
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Config{
		"no bucket":           {},
		"odd bucket":          {Bucket: 7 * time.Hour},
		"bucket of a week":    {Bucket: 168 * time.Hour},
		"unknown metric":      {Bucket: time.Hour, Metric: 7},
		"budget below zero":   {Bucket: time.Hour, Budget: -1},
		"budget beyond sense": {Bucket: time.Hour, Budget: 1000},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	d, err := New(Config{Bucket: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Observe(monday, 1); err != nil {
		t.Fatal(err)
	}
	for name, start := range map[string]time.Time{
		"again": monday, "before": monday.Add(-time.Hour), "off the grid": monday.Add(90 * time.Minute),
	} {
		if _, err := d.Observe(start, 1); !errors.Is(err, ErrOrder) {
			t.Errorf("%s: %v, want ErrOrder", name, err)
		}
	}
	for _, value := range []float64{math.NaN(), -1, math.Inf(1)} {
		if _, err := d.Observe(monday.Add(time.Hour), value); err == nil {
			t.Errorf("value %g was taken", value)
		}
	}
}
