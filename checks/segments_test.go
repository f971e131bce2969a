package checks_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"dw/checks"
	"dw/connectors/sqlite"
)

// badHour is the hour before now.
var badHour = checks.Bucket{Start: now.Truncate(time.Hour).Add(-time.Hour), End: now.Truncate(time.Hour)}

func TestSegments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(time.Time, share) int
		best   string
		same   string
		normal string
	}{
		"one channel gone":         {cut(11, 13, "boxoffice", 0), "channel=boxoffice", "device=pos", "channel=app channel=web"},
		"one channel down by half": {cut(11, 13, "app", 0.4), "channel=app", "device=phone", "channel=boxoffice channel=web"},
		"one channel twice":        {cut(11, 13, "web", 2), "channel=web", "device=browser", "channel=app channel=boxoffice"},
		"all down alike":           {cut(11, 13, "", 0.5), "", "", ""},
		"all gone":                 {cut(11, 13, "", 0), "", "", ""},
		"nothing wrong":            {same, "", "", ""},
		"two channels": {func(hour time.Time, s share) int {
			return cut(11, 13, "boxoffice", 0)(hour, share{s.channel, s.device, cut(11, 13, "app", 0)(hour, s)})
		}, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWarehouse(t)
			w.fill(rfc3339, 8, c.change)
			a, err := checks.Segments(t.Context(), volumeSpec(), w.open(sqlite.Options{}), badHour, []string{"channel", "device"})
			if err != nil {
				t.Fatal(err)
			}
			best := ""
			if a.Best != nil {
				best = a.Best.Dimension + "=" + a.Best.Value
			}
			if best != c.best || strings.Join(a.SameRows, " ") != c.same {
				t.Errorf("best %q, same rows %v; want %q, %q", best, a.SameRows, c.best, c.same)
			}
			for n := range strings.FieldsSeq(c.normal) {
				if !strings.Contains(strings.Join(a.Normal, " "), n) {
					t.Errorf("normal %v lacks %s", a.Normal, n)
				}
			}
			if len(a.Dimensions) != 2 || len(a.Dimensions[0].Elements) != 3 || a.SQL == "" {
				t.Errorf("attribution %+v", a)
			}
			sumToOne(t, a)
		})
	}
}

// sumToOne checks that the contributions inside each dimension sum to one.
func sumToOne(t *testing.T, a checks.Attribution) {
	t.Helper()
	for _, d := range a.Dimensions {
		sum, off := 0.0, 0.0
		for _, e := range d.Elements {
			sum += e.Contribution
			off += e.Actual - e.Expected
			if e.Surprise < -1e-12 {
				t.Errorf("%s=%s has surprise %v", d.Dimension, e.Value, e.Surprise)
			}
		}
		if off != 0 && math.Abs(sum-1) > 1e-9 {
			t.Errorf("contributions of %s sum to %v", d.Dimension, sum)
		}
	}
}

func TestSegmentsPreferFewerElements(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	w.fill(rfc3339, 8, cut(11, 13, "boxoffice", 0))
	w.exec("ALTER TABLE orders ADD COLUMN till TEXT")
	w.exec("UPDATE orders SET till = CASE WHEN channel = 'boxoffice' THEN 'desk' ELSE 'none' END")
	a, err := checks.Segments(t.Context(), volumeSpec(), w.open(sqlite.Options{}), badHour, []string{"channel", "till"})
	if err != nil {
		t.Fatal(err)
	}
	if a.Best == nil || a.Best.Dimension != "till" || a.Best.Value != "desk" || strings.Join(a.SameRows, "") != "channel=boxoffice" {
		t.Errorf("best %+v, same rows %v", a.Best, a.SameRows)
	}
}

// TestSegmentsOfDifferentRows drops the rows of one channel in one region: both
// explain the difference, but they are not the same rows; it takes the two.
func TestSegmentsOfDifferentRows(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	w.fill(rfc3339, 8, same)
	w.exec("ALTER TABLE orders ADD COLUMN region TEXT")
	w.exec("UPDATE orders SET region = CASE WHEN id % 2 = 0 THEN 'north' ELSE 'south' END")
	w.exec("DELETE FROM orders WHERE region = 'north' AND channel = 'boxoffice' AND created_at >= '2026-10-01T11:00:00' AND created_at < '2026-10-01T12:00:00'")
	a, err := checks.Segments(t.Context(), volumeSpec(), w.open(sqlite.Options{}), badHour, []string{"region", "channel"})
	if err != nil {
		t.Fatal(err)
	}
	if a.Best == nil || a.Best.String() != "channel=boxoffice, region=north" || len(a.SameRows) != 0 {
		t.Errorf("best %v, same rows %v", a.Best, a.SameRows)
	}
}

func TestSegmentsOfNull(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	w.fill(rfc3339, 8, cut(11, 13, "boxoffice", 0))
	w.exec("UPDATE orders SET device = NULL WHERE device = 'pos'")
	a, err := checks.Segments(t.Context(), volumeSpec(), w.open(sqlite.Options{}), badHour, []string{"device", "channel"})
	if err != nil {
		t.Fatal(err)
	}
	if a.Best == nil || len(a.SameRows) != 1 || !a.Dimensions[0].Elements[0].Null {
		t.Errorf("best %+v, same rows %v, elements %+v", a.Best, a.SameRows, a.Dimensions[0].Elements)
	}
}

// TestSegmentsAsk counts the questions of a split: one GROUP BY whatever the
// dimensions, and one for each and for each pair where they are too many together.
func TestSegmentsAsk(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	w.fill(rfc3339, 8, same)
	w.exec("ALTER TABLE orders ADD COLUMN email TEXT")
	w.exec("ALTER TABLE orders ADD COLUMN region TEXT")
	w.exec("ALTER TABLE orders ADD COLUMN seat TEXT")
	w.exec("UPDATE orders SET email = 'p' || (id % 3), region = CASE WHEN id % 2 = 0 THEN 'north' ELSE 'south' END, seat = 's' || (id / 2 % 190)")
	w.exec("DELETE FROM orders WHERE (region = 'north' AND channel = 'boxoffice' OR region = 'south' AND channel = 'web') AND created_at >= '2026-10-01T11:00:00' AND created_at < '2026-10-01T12:00:00'")
	db, few := w.open(sqlite.Options{}), w.open(sqlite.Options{MaxRows: 1000})
	for name, c := range map[string]struct {
		dims   []string
		asked  int
		causes string
		split  string
	}{
		"one":                  {[]string{"channel"}, 1, "", "channel"},
		"two":                  {[]string{"channel", "region"}, 1, "channel=boxoffice, region=north; channel=web, region=south", "channel region"},
		"private":              {[]string{"email", "channel", "region"}, 1, "channel=boxoffice, region=north; channel=web, region=south", "channel region"},
		"too many together":    {[]string{"channel", "region", "id"}, 5, "channel=boxoffice, region=north; channel=web, region=south", "channel region"},
		"chosen by what it is": {nil, 2, "channel=boxoffice, region=north; channel=web, region=south", "channel device region seat"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := &asks{Querier: db}
			if name == "too many together" {
				q.Querier = few
			}
			a, err := checks.Segments(t.Context(), volumeSpec(), q, badHour, c.dims)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(strings.Join(q.texts, "\n"), "SELECT ") - 4; n != c.asked {
				t.Errorf("%d questions, want %d:\n%s", n, c.asked, strings.Join(q.texts, "\n"))
			}
			var causes, split []string
			for _, s := range a.Causes {
				causes = append(causes, s.String())
			}
			for _, d := range a.Dimensions {
				if d.Skipped == "" {
					split = append(split, d.Dimension)
				}
			}
			slices.Sort(causes)
			if got := strings.Join(causes, "; "); got != c.causes || a.Best != nil {
				t.Errorf("causes %s, best %v; want %s", got, a.Best, c.causes)
			}
			if got := strings.Join(split, " "); got != c.split {
				t.Errorf("split by %s, want %s", got, c.split)
			}
			if strings.Contains(strings.Join(q.texts, ""), "email") {
				t.Errorf("a private column was asked for: %s", q.texts)
			}
		})
	}
}

func TestSegmentsSkipManyValues(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	w.fill(rfc3339, 8, cut(11, 13, "boxoffice", 0))
	a, err := checks.Segments(t.Context(), volumeSpec(), w.open(sqlite.Options{}), badHour, []string{"id", "channel"})
	if err != nil {
		t.Fatal(err)
	}
	if d := a.Dimensions[0]; d.Skipped != "more than 200 values" || len(d.Elements) != 0 {
		t.Errorf("split %+v", d)
	}
	if a.Best == nil || a.Best.Value != "boxoffice" {
		t.Errorf("best %+v", a.Best)
	}
}

func TestSegmentsRefuse(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	w.fill(rfc3339, 2, nil)
	w.exec("CREATE TABLE empty (created_at, channel)")
	db := w.open(sqlite.Options{})
	for name, c := range map[string]struct {
		change func(*checks.Spec)
		bucket checks.Bucket
		want   string
	}{
		"unknown table":      {func(s *checks.Spec) { s.Table = "ordrs" }, badHour, "near names: orders"},
		"unknown dimension":  {func(s *checks.Spec) {}, badHour, "only 2 earlier weeks"},
		"empty table":        {func(s *checks.Spec) { s.Table = "empty" }, badHour, "only 0 earlier weeks"},
		"backward bucket":    {func(s *checks.Spec) {}, checks.Bucket{Start: badHour.End, End: badHour.Start}, "ends before it begins"},
		"a condition broken": {func(s *checks.Spec) { s.Where = "1) OR (1" }, badHour, "parenthesis"},
	} {
		spec := volumeSpec()
		c.change(&spec)
		_, err := checks.Segments(t.Context(), spec, db, c.bucket, []string{"channel"})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

func TestSegmentsUnknownDimension(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	w.fill(rfc3339, 8, same)
	_, err := checks.Segments(t.Context(), volumeSpec(), w.open(sqlite.Options{}), badHour, []string{"chanel"})
	if err == nil || !strings.Contains(err.Error(), "near names: channel") {
		t.Errorf("error %v", err)
	}
}

func BenchmarkSplitNames(b *testing.B) {
	name := fmt.Sprintf(`main."%s"`, strings.Repeat(`a""b.`, 10))
	for b.Loop() {
		if _, err := checks.SplitName(name); err != nil {
			b.Fatal(err)
		}
	}
}
